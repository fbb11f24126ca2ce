"""pgbench's summary and progress lines of all versions."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from plimsoll.importers.draft import Draft
from plimsoll.importers.quantities import number, scaled
from plimsoll.importers.record import build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.units import MILLISECOND, SECOND

NAME = "pgbench"
TITLE = "pgbench output"
TOOLS = ("pgbench",)

_TPS = re.compile(r"\btps = ([\d.]{1,30}) \(([a-z ]{1,60})\)")
_PROGRESS = re.compile(r"\bprogress: ([\d.]{1,20}) s, ([\d.]{1,20}) tps, lat ([\d.]{1,20}|NaN) ms")
_SETTINGS = {
    "transaction_type": re.compile(r"^(?:\S.{0,80}: )?transaction type: (.{1,200})$", re.MULTILINE),
    "scale": re.compile(r"\bscaling factor: (\d{1,9})"),
    "query_mode": re.compile(r"\bquery mode: (\w{1,20})"),
    "clients": re.compile(r"\bnumber of clients: (\d{1,6})"),
    "threads": re.compile(r"\bnumber of threads: (\d{1,6})"),
    "duration_s": re.compile(r"\bduration: (\d{1,9}) s"),
    "transactions_per_client": re.compile(r"\bnumber of transactions per client: (\d{1,12})"),
    "max_tries": re.compile(r"\bmaximum number of tries: (\d{1,9})"),
}
_PROCESSED = re.compile(r"\bnumber of transactions actually processed: (\d{1,15})(?:/(\d{1,15}))?")
_FAILED = re.compile(r"\bnumber of failed transactions: (\d{1,15})")
_SKIPPED = re.compile(r"\bnumber of transactions skipped: (\d{1,15})")
_LATENCY = re.compile(r"\blatency (average|stddev)\s*[:=]\s*([\d.]{1,20}) ms")
_CONNECT = re.compile(r"\binitial connection time = ([\d.]{1,20}) ms")
_LAG = re.compile(r"\brate limit schedule lag: avg ([\d.]{1,20}) \(max ([\d.]{1,20})\) ms")
_ABORTED = re.compile(
    r"\b(Run was aborted[^\n]{0,200}|pgbench: (?:error|fatal): [^\n]{0,300}"
    r"|client \d+ (?:aborted|script \d+ aborted)[^\n]{0,300})"
)
_BUILTIN = re.compile(r"^<builtin: (.*)>$")
_TEXT_SETTINGS = ("transaction_type", "query_mode")


def recognise(head: bytes, name: str) -> bool:
    """The heading of a summary, or progress lines."""
    del name
    summary = b"transaction type: " in head and b"number of clients: " in head
    return summary or re.search(rb"\bprogress: [\d.]{1,20} s, [\d.]{1,20} tps, lat ", head) is not None


def read(source: Source, options: Options) -> Imported:
    """One run per summary; progress lines belong to the summary that follows them."""
    drafts = (draft for lines in _parts(source.lines) if (draft := _draft("\n".join(lines))) is not None)
    return build(sys.modules[__name__], source, options, drafts)


def _parts(lines: Sequence[str]) -> Iterator[list[str]]:
    part: list[str] = []
    ended = False
    for line in lines:
        begins = "transaction type: " in line or line.lstrip().startswith("progress: ")
        if begins and ended:
            yield part
            part, ended = [], False
        ended = ended or _TPS.search(line) is not None
        part.append(line)
    yield part


def _draft(text: str) -> Draft | None:
    parameters = _parameters(text)
    kind = str(parameters.get("transaction_type", "progress"))
    draft = Draft(test="pgbench", case=f"pgbench {kind}", parameters=parameters)
    draft.in_flight = number(parameters.get("clients"))
    for match in _TPS.finditer(text):
        # Without the time of connecting is what all versions can say and what people cite.
        including = match[2].startswith("including")
        draft.rate("transaction_rate_with_connections" if including else "transaction_rate", number(match[1]))
    for match in _LATENCY.finditer(text):
        if match[1] == "average":
            draft.latency("transaction_mean", scaled(match[2], MILLISECOND))
        else:
            draft.known(latency_stddev_ns=scaled(match[2], MILLISECOND))
    if lag := _LAG.search(text):
        draft.latency("schedule_lag_mean", scaled(lag[1], MILLISECOND))
        draft.latency("schedule_lag_max", scaled(lag[2], MILLISECOND))
    if connecting := _CONNECT.search(text):
        draft.known(initial_connection_time_ns=scaled(connecting[1], MILLISECOND))
    _progress(draft, text)
    if not draft.scores:
        return None
    seconds = number(parameters.get("duration_s"))
    draft.duration_ns = seconds * SECOND if seconds else draft.duration_ns
    _errors(draft, text)
    return draft


def _parameters(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, pattern in _SETTINGS.items():
        if match := pattern.search(text):
            found[name] = match[1].strip() if name in _TEXT_SETTINGS else int(match[1])
    if "transaction_type" in found:
        # Version 9.6 began to write the same script as <builtin: …>.
        found["transaction_type"] = _BUILTIN.sub(r"\1", found["transaction_type"])
    return found


def _progress(draft: Draft, text: str) -> None:
    """The time series; without a summary its mean stands for the run."""
    found = list(_PROGRESS.finditer(text))[:200_000]
    if not found:
        return
    times = [(number(match[1]) or 0.0) * SECOND for match in found]
    rates = [number(match[2]) for match in found]
    means = [scaled(match[3], MILLISECOND) for match in found]
    draft.series(times, {"transaction_rate": ("1/s", rates), "transaction_mean": ("ns", means)})
    if "transaction_rate" in draft.scores or "transaction_rate_with_connections" in draft.scores:
        return
    lengths = [max(after - before, 0.0) for before, after in zip([0.0, *times], times, strict=False)]
    weighted = [rate * length for rate, length in zip(rates, lengths, strict=True) if rate is not None]
    if sum(lengths) > 0:
        draft.rate("transaction_rate", sum(weighted) / sum(lengths))
        draft.duration_ns = times[-1]
    draft.partial("there are only progress lines; the summary of pgbench is in another file")


def _errors(draft: Draft, text: str) -> None:
    done, failed, skipped = _PROCESSED.search(text), _FAILED.search(text), _SKIPPED.search(text)
    processed = number(done[1]) if done else None
    draft.known(operations={"transaction": processed} if processed is not None else {})
    if failed and processed is not None:
        lost = number(failed[1]) or 0.0
        draft.errors(lost, processed + lost, "transactions")
    if done and done[2] and int(done[1]) < int(done[2]):
        draft.partial(f"only {done[1]} of {done[2]} transactions were processed")
    if skipped and number(skipped[1]):
        draft.warn("skipped", f"transactions that were skipped because they were too late already: {skipped[1]}")
    if match := _ABORTED.search(text):
        draft.partial(match[1].strip())
