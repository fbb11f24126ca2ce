"""Which load comes next, and when to stop: a generator that asks for runs and is sent their points.

The same seed and the same points always give the same search, so that a stored one goes on where it was interrupted.

1. *Ramp.* The load doubles until throughput no longer grows. One run each; they only show where to look.
2. *Rounds.* The levels around the bend, √2 apart, each once per round in random order, until the interval of the knee
   is narrow and the bracket is found, or the mode allows no more.
3. *Objective.* Soft bisection, beginning with the belief that all runs so far support.
4. *Fresh runs* of the answers. The best of many runs is flattered by its noise; what is reported was measured after it
   was chosen.
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
from plimsoll.stats.load_line.slo import Belief, Objective

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


@dataclass(frozen=True, slots=True)
class Rules:
    """How much certainty is bought."""

    rounds: int
    """Most rounds."""
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


class Ending(StrEnum):
    """Why a search ended."""

    FOUND = "found"
    NO_ROUNDS_LEFT = "no more rounds in this mode"
    NOT_REACHED = "throughput still grows at the largest load"
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
    window: tuple[float, ...] = ()
    hurried: bool = False
    """Set by whoever runs the search when the time is almost used up: it then goes on to the fresh runs at once."""

    def run(self) -> Search:
        """The whole search."""
        yield from self._ramp()
        if not self._valid():
            return Ending.NOTHING_VALID
        yield from self._rounds()
        found = bend.fit(self.points)
        if self.objective is not None:
            yield from self._bisect(self.objective)
        yield from self._fresh(found)
        if found is None or not found.reached:
            return Ending.NOT_REACHED
        return Ending.FOUND if self._settled(found) else Ending.NO_ROUNDS_LEFT

    def expected_left(self) -> int:
        """About how many runs are still to come, for a progress line."""
        done = {phase: sum(point.phase is phase for point in self.points) for phase in Phase}
        fresh = 2 * FRESH_RUNS - done[Phase.PEAK] - done[Phase.KNEE]
        probes = max(FIRST_STOP + FRESH_RUNS - done[Phase.OBJECTIVE] - done[Phase.ANSWER], 1) if self.objective else 0
        if done[Phase.PEAK]:
            return max(fresh, 0)
        if done[Phase.OBJECTIVE] or done[Phase.ANSWER]:
            return probes + fresh
        width = len(self.window) or min(2 * AROUND + 1, len(self.bounds.levels))
        rounds = max(LEAST_ROUNDS * width - done[Phase.ROUND], width // 2)
        ramp = 0 if done[Phase.ROUND] else max(len(self.bounds.levels) // 3 - done[Phase.RAMP], 1)
        return ramp + rounds + probes + fresh

    def _valid(self, *phases: Phase) -> list[Point]:
        return [point for point in self.points if point.valid and (not phases or point.phase in phases)]

    def _measure(self, load: float, phase: Phase, number: int) -> Step:
        """One run, repeated once if it is not valid."""
        for attempt in (0, 1):
            point = yield Probe(load, phase, number, attempt)
            self.points.append(point)
            if point.valid:
                return

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
        load = self._floor(belief.quantile(0.5))
        for number in range(MOST_STEPS_BACK + 1):
            for _ in range(FRESH_RUNS):
                yield from self._measure(load, Phase.ANSWER, number)
            if meets(self.points, load, objective) or load <= self.bounds.low:
                return
            load = self._floor(min(load * STEP_BACK, load - 1 if self.bounds.whole else load))

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
                yield from self._measure(load, phase, number)


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
    """The load with the highest typical throughput in the rounds; in the ramp where there were no rounds."""
    valid = [point for point in points if point.valid]
    rounds = [point for point in valid if point.phase is Phase.ROUND] or valid
    by_load = grouped(rounds, lambda point: point.load)
    return max(by_load, key=lambda load: _typical(point.throughput for point in by_load[load]))


def meets(points: Sequence[Point], load: float, objective: Objective) -> bool:
    """Whether the median of the fresh runs at `load` meets the objective."""
    fresh = [p.objective_ns for p in points if p.valid and p.phase is Phase.ANSWER and p.load == load]
    known = [latency for latency in fresh if latency is not None]
    return bool(known) and float(np.median(known)) <= objective.limit_ns
