"""Which load comes next, and when to stop: a generator that asks for runs and is sent their points.

The same seed and the same points always give the same search, so that a stored one goes on where it was interrupted.

1. *Ramp.* The load doubles until throughput no longer grows. One run each; they only show where to look.
2. *Rounds.* The levels around the bend, √2 apart, each once per round in random order, until the interval of the knee
   is narrow and the bracket is found, or the mode allows no more.
3. *Fresh runs* at the knee, longer ones for a schedule, and at the load that carried most. The best of many runs is
   flattered by its noise; what is reported was measured after it was chosen. A schedule that is not kept at the knee
   lowers it, until one is.
4. *Objective.* Soft bisection, beginning with the belief that all runs so far support, then fresh runs of the answer,
   and of loads that contradict it.

A run whose rate has not settled is made again, twice and four times as long.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from plimsoll.stats.load_line import bend, bracket
from plimsoll.stats.load_line.levels import AROUND, LoadRange
from plimsoll.stats.load_line.points import Phase, Point
from plimsoll.stats.load_line.slo import SPREAD, Belief, Objective

STALLED = 0.2
"""The ramp ends where ln throughput grows by less than this share of ln load."""
LEAST_ROUNDS = 3
MOST_MOVES = 3
"""How often the window of the rounds may follow the knee."""
FRESH_RUNS = 3
MOST_PROBES = 14
NARROW = 0.08
"""Width of the 90 % interval of belief, as ln, at which bisection ends."""
FIRST_STOP = 6
"""Probes before bisection may end."""
ASIDE = (0.35, 0.65)
"""Every second probe stands beside the median, so that one wrong run is noticed."""
STEP_BACK = 0.95
MOST_STEPS_BACK = 5
BELOW = 0.98
"""A schedule that was not kept is followed by one of this share of what was carried then."""
MOST_LOWER = 4
FRESH_LONGER = 2
"""Runs that say whether a schedule is kept for good last so many times the usual."""
LONGEST = 4
MOST_LONGER = 8
"""Runs of one search that are made again because they had not settled: a host that is never steady must end, too."""
MOST_PEAKS = 3
"""Loads that may be measured again because a run there carried most."""
MOST_DOUBTS = 6
"""Runs that settle contradictions of an objective."""
CLEARLY = 2.0
"""A latency contradicts an objective if it is so many deviations on the wrong side."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How much certainty is bought."""

    rounds: int
    """Rounds at most."""
    width: float
    """Rounds go on until the interval of the knee is at most this wide (half-width as a share)."""


RULES = {"quick": Rules(6, 0.10), "standard": Rules(12, 0.07), "publish": Rules(20, 0.06)}


@dataclass(frozen=True, slots=True)
class Probe:
    """The run that the search wants next."""

    load: float
    phase: Phase
    round: int
    attempt: int = 0
    longer: int = 1
    """How many times the usual length."""


class Ending(StrEnum):
    """Why a search ended. What follows from its runs is for the report, which also knows what speaks against it."""

    FOUND = "the search has settled"
    NO_ROUNDS_LEFT = "no more rounds in this mode"
    NOT_REACHED = "no knee was seen within the range"
    NOTHING_VALID = "no valid run"


Search = Generator[Probe, Point, Ending]
Step = Generator[Probe, Point, None]


