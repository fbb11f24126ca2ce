"""One test on one target over time: a point per session, and where the level changed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

import numpy as np

from plimsoll.identity import changes, told_apart
from plimsoll.report.sections.environment import time_text
from plimsoll.stats.changepoints import merged, penalty, segment_ends
from plimsoll.stats.repeats import PatternKind
from plimsoll.stats.student_t import FloatArray
from plimsoll.stats.summary import split
from plimsoll.store.histories import SessionScores

FEWEST_SESSIONS = 6
"""With fewer sessions a change cannot be told from noise."""

SHORTEST_LEVEL = 3
SAME_LEVEL = math.log(1.05)
"""Levels that differ less than this are one."""

SMALLEST_NOISE = 0.005
MOST_DRAWN = 200
"""Of more sessions a picture shows groups."""

MOST_GROUPS = 100
_UNTOLD = (PatternKind.STEP, PatternKind.TREND, PatternKind.GROUPS)
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
    name: str = ""
    """What the target was called."""
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


def day_of(session: Session) -> str:
    """The day on which it began: `2026-11-20`."""
    return time_text(session.started_ns or None)[:10]


def of_scores(found: SessionScores) -> Session:
    """A session from its scores; of each block the first valid attempt counts."""
    first: dict[int, float] = {}
    for each in sorted(found.scores):
        first.setdefault(each.block, each.value)
    values = list(first.values())
    untold = split(values, kinds=_UNTOLD) if values else None
    return Session(
        id=found.session_id,
        host=found.host,
        started_ns=found.started_ns,
        value=median(values) if values and untold is None else None,
        low=min(values, default=None),
        high=max(values, default=None),
        runs=found.runs,
        valid=len(values),
        levels=tuple(level.value for level in untold.levels) if untold else (),
        pattern=untold.kind.value if untold else "",
    )


def placed(
    sessions: Sequence[Session], facts: Mapping[str, Mapping[str, str]], names: Mapping[str, str] | None = None
) -> list[Session]:
    """The sessions with their places and the names of their targets.

    `facts` are those that identify the place of each session.
    """
    called = names or {}
    known = [facts.get(each.id, {}) for each in sessions]
    # Thousands of sessions share a few places.
    distinct = {tuple(sorted(each.items())): each for each in known}
    places = dict(zip(distinct, told_apart(list(distinct.values())), strict=True))
    groups = [places[tuple(sorted(each.items()))] for each in known]
    merged: dict[int, dict[str, str]] = {}
    for key, each in distinct.items():
        merged[places[key]] = {**each, **merged.get(places[key], {})}
    found = [
        replace(each, place=group, name=called.get(each.id, "")) if group or each.id in called else each
        for each, group in zip(sessions, groups, strict=True)
    ]
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


def condensed(sessions: Sequence[Session], levels: Sequence[Level]) -> tuple[list[Session], list[Level]]:
    """The same in at most MOST_GROUPS or so groups of neighbours, for a picture in which they can be told apart.

    A group has the median of its sessions and the span of all their runs. It lies in one place and one level, unless
    places change so often that they cannot be told apart either: then none is marked.
    """
    cuts = {0, *(level.first for level in levels), *(index for index, each in enumerate(sessions) if each.event)}
    marked = len(cuts) <= MOST_GROUPS
    starts = sorted(cuts) if marked else [0]
    groups: list[Session] = []
    group_of: list[int] = []
    for start, end in pairwise([*starts, len(sessions)]):
        parts = max(1, round((end - start) * MOST_GROUPS / len(sessions)))
        edges = [start + (end - start) * part // parts for part in range(parts + 1)]
        for low, high in pairwise(edges):
            group_of += [len(groups)] * (high - low)
            groups.append(_group(sessions[low:high], marked=marked))
    return groups, [Level(group_of[level.first], group_of[level.last], level.value) for level in levels if marked]


def _group(sessions: Sequence[Session], *, marked: bool) -> Session:
    values = [each.value for each in sessions if each.value is not None]
    first, middle = sessions[0], sessions[len(sessions) // 2]
    return Session(
        id=middle.id,
        host=first.host if len({each.host for each in sessions}) == 1 else "",
        started_ns=middle.started_ns,
        value=median(values) if values else None,
        low=min((each.low for each in sessions if each.low is not None), default=None),
        high=max((each.high for each in sessions if each.high is not None), default=None),
        runs=sum(each.runs for each in sessions),
        valid=sum(each.valid for each in sessions),
        place=first.place if marked else 0,
        event=first.event if marked else "",
    )


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
