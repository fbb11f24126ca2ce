"""Prometheus: the JSON answer of `query_range` for node_exporter's disk counters, or for expressions of them."""

from __future__ import annotations

import json
import re
from typing import Any

from plimsoll.errors import UsageError
from plimsoll.traces.counters import Options
from plimsoll.traces.counters._node import METRICS, RATES, device, founds
from plimsoll.traces.counters._tables import number
from plimsoll.traces.counters._together import Key, in_turn
from plimsoll.traces.series import Column, Found

NAME = "prometheus"
TITLE = "Prometheus query_range JSON"


def recognise(head: str) -> bool:
    """An answer of the HTTP API."""
    return head.lstrip().startswith("{") and bool(re.search(r'"resultType"\s*:', head))


def read(text: str, options: Options) -> list[Found]:
    """Each device. Nameless series are the results of expressions, of which --rate says what they are."""
    try:
        answer = json.loads(text)
        data = answer["data"]
        kind, result = data["resultType"], data["result"]
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"no whole answer of Prometheus ({error}); save it again") from None
    if answer.get("status") != "success":
        raise UsageError(f"Prometheus answered {answer.get('status')!r}: {answer.get('error', '')}")
    if kind != "matrix" or not isinstance(result, list):
        raise UsageError(f"a {kind} has one moment; ask query_range, which gives a matrix")
    pieces = [_series(each, options) for each in result]
    columns = in_turn((key, column) for key, column in pieces if column is not None)
    if not columns:
        raise UsageError(
            "no series of node_disk_…; ask for reads_completed, writes_completed, read_bytes, written_bytes"
        )
    return founds(columns)


def _series(each: Any, options: Options) -> tuple[Key, Column | None]:
    try:
        labels: dict[str, str] = dict(each["metric"])
        rows = [(float(time), number(str(value), "a value")) for time, value in each["values"]]
    except (KeyError, TypeError, ValueError):
        raise UsageError("a series without metric and values; save the answer of query_range as it is") from None
    metric = labels.get("__name__")
    if metric is not None:
        ours = METRICS.get(metric)
        return (device(labels) if ours else "", ours or ""), _column("counter", rows) if ours else None
    if not options.rate:
        raise UsageError(
            "a series without a name is the result of an expression; say what it is a rate of, per second: "
            f"--rate reads (one of {', '.join(RATES)}; with several files, in their order)"
        )
    if options.rate[0] not in RATES:
        raise UsageError(f"--rate {options.rate[0]}: it is one of {', '.join(RATES)}")
    return (device(labels), options.rate[0]), _column("rate", rows)


def _column(kind: Any, rows: list[tuple[float, float]]) -> Column:
    return Column(kind, [time for time, _ in rows], [value for _, value in rows])
