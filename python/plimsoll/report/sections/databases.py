"""Database tests: each kind of operation with its latencies, what failed, and the settings of the servers."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll import outages
from plimsoll.model import Run
from plimsoll.report.document import Block, Cell, Column, Table, columns, number, phrase
from plimsoll.report.evidence import Evidence
from plimsoll.stats.histogram import merge
from plimsoll.units import SECOND

ORDER = 24
TITLE = "Databases"
SHORT = True

_QUANTILES = (50, 95, 99, 99.9)
_BRIEF = ("case", "target", "operation", "per_second", "p50", "p99", "errors")
_OUTAGES = (
    "Case",
    "Target",
    ">Block",
    "Run",
    ">Began",
    ">Times",
    ">Without service",
    ">Old rate again",
    ">Writes lost",
)
_BRIEF_OUTAGES = ("case", "target", "run", "began", "without_service", "old_rate_again", "writes_lost")
_OUTAGE_NOTES = (
    "Began: in the measured time; below zero, in the warm-up. Old rate again: from the start of the outage to the "
    "first interval at 90 % of the median rate before it. Writes lost: acknowledged rows that were not there after the "
    "run, at least; counted with fault=expected, where the server answered again.",
)
_NOTES = (
    "All valid runs together; percentiles come from their summed histograms. Parts of a transaction or of a "
    "read-modify-write stand below the whole. Response times of a test with a rate count from the intended start; "
    "`service` counts from the real one.",
)


def build(evidence: Evidence) -> list[Block]:
    """The operations of every case and target, and the servers side by side."""
    runs = [run for run in evidence.runs if "server" in run.facts and "whole" in run.facts]
    if not runs:
        return []
    rows = [
        row
        for case in evidence.cases
        for name in evidence.targets
        for row in _operations(case, name, [run for run in evidence.runs_of(case, name) if "whole" in run.facts])
    ]
    heads = ("Case", "Target", "Operation", ">Per second", ">p50", ">p95", ">p99", ">p99.9", ">Errors", ">Not found")
    blocks: list[Block] = [Table("Operations", columns(*heads), tuple(rows), _NOTES, _BRIEF)] if rows else []
    away = tuple(row for case in evidence.cases for row in _outages(case, evidence))
    if away:
        blocks.append(Table("Outages", columns(*_OUTAGES), away, _OUTAGE_NOTES, _BRIEF_OUTAGES))
    return [*blocks, *_servers(evidence, runs)]


def _outages(case: str, evidence: Evidence) -> Iterator[tuple[Cell, ...]]:
    """Of every run in which the server was away, valid or not."""
    for run in evidence.runs:
        if run.plan.case != case or not (seen := outages.outages(run.facts)):
            continue
        recovery, lost = outages.recovery_ns(run.facts, run.intervals), outages.writes_lost(run.facts)
        yield (
            phrase(case),
            phrase(run.target.name),
            number(float(run.block + 1), "1"),
            phrase(run.status.value),
            number(float(seen[0]["start_ns"]), "ns"),
            number(float(len(seen)), "1"),
            number(float(outages.without_service_ns(run.facts)), "ns"),
            number(None if recovery is None else float(recovery), "ns"),
            number(None if lost is None else float(lost), "1"),
        )


def _operations(case: str, target: str, runs: list[Run]) -> Iterator[tuple[Cell, ...]]:
    if not runs:
        return
    elapsed_ns = sum(int(run.facts["elapsed_ns"]) for run in runs)
    for kind in dict.fromkeys(name for run in runs for name in run.histograms):
        decoded = merge([run.histograms[kind] for run in runs if kind in run.histograms])
        if not decoded.count:
            continue
        errors = sum(sum(run.facts["errors"].get(kind, {}).values()) for run in runs)
        missing = sum(run.facts["not_found"].get(kind, 0) for run in runs)
        latencies = (decoded.percentile(percent) for percent in _QUANTILES)
        yield (
            phrase(case),
            phrase(target),
            phrase(kind.replace("_", " ")),
            number(decoded.count * SECOND / max(1, elapsed_ns), "1/s"),
            *(None if value is None else number(float(value), "ns") for value in latencies),
            number(float(errors), "1", f"{errors:,}"),
            number(float(missing), "1", f"{missing:,}"),
        )


def _servers(evidence: Evidence, runs: list[Run]) -> Iterator[Table]:
    """What each server said of itself when the last run of a target connected: what differs, then what all share."""
    latest: dict[str, dict[str, str]] = {}
    for run in runs:
        latest.setdefault(run.target.name, {}).update(run.facts["server"])
    names = [name for name in evidence.targets if name in latest]
    settings = list(dict.fromkeys(setting for name in names for setting in latest[name]))
    heads = (Column("setting", "Setting"), *(Column(f"value_{i}", name) for i, name in enumerate(names)))
    differ = [each for each in settings if len({latest[name].get(each) for name in names}) > 1]
    common = [each for each in settings if each not in differ]
    for caption, chosen, short in (("Servers: settings that differ", differ, True), ("Servers", common, False)):
        if chosen:
            rows = tuple(
                (phrase(each), *(phrase(latest[name][each]) if each in latest[name] else None for name in names))
                for each in chosen
            )
            yield Table(caption, heads, rows, short=short)
