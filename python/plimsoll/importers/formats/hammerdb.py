"""HammerDB logs: TPROC-C results (NOPM and TPM), TPROC-H query sets, times per procedure, transaction counter."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from plimsoll.importers.draft import Draft, slug
from plimsoll.importers.quantities import duration_ns, number, scaled, whole
from plimsoll.importers.record import build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.units import MINUTE, SECOND

NAME = "hammerdb"
TITLE = "HammerDB log"
TOOLS = ("hammerdb",)

_RESULT = re.compile(r"TEST RESULT : System achieved (\d{1,15}) NOPM from (\d{1,15}) (.{1,60}?) TPM\b")
_OLD_RESULT = re.compile(r"TEST RESULT : System achieved (\d{1,15}) (.{1,60}?) TPM at (\d{1,15}) NOPM\b")
_QUERIES = re.compile(r"\bCompleted (\d{1,6}) query set\(s\) in ([\d.]{1,20}) seconds")
_GEOMETRIC = re.compile(r"\bGeometric mean of query times returning rows \(\d+\) is ([\d.]{1,20})")
_USERS = re.compile(
    r"\b(\d{1,6}) Active Virtual Users configured|\bVuser (?:created|set to):? (\d{1,6})|\bvu set to (\d{1,6})"
)
_RAMPUP = re.compile(r"\bBeginning rampup time of (\d{1,6}) minutes?")
_TIMING = re.compile(r"\bTiming test period of (\d{1,6}) in minutes")
_VERSION = re.compile(r"\bHammerDB(?: CLI)? v?(\d+\.\d[\w.]{0,20})")
_WAREHOUSES = re.compile(r"\b(?:Warehouses = \d+ out of|count_ware(?:house)?\s*[=:]?)\s*(\d{1,9})", re.IGNORECASE)
_COUNTER = re.compile(r"^\s*(\d{1,15}) (.{1,40}?) tpm\s*$")
_PROCEDURE = re.compile(r"PROC: (\w{1,60})")
_TIMES = re.compile(r"\b(CALLS|AVG|MAX|P99|P95|P50): ?([\d.]{1,20})(ms|us|s)?")
_FAULT = re.compile(
    r"Vuser \d{1,6}:(?:FINISHED FAILED|.{0,40}\bFAILED)"
    r"|Error in Virtual User \d{1,6}:?.{0,300}|deadlock detected.{0,200}"
)
_COUNTER_STEP_S = 10
_PROCEDURE_NAMES = {
    "NEWORD": "new_order",
    "PAYMENT": "payment",
    "DELIVERY": "delivery",
    "SLEV": "stock_level",
    "OSTAT": "order_status",
}
_MARKS = (b"TEST RESULT : System achieved", b"Active Virtual Users configured", b"HammerDB", b"query set(s) in")


def recognise(head: bytes, name: str) -> bool:
    """Its results, or what its virtual users say."""
    del name
    return _MARKS[0] in head or _MARKS[1] in head or (_MARKS[2] in head and b"Vuser 1" in head) or _MARKS[3] in head


def read(source: Source, options: Options) -> Imported:
    """One run per result; a log without one is a failed run."""
    drafts = map(_draft, _parts(source.lines))
    return build(sys.modules[__name__], source, options, (draft for draft in drafts if draft is not None))


def _ends(line: str) -> bool:
    return bool(_RESULT.search(line) or _OLD_RESULT.search(line) or _GEOMETRIC.search(line))


def _begins(line: str) -> bool:
    return bool(_USERS.search(line) or _RAMPUP.search(line))


def _parts(lines: Sequence[str]) -> Iterator[list[str]]:
    """A run goes from its first virtual users to what follows its result."""
    part: list[str] = []
    ended = False
    for line in lines:
        if ended and (_begins(line) or _ends(line)):
            yield part
            part, ended = [], False
        ended = ended or _ends(line)
        part.append(line)
    yield part


def _draft(lines: Sequence[str]) -> Draft | None:
    text = "\n".join(lines)
    new, old = _RESULT.search(text), _OLD_RESULT.search(text)
    queries = _QUERIES.search(text)
    faults = [match[0].strip() for match in _FAULT.finditer(text)][:1000]
    begun = _USERS.search(text) or _RAMPUP.search(text)
    if not (new or old or queries or _GEOMETRIC.search(text) or faults or begun):
        return None
    kind = "TPROC-H" if queries or _GEOMETRIC.search(text) else "TPROC-C"
    draft = Draft(test="hammerdb", case=f"hammerdb {kind}", parameters={"workload": kind} | _parameters(text))
    result = (new[1], new[2], new[3]) if new else (old[3], old[1], old[2]) if old else None
    if result:
        # Base units are per second; NOPM and TPM are per minute.
        draft.rate("new_order_rate", scaled(result[0], 1 / 60))
        draft.rate("transaction_rate", scaled(result[1], 1 / 60))
        draft.parameters["database"] = result[2]
        draft.known(nopm=number(result[0]), tpm=number(result[1]))
    if queries:
        draft.latency("query_set_time", scaled(queries[2], SECOND))
    if match := _GEOMETRIC.search(text):
        draft.latency("query_geometric_mean", scaled(match[1], SECOND))
    _procedures(draft, lines)
    _counter(draft, lines)
    minutes = whole(draft.parameters.get("minutes"))
    draft.duration_ns = minutes * MINUTE if minutes else None
    if not draft.scores:
        draft.fail(faults[0] if faults else "the log ends before the result")
    elif faults:
        draft.partial(f"{faults[0]} ({len(faults)} such messages)" if len(faults) > 1 else faults[0])
    elif not result and not queries and kind == "TPROC-C":
        draft.partial("the log ends before the result")
    return draft


def _parameters(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    users = [next(int(group) for group in match.groups() if group) for match in _USERS.finditer(text)]
    if users:
        # One of them only watches the others: HammerDB names the active ones.
        found["virtual_users"] = users[-1]
    for name, pattern in (("rampup_minutes", _RAMPUP), ("minutes", _TIMING), ("warehouses", _WAREHOUSES)):
        if match := pattern.search(text):
            found[name] = int(match[1])
    if match := _VERSION.search(text):
        found["version"] = match[1]
    return found


def _procedures(draft: Draft, lines: Sequence[str]) -> None:
    """Response times per procedure (xtprof): the first table is of one user, a later summary replaces it."""
    name = ""
    for line in lines:
        if match := _PROCEDURE.search(line):
            name = _PROCEDURE_NAMES.get(match[1], slug(match[1]))
        if not name:
            continue
        for what, value, unit in _TIMES.findall(line):
            if what == "CALLS":
                draft.known(operations={name: number(value)})
            else:
                suffix = {"AVG": "mean", "MAX": "max"}.get(what, what.lower())
                draft.latency(f"{name}_{suffix}", duration_ns(f"{value}{unit or 'ms'}"))


def _counter(draft: Draft, lines: Sequence[str]) -> None:
    """The transaction counter prints the rate per minute every ten seconds."""
    rates = [scaled(match[1], 1 / 60) for line in lines if (match := _COUNTER.match(line)) is not None]
    if rates:
        times = [float(index * _COUNTER_STEP_S * SECOND) for index in range(len(rates))]
        draft.series(times, {"transaction_rate": ("1/s", rates)})