@dataclass
class LoadSearch:
    """One search over one target. `points` holds what was measured so far."""

    bounds: LoadRange
    rules: Rules
    objective: Objective | None
    seed: str
    points: list[Point] = field(default_factory=list)
    """Without those that were made again because they had not settled."""
    window: tuple[float, ...] = ()
    open_loop: bool = False
    """The load is a schedule."""
    hurried: bool = False
    """Set by whoever runs the search when the time is almost used up: it then goes on to the fresh runs at once."""
    _repeated: int = 0

    def run(self) -> Search:
        """The whole search."""
        yield from self._ramp()
        if not self._valid():
            return Ending.NOTHING_VALID
        yield from self._rounds()
        found = bend.fit(self.points)
        yield from self._fresh(found)
        if self.objective is not None:
            yield from self._bisect(self.objective)
        if found is None or not found.reached:
            return Ending.NOT_REACHED
        return Ending.FOUND if self._settled(found) else Ending.NO_ROUNDS_LEFT

    def expected_left(self) -> tuple[int, int]:
        """How many runs are still to come, for a progress line: about the fewest, and about the most."""
        done = {phase: sum(point.phase is phase for point in self.points) for phase in Phase}
        fresh = max(2 * FRESH_RUNS - done[Phase.PEAK] - done[Phase.KNEE], 0)
        probes = max(FIRST_STOP + FRESH_RUNS - done[Phase.OBJECTIVE] - done[Phase.ANSWER], 1) if self.objective else 0
        if done[Phase.OBJECTIVE] or done[Phase.ANSWER]:
            return probes, probes
        if done[Phase.PEAK]:
            return probes + fresh, probes + fresh
        width = len(self.window) or min(2 * AROUND + 1, len(self.bounds.levels))
        ramp = 0 if done[Phase.ROUND] else max(len(self.bounds.levels) // 3 - done[Phase.RAMP], 1)
        later = ramp + probes + fresh
        least, most = (times * width - done[Phase.ROUND] for times in (LEAST_ROUNDS, self.rules.rounds))
        # The round that goes on is finished.
        rest = width - done[Phase.ROUND] % width
        return max(least, rest) + later, max(most, rest) + later

    def _valid(self, *phases: Phase) -> list[Point]:
        return [point for point in self.points if point.valid and (not phases or point.phase in phases)]

    def _measure(self, load: float, phase: Phase, number: int, longer: int = 1) -> Step:
        """One run, repeated once if it is not valid, and longer if it had not settled."""
        while True:
            for attempt in (0, 1):
                point = yield Probe(load, phase, number, attempt, longer)
                self.points.append(point)
                if point.valid:
                    break
            if not point.valid or point.steady or longer >= LONGEST or self.hurried or self._repeated >= MOST_LONGER:
                return
            self.points.pop()
            self._repeated += 1
            longer *= 2

    def _ramp(self) -> Step:
        """Every second level until one no longer carries more than the one before."""
        levels = self.bounds.levels
        last: Point | None = None
        for place in (*range(0, len(levels) - 1, 2), len(levels) - 1):
            yield from self._measure(levels[place], Phase.RAMP, 0)
            point = self.points[-1]
            if last is not None and point.valid and _stalled(last, point):
                return
            last = point if point.valid else last

    def _rounds(self) -> Step:
        """Rounds over a window of levels that follows the knee."""
        self.window = self.bounds.window(_asymptotic_knee(self._valid(Phase.RAMP)))
        moves = since_move = 0
        for number in range(self.rules.rounds):
            yield from self._round(number)
            if self.hurried:
                return
            since_move += 1
            if since_move < LEAST_ROUNDS:
                continue
            found = bend.fit(self.points)
            if found is None:
                if len(self.bounds.levels) < bend.FEWEST_LEVELS:
                    return
                continue
            wanted = self.bounds.window(min(max(found.knee, self.bounds.low), self.bounds.high))
            outside = not self.window[0] < found.knee < self.window[-1]
            if outside and wanted != self.window and moves < MOST_MOVES:
                self.window, moves, since_move = wanted, moves + 1, 0
            elif self._settled(found):
                return

    def _round(self, number: int) -> Step:
        order = list(self.window)
        random.Random(f"{self.seed}/{number}").shuffle(order)
        for load in order:
            if not self.hurried:
                yield from self._measure(load, Phase.ROUND, number)

    def _settled(self, found: bend.Bend) -> bool:
        """Whether further rounds would hardly change the answer."""
        if not found.reached:
            return self.window[-1] == self.bounds.high
        if not found.begun and self.window[0] == self.bounds.low:
            return bracket.find(self.points) is not None
        return found.half_width <= self.rules.width and bracket.find(self.points) is not None

    def _bisect(self, objective: Objective) -> Step:
        """Probes until belief is narrow, then fresh runs of the answer, stepping back while their median fails."""
        belief = Belief(self.bounds, objective)
        for point in self._valid():
            _see(belief, point)
        for number in range(MOST_PROBES):
            seen = number >= FIRST_STOP or _informed(self._valid(), objective)
            if self.hurried or (seen and self._narrow(belief)):
                break
            share = 0.5 if number % 2 == 0 else ASIDE[number // 2 % 2]
            yield from self._measure(self.bounds.rounded(belief.quantile(share)), Phase.OBJECTIVE, number)
            _see(belief, self.points[-1])
        most = most_kept(self.points) if self.open_loop else math.inf
        load = self._floor(min(belief.quantile(0.5), most))
        for step in range(MOST_STEPS_BACK + 1):
            for number in range(FRESH_RUNS):
                yield from self._measure(load, Phase.ANSWER, step * FRESH_RUNS + number, self._for_good)
            if meets(self.points, load, objective) or load <= self.bounds.low:
                break
            load = self._floor(min(load * STEP_BACK, load - 1 if self.bounds.whole else load))
        for number in range(MOST_DOUBTS):
            doubts = contradictions(self._valid(), load, objective, most)
            if self.hurried or not doubts:
                return
            fewest = min(doubts, key=lambda at: sum(point.load == at for point in self._valid()))
            yield from self._measure(fewest, Phase.OBJECTIVE, MOST_PROBES + number)

    @property
    def _for_good(self) -> int:
        """How many times the usual length a run lasts that says whether a load can be kept."""
        return FRESH_LONGER if self.open_loop else 1

    def _narrow(self, belief: Belief) -> bool:
        whole_step = self.bounds.whole and self._floor(belief.quantile(0.95)) - self._floor(belief.quantile(0.05)) <= 1
        return belief.width < NARROW or whole_step

    def _floor(self, load: float) -> float:
        """A load that is not above the one found: a count is rounded down."""
        return self.bounds.rounded(math.floor(load + 1e-9) if self.bounds.whole else load)

    def _fresh(self, found: bend.Bend | None) -> Step:
        """Fresh runs at the knee and at the highest throughput, taking turns."""
        wanted = {Phase.PEAK: peak_load(self.points)}
        if found is not None and found.reached and found.begun:
            wanted[Phase.KNEE] = self.bounds.rounded(found.knee)
        rng = random.Random(f"{self.seed}/fresh")
        for number in range(FRESH_RUNS):
            turn = list(wanted.items())
            rng.shuffle(turn)
            for phase, load in turn:
                yield from self._measure(load, phase, number, self._for_good if phase is Phase.KNEE else 1)
        if Phase.KNEE in wanted and self.open_loop:
            yield from self._lower(wanted[Phase.KNEE])
        for number in range(1, MOST_PEAKS):
            load = peak_load(self.points)
            if self.hurried or sum(point.load == load for point in self._valid()) >= FRESH_RUNS:
                return
            for run in range(FRESH_RUNS):
                yield from self._measure(load, Phase.PEAK, number * FRESH_RUNS + run)

    def _lower(self, load: float) -> Step:
        """Lower schedules, until one is kept in most fresh runs."""
        for number in range(1, MOST_LOWER + 1):
            if kept(self.points, load) is not False or self.hurried:
                return
            # What the best of the late runs carried: noise lowers a knee soon enough.
            late = [point.throughput for point in self._valid(Phase.KNEE) if point.load == load and point.overloaded]
            load = self.bounds.rounded(BELOW * min(load, max(late)))
            for run in range(FRESH_RUNS):
                yield from self._measure(load, Phase.KNEE, number * FRESH_RUNS + run, self._for_good)


def _see(belief: Belief, point: Point) -> None:
    if point.valid and point.objective_ns:
        belief.see(point.load, point.objective_ns)


def _informed(points: Sequence[Point], objective: Objective) -> bool:
    """Whether runs on both sides of the objective were seen already."""
    known = [point.objective_ns for point in points if point.objective_ns]
    return len(known) >= FIRST_STOP and min(known) <= objective.limit_ns < max(known)


def _stalled(below: Point, above: Point) -> bool:
    grown = math.log(above.throughput / below.throughput)
    return grown < STALLED * math.log(above.load / below.load)


def _asymptotic_knee(points: Sequence[Point]) -> float:
    """Where the steepest line through zero reaches the highest throughput."""
    return max(point.throughput for point in points) / max(point.throughput / point.load for point in points)


def _typical(values: Iterable[float]) -> float:
    return math.exp(float(np.mean(np.log(list(values)))))


def grouped(points: Iterable[Point], key: Callable[[Point], float]) -> dict[float, list[Point]]:
    """Points by a key, smallest first."""
    found: dict[float, list[Point]] = {}
    for point in sorted(points, key=key):
        found.setdefault(key(point), []).append(point)
    return found


def peak_load(points: Sequence[Point]) -> float:
    """The load with the highest typical throughput of all valid runs."""
    by_load = grouped((point for point in points if point.valid), lambda point: point.load)
    return max(by_load, key=lambda load: _typical(point.throughput for point in by_load[load]))


def kept(points: Sequence[Point], load: float) -> bool | None:
    """Whether most fresh runs of a schedule at the knee kept it; None where there are none."""
    fresh = [point.overloaded for point in points if point.valid and point.phase is Phase.KNEE and point.load == load]
    return 2 * sum(fresh) < len(fresh) if fresh else None


def most_kept(points: Sequence[Point]) -> float:
    """The schedule at the knee that was kept; infinite without one. No objective holds beyond it."""
    fresh = dict.fromkeys(point.load for point in points if point.phase is Phase.KNEE)
    return next((load for load in reversed(fresh) if kept(points, load)), math.inf)


def contradictions(points: Sequence[Point], load: float, objective: Objective, most: float = math.inf) -> list[float]:
    """Loads whose runs do not go with `load` being the largest that meets the objective: lower ones that clearly miss
    it, and higher ones, up to `most`, that clearly meet it; where `load` misses it as well, all that clearly meet it.
    """
    found, met = [], meets(points, load, objective)
    for at, runs in grouped((p for p in points if p.valid and p.objective_ns), lambda point: point.load).items():
        typical = float(np.median([run.objective_ns for run in runs if run.objective_ns]))
        over = math.log(typical / objective.limit_ns) if math.isfinite(typical) else math.inf
        margin = CLEARLY * SPREAD / math.sqrt(len(runs))
        if (met and at < load and over > margin) or ((load < at <= most or not met) and over < -margin):
            found.append(at)
    return found


def meets(points: Sequence[Point], load: float, objective: Objective) -> bool:
    """Whether the median of the fresh runs at `load` meets the objective."""
    fresh = [p.objective_ns for p in points if p.valid and p.phase is Phase.ANSWER and p.load == load]
    known = [latency for latency in fresh if latency is not None]
    return bool(known) and float(np.median(known)) <= objective.limit_ns
