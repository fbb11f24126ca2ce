"""One test on one target over time: a point per session, and where the level changed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

import numpy as np

from plimsoll.identity import changes, told_apart
from plimsoll.model import RunStatus
from plimsoll.stats.changepoints import merged, penalty, segment_ends
from plimsoll.stats.repeats import Kind
from plimsoll.stats.student_t import FloatArray
from plimsoll.stats.summary import split
from plimsoll.store.search import Point

FEWEST_SESSIONS = 6
"""With fewer sessions a change cannot be told from noise."""

SHORTEST_LEVEL = 3
SAME_LEVEL = math.log(1.05)
"""Levels that differ less than this are one."""

SMALLEST_NOISE = 0.005
_UNTOLD = (Kind.STEP, Kind.TREND, Kind.GROUPS)
"""A session whose runs show one of these has no median; a first run that differs hardly moves one."""


@dataclass(frozen=True)
class Session:
    """The runs of one session: median, lowest and highest valid score; None where there is no valid one.

    Runs without a common score have no median.
    """

    id: str
    host: str
    started_ns: int
    value: float | None
    low: float | None
    high: float | None
    runs: int
    valid: int
    levels: tuple[float, ...] = ()
    """The scores before and after a step inside the session: `value` is None then."""
    pattern: str = ""
    """Why its runs have no common score, and `value` is None: step, trend, two groups, …."""
    place: int = 0
    """Number of the place, from 0: one name can stand for several."""
    event: str = ""
    """What is another place than in the session before: `file system changed from ext4 to tmpfs`."""


@dataclass(frozen=True)
class Level:
    """Sessions `first` to `last` (places in their list, both included) that lie around `value`."""

    first: int
    last: int
    value: float

    @property
    def sessions(self) -> int:
        """How many sessions it holds."""
        return self.last - self.first + 1


def by_session(points: Sequence[Point]) -> list[Session]:
    """One entry per session, in the order in which they began; of each block the first valid attempt counts."""
    groups: dict[str, list[Point]] = {}
    for point in points:
        groups.setdefault(point.session_id, []).append(point)
    return [_session(group) for group in groups.values()]


def _session(group: list[Point]) -> Session:
    first: dict[int, float] = {}
    for point in sorted(group, key=lambda each: (each.block, each.attempt)):
        if point.status == RunStatus.OK and point.value is not None and point.value > 0:
            first.setdefault(point.block, point.value)
    values = list(first.values())
    untold = split(values, kinds=_UNTOLD) if values else None
    return Session(
        id=group[0].session_id,
        host=group[0].host,
        started_ns=min(point.started_ns for point in group),
        value=median(values) if values and untold is None else None,
        low=min(values, default=None),
        high=max(values, default=None),
        runs=len(group),
        valid=len(values),
        levels=tuple(level.value for level in untold.levels) if untold else (),
        pattern=untold.kind.value if untold else "",
    )


def placed(sessions: Sequence[Session], facts: Mapping[str, Mapping[str, str]]) -> list[Session]:
    """The sessions with their places; `facts` are those that identify the place of each session."""
    known = [facts.get(each.id, {}) for each in sessions]
    groups = told_apart(known)
    merged: dict[int, dict[str, str]] = {}
    for group, each in zip(groups, known, strict=True):
        merged[group] = {**each, **merged.get(group, {})}
    found = [replace(each, place=group) for each, group in zip(sessions, groups, strict=True)]
    for index, (before, after) in enumerate(pairwise(groups), 1):
        if before != after:
            told = ", ".join(changes(merged[before], merged[after]))
            found[index] = replace(
                found[index], event=told or "another place: what is known of both does not tell which"
            )
    return found


def levels(sessions: Sequence[Session]) -> list[Level]:
    """The levels of the sessions with a value: PELT on the logarithms; a single level where nothing changed.

    Another place begins another level, whatever its scores: levels are looked for in each stretch of sessions on one
    place. Indices count in `sessions`. A stretch with fewer than FEWEST_SESSIONS values has none.
    """
    starts = [0, *(index for index, each in enumerate(sessions) if each.event), len(sessions)]
    return [
        Level(start + level.first, start + level.last, level.value)
        for start, end in pairwise(starts)
        for level in _levels_of_place(sessions[start:end])
    ]


def _levels_of_place(sessions: Sequence[Session]) -> list[Level]:
    places = [place for place, each in enumerate(sessions) if each.value is not None]
    if len(places) < FEWEST_SESSIONS:
        return []
    logs = np.log(np.array([sessions[place].value for place in places], dtype=np.float64))
    steady = _without_outliers(logs)
    ends = segment_ends(steady, penalty(steady, _noise(logs) ** 2), SHORTEST_LEVEL)
    ends = merged(steady, ends, SAME_LEVEL)
    return [
        Level(places[start], places[end - 1], math.exp(float(np.median(logs[start:end]))))
        for start, end in pairwise([0, *ends])
    ]


def _without_outliers(values: FloatArray) -> FloatArray:
    """Running medians of three: one odd session is no level, and a level that stays keeps its edge."""
    middle = np.median(np.stack([values[:-2], values[1:-1], values[2:]]), axis=0)
    return np.concatenate([middle[:1], middle, middle[-1:]])


def _noise(values: FloatArray) -> float:
    """Standard deviation from session to session, from the median step: neither changes nor odd sessions move it."""
    steps = np.abs(np.diff(values))
    return max(SMALLEST_NOISE, float(np.median(steps)) * 1.4826 / math.sqrt(2))
