"""HammerDB logs: TPROC-C results (NOPM and TPM), TPROC-H query sets, times per procedure, transaction counter."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from plimsoll.importers.draft import Draft, slug
from plimsoll.importers.numbers import FIELD, count, figure, located, scaled
from plimsoll.importers.quantities import time_in
from plimsoll.importers.record import build
from plimsoll.importers.sought import Sought
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.units import MINUTE, SECOND

NAME = "hammerdb"
TITLE = "HammerDB log"
TOOLS = ("hammerdb",)

_RESULT = Sought(rf"TEST RESULT : System achieved {FIELD} NOPM from {FIELD} (.{{1,60}}?) TPM\b", "TEST RESULT :")
_OLD_RESULT = Sought(rf"TEST RESULT : System achieved {FIELD} (.{{1,60}}?) TPM at {FIELD} NOPM\b", "TEST RESULT :")
_QUERIES = Sought(rf"\bCompleted {FIELD} query set\(s\) in {FIELD} seconds", "query set(s) in")
_GEOMETRIC = Sought(
    rf"\bGeometric mean of query times returning rows \([^)\n]{{0,40}}\) is {FIELD}", "Geometric mean of query times"
)
_STREAM = Sought(r"\bVuser ?([^:\n]{0,40}):", "Vuser")
_RUNNING = Sought(r"\bVuser ?[^:\n]{0,40}:RUNNING", ":RUNNING")
_USERS = Sought(
    rf"(?:^|[\s:]){FIELD} Active Virtual Users configured"
    rf"|\bVuser (?:created|set to):? {FIELD}|\bvu set to {FIELD}",
    "Active Virtual Users configured",
    "Vuser created",
    "Vuser set to",
    "vu set to",
)
_RAMPUP = Sought(rf"\bBeginning rampup time of {FIELD} minutes?", "Beginning rampup time of")
_TIMING = Sought(rf"\bTiming test period of {FIELD} in minutes", "Timing test period of")
_VERSION = Sought(r"\bHammerDB(?: CLI)? v?(\d+\.\d[\w.]{0,20})", "HammerDB")
_WAREHOUSES = Sought(
    rf"\b(?i:Warehouses = \S{{1,40}} out of|count_ware(?:house)?[ \t]*[=:]?)[ \t]*{FIELD}",
    "warehouses = ",
    "count_ware",
    anyhow=True,
)
_COUNTER = Sought(rf"^\s*+{FIELD} (.{{1,40}}?) tpm\s*$", " tpm")
_PROCEDURE = Sought(r"PROC: (\w{1,60})", "PROC: ")
_LABEL = r"(?:MIN|AVG|MAX|TOTAL|P99|P95|P50|SD|RATIO):"
_TIMES = Sought(
    r"(?:\b|(?<=\d)|(?<=ms)|(?<=%))(CALLS|AVG|MAX|P99|P95|P50): ?"
    rf"([^\s:]{{0,40}}?(?:[ \u00a0\u2009\u202f]\d{{3}}(?!\d)[^\s:]{{0,40}}?){{0,9}})(?=\s|$|{_LABEL})",
    *("CALLS:", "AVG:", "MAX:", "P99:", "P95:", "P50:"),
)
"""A number up to the next name: where a log was copied, the tabs between them are lost."""

_PROFILE = Sought(r"(?i:Hammerdb Time Profile Report @)", "time profile report @", anyhow=True)
_SUMMARY = "SUMMARY OF "
_FAULT = Sought(
    r"Vuser \d{1,6}:(?:FINISHED FAILED|.{0,40}\bFAILED)"
    r"|Error in Virtual User \d{1,6}:?.{0,300}|deadlock detected.{0,200}",
    *("FAILED", "Error in Virtual User", "deadlock detected"),
)
_COUNTER_STEP_S = 10
_PROCEDURE_NAMES = {
    "NEWORD": "new_order",
    "PAYMENT": "payment",
    "DELIVERY": "delivery",
    "SLEV": "stock_level",
    "OSTAT": "order_status",
}
_PROFILE_MARKS = (b"Hammerdb Time Profile Report @", b"PROC: ")
_MARKS = (b"TEST RESULT : System achieved", b"Active Virtual Users configured", b"HammerDB", b"query set(s) in")


def recognise(head: bytes, name: str) -> bool:
    """Its results, or what its virtual users say."""
    del name
    if all(mark in head for mark in _PROFILE_MARKS):
        return True
    return _MARKS[0] in head or _MARKS[1] in head or (_MARKS[2] in head and b"Vuser 1" in head) or _MARKS[3] in head


@located
def read(source: Source, options: Options) -> Imported:
    """One run per result; a log without one is a failed run."""
    drafts = map(_draft, _parts(source.lines))
    return build(sys.modules[__name__], source, options, (draft for draft in drafts if draft is not None))


def _result(line: str) -> bool:
    return bool(_RESULT.search(line) or _OLD_RESULT.search(line))


def _begins(line: str) -> bool:
    return bool(_USERS.search(line) or _RAMPUP.search(line))


def _stream(line: str) -> str:
    """Whose line it is: each user of TPROC-H is a stream of queries of its own; empty where the log does not say it."""
    match = _STREAM.search(line)
    return str(count(match)) if match else ""


def _parts(lines: Sequence[str]) -> Iterator[list[str]]:
    """A run goes from its first virtual users to what follows its result, or that of the last of its streams."""
    part: list[str] = []
    ended: set[str] = set()
    for line in lines:
        mean = bool(_GEOMETRIC.search(line))
        again = bool(mean or _QUERIES.search(line) or _RUNNING.search(line)) and _stream(line) in ended
        reported = _PROFILE.search(line) is not None and any(map(_PROFILE.search, part))
        if reported or (ended and (again or _begins(line) or _result(line))):
            yield part
            part, ended = [], set()
        if mean or _result(line):
            ended.add(_stream(line))
        part.append(line)
    yield part


def _draft(lines: Sequence[str]) -> Draft | None:
    text = "\n".join(lines)
    new, old = _RESULT.search(text), _OLD_RESULT.search(text)
    streams = _streams(lines)
    faults = [match[0].strip() for match in _FAULT.finditer(text)][:1000]
    begun = _USERS.search(text) or _RAMPUP.search(text) or _PROFILE.search(text)
    if not (new or old or streams or faults or begun):
        return None
    kind = "TPROC-H" if streams else "TPROC-C"
    draft = Draft(test="hammerdb", case=f"hammerdb {kind}", parameters={"workload": kind} | _parameters(text))
    result = (figure(new, 1), figure(new, 2), new[3]) if new else None
    if old and not new:
        result = (figure(old, 3), figure(old, 1), old[2])
    if result:
        # Base units are per second; NOPM and TPM are per minute.
        draft.rate("new_order_rate", scaled(result[0], 1 / 60))
        draft.rate("transaction_rate", scaled(result[1], 1 / 60))
        draft.parameters["database"] = result[2]
        draft.known(nopm=result[0], tpm=result[1])
    missing = _queries(draft, streams)
    _procedures(draft, lines)
    _counter(draft, lines)
    minutes = draft.parameters.get("minutes")
    draft.duration_ns = minutes * MINUTE if minutes else None
    if not draft.scores:
        draft.fail(faults[0] if faults else "the log ends before the result")
    elif faults:
        draft.partial(f"{faults[0]} ({len(faults)} such messages)" if len(faults) > 1 else faults[0])
    elif missing:
        draft.partial(f"the log ends before the results of {missing} of {len(streams)} streams")
    elif not result and kind == "TPROC-C" and (lacking := _lacking(text)):
        draft.partial(lacking)
    return draft


def _lacking(text: str) -> str:
    """What a log without a rate lacks; a report of times has none, but its last table is that of all users."""
    if not _PROFILE.search(text):
        return "the log ends before the result"
    return "" if _SUMMARY in text else "the table of all users is missing: the times are those of the last user"


def _streams(lines: Sequence[str]) -> dict[str, dict[str, float | None]]:
    """What each stream took for its queries, and their geometric mean, ns; the lines of streams alternate."""
    found: dict[str, dict[str, float | None]] = {}
    for line in lines:
        if match := _QUERIES.search(line):
            found.setdefault(_stream(line), {})["query_set_time_ns"] = figure(match, 2, SECOND)
        elif match := _GEOMETRIC.search(line):
            found.setdefault(_stream(line), {})["query_geometric_mean_ns"] = figure(match, 1, SECOND)
    return found


def _queries(draft: Draft, streams: Mapping[str, Mapping[str, float | None]]) -> int:
    """Scores of all streams together; gives how many have not both of their results.

    They ran side by side, so they are one run: it lasts as long as the slowest, and the geometric mean of means over
    equally many queries is that of all of them.
    """
    times = [time for each in streams.values() if (time := each.get("query_set_time_ns")) is not None]
    means = [mean for each in streams.values() if (mean := each.get("query_geometric_mean_ns")) is not None]
    draft.latency("query_set_time", max(times, default=None))
    if means and all(mean > 0 for mean in means):
        mean = means[0] if len(means) == 1 else math.exp(sum(map(math.log, means)) / len(means))
        draft.latency("query_geometric_mean", mean)
    if len(streams) > 1:
        draft.parameters["streams"] = len(streams)
        draft.known(streams={f"virtual user {name}" if name else "": dict(each) for name, each in streams.items()})
    return sum(len(each) < 2 for each in streams.values())


def _parameters(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    users = [count(match, match.lastindex or 1) for match in _USERS.finditer(text)]
    if users:
        # One of them only watches the others: HammerDB names the active ones.
        found["virtual_users"] = users[-1]
    for name, pattern in (("rampup_minutes", _RAMPUP), ("minutes", _TIMING), ("warehouses", _WAREHOUSES)):
        if match := pattern.search(text):
            found[name] = count(match)
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
        for match in _TIMES.finditer(line):
            if match[1] == "CALLS":
                draft.known(operations={name: figure(match, 2)})
            else:
                suffix = {"AVG": "mean", "MAX": "max"}.get(match[1], match[1].lower())
                draft.latency(f"{name}_{suffix}", time_in(match, 2, "ms"))


def _counter(draft: Draft, lines: Sequence[str]) -> None:
    """The transaction counter prints the rate per minute every ten seconds."""
    rates = [figure(match, 1, 1 / 60) for line in lines if (match := _COUNTER.match(line)) is not None]
    if rates:
        times = [float(index * _COUNTER_STEP_S * SECOND) for index in range(len(rates))]
        draft.series(times, {"transaction_rate": ("1/s", rates)})
