"""The repeated scores of one metric on one target as their runs ran, and whether they are one thing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from plimsoll.model import Run, Session, Unit
from plimsoll.stats.repeats import Pattern, patterns


@dataclass(frozen=True)
class Repeated:
    """Scores above zero, one per valid run."""

    values: tuple[float, ...]
    runs: tuple[Run, ...]
    """The run of each value."""
    ordered: bool
    """Whether it is known in which order they ran."""
    in_turns: bool
    """Whether they were interleaved with other targets."""
    unit: Unit

    @cached_property
    def patterns(self) -> tuple[Pattern, ...]:
        """In which ways they are not repetitions of one thing."""
        return patterns(self.values, ordered=self.ordered, unit=self.unit) if self.values else ()


def repeated(runs: Sequence[Run], metric: str, unit: Unit, sessions: Mapping[str, Session]) -> Repeated:
    """Of the valid runs of one case on one target; the first valid attempt of each block counts."""
    named = list(dict.fromkeys(run.session_id for run in runs))
    place = {name: index for index, name in enumerate(named)}
    first: dict[tuple[str, int], tuple[float, Run]] = {}
    # Runs without a time are in no order, but those of one file are numbered as they stood in it.
    for run in sorted(runs, key=lambda run: (place[run.session_id], run.block, run.attempt)):
        values = [score.value for score in run.scores if score.metric == metric]
        if values and 0 < values[0] < math.inf:
            first.setdefault((run.session_id, run.block), (values[0], run))
    known = [sessions[name] for name in named if name in sessions]
    return Repeated(
        values=tuple(value for value, _ in first.values()),
        runs=tuple(run for _, run in first.values()),
        ordered=len(named) < 2 or all(each.started_ns > 0 or each.interleaved for each in known),
        in_turns=all(each.interleaved for each in known),
        unit=unit,
    )
