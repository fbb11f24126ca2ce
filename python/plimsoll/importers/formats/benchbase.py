"""BenchBase: the summary in JSON that each run writes beside its raw latencies."""

from __future__ import annotations

import re
import sys
from typing import Any

from plimsoll.errors import ResultFileError
from plimsoll.importers.draft import Draft
from plimsoll.importers.json_text import Damage, documents, table, text_of
from plimsoll.importers.latencies import percentile_name
from plimsoll.importers.numbers import UnreadableNumber, located, number, scaled, whole
from plimsoll.importers.quantities import divided, epoch_ns
from plimsoll.importers.record import build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.units import MICROSECOND

NAME = "benchbase"
TITLE = "BenchBase summary"
TOOLS = ("benchbase",)

_RATE, _GOOD_RATE = "Throughput (requests/second)", "Goodput (requests/second)"
_LATENCIES = "Latency Distribution"
_LATENCY = re.compile(r"(.{1,40}) Latency \(microseconds\)")
_PERCENTILE = re.compile(r"(\d{1,2}(?:\.\d{1,3})?)(?:st|nd|rd|th) Percentile")
_NAMES = {"Average": "mean", "Median": "p50", "Maximum": "max", "Minimum": None}
_SETTINGS = {
    "benchmark": "Benchmark Type",
    "scale_factor": "scalefactor",
    "terminals": "terminals",
    "isolation": "isolation",
    "database": "DBMS Type",
}


def recognise(head: bytes, name: str) -> bool:
    """The names of its rates and of its latencies."""
    del name
    return f'"{_LATENCIES}"'.encode() in head and b"(requests/second)" in head


@located
def read(source: Source, options: Options) -> Imported:
    """One run for each summary."""
    damage: list[Damage] = []
    summaries = [table(each) for each in documents(source.text, damage=damage)]
    if damage:
        raise ResultFileError(f"{source.name}: {damage[0]}; take the complete file as BenchBase wrote it")
    return build(sys.modules[__name__], source, options, [_draft(each) for each in summaries if _LATENCIES in each])


def _draft(summary: dict[str, Any]) -> Draft:
    parameters = {name: summary[key] for name, key in _SETTINGS.items() if isinstance(summary.get(key), str | int)}
    benchmark = text_of(summary.get("Benchmark Type")) or "unknown"
    draft = Draft(test="benchbase", case=f"benchbase {benchmark}", parameters=parameters)
    draft.rate("request_rate", number(summary.get(_RATE)))
    draft.rate("goodput", number(summary.get(_GOOD_RATE)))
    for key, value in table(summary[_LATENCIES]).items():
        if name := _latency_name(key):
            draft.latency(f"request_{name}", scaled(value, MICROSECOND))
    draft.duration_ns = number(summary.get("Elapsed Time (nanoseconds)"))
    draft.started_ns = epoch_ns(divided(number(summary.get("Start timestamp (milliseconds)")), 1000))
    draft.in_flight = whole(summary.get("terminals"))
    draft.known(
        operations={"request": number(summary.get("Measured Requests"))},
        database_version=text_of(summary.get("DBMS Version")),
    )
    state = text_of(summary.get("Final State"))
    if state and state != "EXIT":
        draft.partial(f"BenchBase ended in the state {state}")
    return draft


def _latency_name(key: str) -> str | None:
    """`mean` for Average, `p99` for 99th Percentile; None for what is no score, such as the 25th."""
    latency = _LATENCY.fullmatch(key)
    if latency and (match := _PERCENTILE.fullmatch(latency[1])):
        return percentile_name(float(match[1]))
    if latency is None or latency[1] not in _NAMES:
        raise UnreadableNumber(key, "is not a latency of BenchBase", f'"{key}"')
    return _NAMES[latency[1]]
