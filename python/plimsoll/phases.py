"""What file-system tests found, phase by phase, as runs keep it (`facts["results"]`): scores, and what memory answered.

The originals print their scores in units of their own; a score keeps its base unit, and this module is the one place
that knows both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from plimsoll.model import Run, Score, Unit
from plimsoll.units import KIB, MIB, MICROSECOND, MILLISECOND, SECOND

MEMORY_GUARD = "memory_answer"
"""The guard whose values are, by phase, the share of its bytes that reached the device in its time."""
REACHED = 0.5
"""Below this share a phase measured memory."""

_UNITS: Mapping[str, tuple[Unit, float]] = {
    "KiB/s": ("B/s", KIB),
    "MiB/s": ("B/s", MIB),
    "MB/s": ("B/s", 1e6),
    "MiB": ("B", MIB),
    "s": ("ns", SECOND),
    "ms": ("ns", MILLISECOND),
    "µs": ("ns", MICROSECOND),
    "1": ("1", 1),
}
"""Base unit and factor of the originals' units; anything else per second counts operations."""
_READING = ("read",)
_WRITING = ("write", "append")


@dataclass(frozen=True)
class PhaseScore:
    """One number of one phase: as a score of the run, and as the original prints it."""

    phase: str
    name: str
    score: Score
    value: float
    unit: str


def phase_scores(results: Any) -> Iterator[PhaseScore]:
    """Every number of every phase; the first of a phase is the original's own. Nothing for what is no such list."""
    found = [each for each in results if isinstance(each, Mapping)] if isinstance(results, list) else []
    for result in found:
        for score in result.get("scores", ()):
            unit, factor = _UNITS.get(score["unit"], ("1/s", 1))
            metric = f"{result['name']}_{score['name']}" if len(found) > 1 else score["name"]
            yield PhaseScore(
                result["name"],
                score["name"],
                Score(metric=metric, value=score["value"] * factor, unit=unit, direction=score["better"]),
                score["value"],
                score["unit"],
            )


def moved_bytes(result: Mapping[str, Any]) -> tuple[int, int]:
    """Bytes that the calls of a phase read and wrote."""
    kinds = result["kinds"]
    read, written = (sum(kinds[kind]["bytes"] for kind in group if kind in kinds) for group in (_READING, _WRITING))
    return read, written


def memory_metrics(run: Run) -> frozenset[str]:
    """The metrics of a run that tell of memory and not of the disk, as its guard saw it.

    What a test timed to the end of a sync tells of the disk in any case.
    """
    shares = next((finding.values for finding in run.findings if finding.guard == MEMORY_GUARD), {})
    phases = {phase for phase, share in shares.items() if share < REACHED}
    found = {
        each.score.metric
        for each in phase_scores(run.facts.get("results"))
        if each.phase in phases and not each.name.endswith("with_fsync") and each.score.unit in ("B/s", "1/s", "ns")
    }
    return frozenset(found)
