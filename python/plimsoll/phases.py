"""What file-system tests found, phase by phase, as runs keep it (`facts["results"]`): scores, and what memory answered.

The originals print their scores in units of their own; a score keeps its base unit, and this module is the one place
that knows both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, FiniteFloat, TypeAdapter, ValidationError

from plimsoll.model import Direction, Run, Score, Unit
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


class _Part(BaseModel):
    """Read from the facts of a run, which may come from somebody else's file; what is not known is ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


class Number(_Part):
    """One number of a phase, as the original prints it."""

    name: str
    value: FiniteFloat
    unit: str
    better: Direction


class Totals(_Part):
    """All calls of one kind."""

    bytes: int


class Point(_Part):
    """A part of a phase: where it begins (bytes, or a running number), and what it moved in which time."""

    position: int
    bytes: int
    elapsed_ns: int


class Phase(_Part):
    """One measured phase (`PhaseResult` of `crates/files/src/outcome.rs`)."""

    name: str
    start_ns: int
    elapsed_ns: int
    scores: tuple[Number, ...]
    """The first is the original's own."""
    kinds: dict[str, Totals]
    cold: str = ""
    """What was dropped from the page cache before it: `no`, `files`, `system`."""
    points: tuple[Point, ...] = ()

    @property
    def read_bytes(self) -> int:
        """Bytes that its calls read."""
        return self._bytes(("read",))

    @property
    def written_bytes(self) -> int:
        """Bytes that its calls wrote."""
        return self._bytes(("write", "append"))

    def _bytes(self, kinds: tuple[str, ...]) -> int:
        return sum(self.kinds[kind].bytes for kind in kinds if kind in self.kinds)


_PHASES = TypeAdapter(tuple[Phase, ...], config=ConfigDict(defer_build=True))


def phases(facts: Mapping[str, Any]) -> tuple[Phase, ...]:
    """The phases in the facts or in the outcome of a run; none where there are none that make sense."""
    try:
        return _PHASES.validate_python(facts.get("results", ()))
    except ValidationError:
        return ()


@dataclass(frozen=True)
class PhaseScore:
    """One number of one phase, with the score of the run that it is."""

    phase: Phase
    number: Number
    score: Score


def phase_scores(found: Sequence[Phase]) -> Iterator[PhaseScore]:
    """Every number of every phase."""
    for phase in found:
        for number in phase.scores:
            unit, factor = _UNITS.get(number.unit, ("1/s", 1))
            metric = f"{phase.name}_{number.name}" if len(found) > 1 else number.name
            score = Score(metric=metric, value=number.value * factor, unit=unit, direction=number.better)
            yield PhaseScore(phase, number, score)


def memory_metrics(run: Run) -> frozenset[str]:
    """The metrics of a run that tell of memory and not of the disk, as its guard saw it."""
    shares = next((finding.values for finding in run.findings if finding.guard == MEMORY_GUARD), {})
    return metrics_of_memory(run.facts, shares)


def metrics_of_memory(facts: Mapping[str, Any], shares: Mapping[str, float]) -> frozenset[str]:
    """The same from the facts of a run and the values of its memory guard.

    What a test timed to the end of a sync tells of the disk in any case.
    """
    names = {phase for phase, share in shares.items() if share < REACHED}
    if not names:
        return frozenset()
    return frozenset(
        each.score.metric
        for each in phase_scores(phases(facts))
        if each.phase.name in names
        and not each.number.name.endswith("with_fsync")
        and each.score.unit in ("B/s", "1/s", "ns")
    )
