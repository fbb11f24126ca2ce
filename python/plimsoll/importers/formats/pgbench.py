"""pgbench's summary and progress lines of all versions."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from plimsoll.importers.draft import Draft
from plimsoll.importers.numbers import FIELD, count, figure, located
from plimsoll.importers.record import build
from plimsoll.importers.sought import Sought
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.units import MILLISECOND, SECOND

NAME = "pgbench"
TITLE = "pgbench output"
TOOLS = ("pgbench",)

_TPS = Sought(rf"\btps = {FIELD} \(([a-z ]{{1,60}})\)", "tps = ")
_PROGRESS = Sought(rf"\bprogress: {FIELD} s, {FIELD} tps, lat {FIELD} ms", " tps, lat ")
_PROGRESS_MARK = re.compile(rb"\bprogress: [\d.]{1,20} s, [\d.]{1,20} tps, lat ")
_SETTINGS = {
    "transaction_type": Sought(r"^(?:\S.{0,80}: )?transaction type: (.{1,200})$", "transaction type: "),
    "scale": Sought(rf"\bscaling factor: {FIELD}", "scaling factor: "),
    "query_mode": Sought(r"\bquery mode: (\w{1,20})", "query mode: "),
    "clients": Sought(rf"\bnumber of clients: {FIELD}", "number of clients: "),
    "threads": Sought(rf"\bnumber of threads: {FIELD}", "number of threads: "),
    "duration_s": Sought(rf"\bduration: {FIELD} s", "duration: "),
    "transactions_per_client": Sought(
        rf"\bnumber of transactions per client: {FIELD}", "number of transactions per client: "
    ),
    "max_tries": Sought(rf"\bmaximum number of tries: {FIELD}", "maximum number of tries: "),
}
_PROCESSED = Sought(
    rf"\bnumber of transactions actually processed: {FIELD}(?:/{FIELD})?", "number of transactions actually processed: "
)
_FAILED = Sought(rf"\bnumber of failed transactions: {FIELD}", "number of failed transactions: ")
_SKIPPED = Sought(rf"\bnumber of transactions skipped: {FIELD}", "number of transactions skipped: ")
_LATENCY = Sought(rf"\blatency (average|stddev)[ \t]*[:=][ \t]*{FIELD} ms", "latency average", "latency stddev")
_CONNECT = Sought(rf"\binitial connection time = {FIELD} ms", "initial connection time = ")
_LAG = Sought(rf"\brate limit schedule lag: avg {FIELD} \(max {FIELD}\) ms", "rate limit schedule lag: ")
_ABORTED = Sought(
    r"\b(Run was aborted[^\n]{0,200}|pgbench: (?:error|fatal): [^\n]{0,300}"
    r"|client \d{1,9} (?:aborted|script \d{1,9} aborted)[^\n]{0,300})",
    *(" aborted", "pgbench: error: ", "pgbench: fatal: "),
)
_BUILTIN = re.compile(r"^<builtin: (.*)>$")
_COMMAND = Sought(r"^[^\n]{0,200}?\bpgbench[ \t]([^\n]{1,2000})$", "pgbench ", "pgbench\t")
_RATE = re.compile(rf"(?:^|\s)(?:-R[ \t]*|--rate[= \t]){FIELD}(?=\s|$)")
_TEXT_SETTINGS = ("transaction_type", "query_mode")


def recognise(head: bytes, name: str) -> bool:
    """The heading of a summary, or progress lines."""
    del name
    if b"transaction type: " in head and b"number of clients: " in head:
        return True
    return b" tps, lat " in head and _PROGRESS_MARK.search(head) is not None


@located
def read(source: Source, options: Options) -> Imported:
    """One run per summary; progress lines belong to the summary that follows them."""
    drafts = (draft for lines in _parts(source.lines) if (draft := _draft("\n".join(lines))) is not None)
    return build(sys.modules[__name__], source, options, drafts)


def _parts(lines: Sequence[str]) -> Iterator[list[str]]:
    part: list[str] = []
    ended = False
    for line in lines:
        begins = "transaction type: " in line or line.lstrip().startswith("progress: ") or _asks_for_rate(line)
        if begins and ended:
            yield part
            part, ended = [], False
        ended = ended or _TPS.search(line) is not None
        part.append(line)
    yield part


def _asks_for_rate(line: str) -> bool:
    """An echoed command belongs to the run that follows it."""
    return "pgbench " in line and (command := _COMMAND.search(line)) is not None and bool(_RATE.search(command[1]))


def _draft(text: str) -> Draft | None:
    parameters = _parameters(text)
    kind = str(parameters.get("transaction_type", "progress"))
    draft = Draft(test="pgbench", case=f"pgbench {kind}", parameters=parameters)
    draft.in_flight = parameters.get("clients")
    for match in _TPS.finditer(text):
        # Without the time of connecting is what all versions can say and what people cite.
        including = match[2].startswith("including")
        draft.rate("transaction_rate_with_connections" if including else "transaction_rate", figure(match))
    for match in _LATENCY.finditer(text):
        if match[1] == "average":
            draft.latency("transaction_mean", figure(match, 2, MILLISECOND))
        else:
            draft.known(latency_stddev_ns=figure(match, 2, MILLISECOND))
    if lag := _LAG.search(text):
        draft.latency("schedule_lag_mean", figure(lag, 1, MILLISECOND))
        draft.latency("schedule_lag_max", figure(lag, 2, MILLISECOND))
    if connecting := _CONNECT.search(text):
        draft.known(initial_connection_time_ns=figure(connecting, 1, MILLISECOND))
    _progress(draft, text)
    if not draft.scores:
        return None
    seconds = parameters.get("duration_s")
    draft.duration_ns = seconds * SECOND if seconds else draft.duration_ns
    _errors(draft, text)
    return draft


def _parameters(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, pattern in _SETTINGS.items():
        if match := pattern.search(text):
            found[name] = match[1].strip() if name in _TEXT_SETTINGS else count(match)
    # pgbench does not print the rate that it was asked for; a shell that echoes its commands does.
    commands = (_RATE.search(match[1]) for match in _COMMAND.finditer(text))
    if rate := next((match for match in commands if match), None):
        found["rate"] = figure(rate)
    if "transaction_type" in found:
        # Version 9.6 began to write the same script as <builtin: …>.
        found["transaction_type"] = _BUILTIN.sub(r"\1", found["transaction_type"])
    return found


def _progress(draft: Draft, text: str) -> None:
    """The time series; without a summary its mean stands for the run."""
    found = list(_PROGRESS.finditer(text))[:200_000]
    if not found:
        return
    times = [figure(match, 1, SECOND) or 0.0 for match in found]
    rates = [figure(match, 2) or 0.0 for match in found]
    # pgbench writes NaN where no transaction ended in a second.
    means = [None if match[3] == "NaN" else figure(match, 3, MILLISECOND) for match in found]
    draft.series(times, {"transaction_rate": ("1/s", rates), "transaction_mean": ("ns", means)})
    if "transaction_rate" in draft.scores or "transaction_rate_with_connections" in draft.scores:
        return
    lengths = [max(after - before, 0.0) for before, after in zip([0.0, *times], times, strict=False)]
    weighted = [rate * length for rate, length in zip(rates, lengths, strict=True)]
    if sum(lengths) > 0:
        draft.rate("transaction_rate", sum(weighted) / sum(lengths))
        draft.duration_ns = times[-1]
    draft.partial("there are only progress lines; the summary of pgbench is in another file")


def _errors(draft: Draft, text: str) -> None:
    done, failed, skipped = _PROCESSED.search(text), _FAILED.search(text), _SKIPPED.search(text)
    processed = figure(done) if done else None
    draft.known(operations={"transaction": processed} if processed is not None else {})
    if failed and processed is not None:
        lost = figure(failed) or 0.0
        draft.errors(lost, processed + lost, "transactions")
    if done and done[2] and count(done) < count(done, 2):
        draft.partial(f"only {done[1]} of {done[2]} transactions were processed")
    if skipped and figure(skipped):
        draft.warn("skipped", f"transactions that were skipped because they were too late already: {skipped[1]}")
    if match := _ABORTED.search(text):
        draft.partial(match[1].strip())
