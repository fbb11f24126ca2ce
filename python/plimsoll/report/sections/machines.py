"""What each machine did in runs that many made together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plimsoll.model import Run
from plimsoll.report.document import Block, Cell, Table, columns, number, phrase, text
from plimsoll.report.evidence import Evidence
from plimsoll.report.labels import percent_text

ORDER = 65
TITLE = "Machines"

MOST_RUNS = 40
_NOTES = (
    "Begin and end: since the first start, on the coordinator's clock. Share: of all operations of the run; equal "
    "machines with equal parts have equal shares. Client CPU: the busiest thread, or all "
    "threads as a share of all processors, whichever is more.",
)


def build(evidence: Evidence) -> list[Block]:
    """A row per run and worker; nothing where every run was made by one machine."""
    together = [run for run in evidence.valid if isinstance(run.facts.get("parts"), Mapping)]
    if not together:
        return []
    rows = tuple(row for run in together[:MOST_RUNS] for row in _rows(run))
    heads = columns(
        "Case", "Target", ">Block", "Machine", ">Begin", ">End", ">Operations", ">Operations/s", ">Share", ">Client CPU"
    )
    words = "These runs were made by several machines at once; their counts and histograms are added."
    if len(together) > MOST_RUNS:
        words += f" Shown are the first {MOST_RUNS} of {len(together)} runs."
    return [text(words), Table("Every machine's part", heads, rows, _NOTES)]


def _rows(run: Run) -> list[tuple[Cell, ...]]:
    parts = {name: part for name, part in run.facts["parts"].items() if isinstance(part, Mapping)}
    whole = sum(_known(part, "operations") or 0 for part in parts.values())
    head = (phrase(run.plan.case), phrase(run.target.name), number(run.block + 1, "1"))
    return [(*head, phrase(name), *_part(part, whole)) for name, part in parts.items()]


def _part(part: Mapping[str, Any], whole: float) -> tuple[Cell, ...]:
    done = _known(part, "operations")
    used = [known for share in ("busiest_thread", "all_processors") if (known := _known(part, share)) is not None]
    share = None if done is None or not whole else done / whole
    return (
        number(_known(part, "started_ns"), "ns"),
        number(_known(part, "ended_ns"), "ns"),
        number(done, "1"),
        number(_known(part, "operations_per_s"), "1/s"),
        None if share is None else number(share, "1", percent_text(round(share, 3))),
        number(max(used), "1", percent_text(round(max(used), 2))) if used else None,
    )


def _known(part: Mapping[str, Any], name: str) -> float | None:
    """A number of a part; None where a result file holds something else."""
    value = part.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
