"""Searches for the load line of places whose capacity is known, in virtual time: a part of `benches/validate.py`."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from tests.unit.stats.load_line.places import Queue, Volume
from tests.unit.stats.load_line.server import drive

from plimsoll.stats.load_line.answer import LoadLine, load_line
from plimsoll.stats.load_line.levels import STEP, LoadRange
from plimsoll.stats.load_line.search import RULES, LoadSearch


@dataclass(frozen=True)
class Place:
    """A kind of place, the range that is searched, and whether its load is a schedule."""

    name: str
    make: Callable[[int], Volume | Queue]
    bounds: LoadRange
    open_loop: bool


def _volume(options: str, **more: object) -> Callable[[int], Volume]:
    words = dict(word.split("=") for word in options.split(","))
    return lambda seed: Volume({**words, "seed": str(seed)}, seed=seed, **more)  # type: ignore[arg-type]


def _queue(*stages: tuple[int, float], noise: float = 0.0) -> Callable[[int], Queue]:
    return lambda seed: Queue(stages, noise, seed)


RATES, DEPTHS = LoadRange(500, 8000, whole=False), LoadRange(1, 64, whole=True)
SLOW_RATES = LoadRange(10, 640, whole=False)
MIB = 1 << 20
PLACES = (
    Place("gp3, rate", _volume("type=gp3,size=100GiB"), RATES, open_loop=True),
    Place("gp3, depth", _volume("type=gp3,size=100GiB"), DEPTHS, open_loop=False),
    Place("gp3 of 12,000, depth", _volume("type=gp3,size=1000GiB,iops=12000"), DEPTHS, open_loop=False),
    Place("gp3, rate, runs of 5 s", _volume("type=gp3,size=100GiB", runtime_s=5.0), RATES, open_loop=True),
    Place("gp2 of 3,000, rate", _volume("type=gp2,size=1000GiB"), RATES, open_loop=True),
    Place("gp2 without credits, rate", _volume("type=gp2,size=500GiB,credits=0%"), RATES, open_loop=True),
    Place("gp2 of 9,000, depth", _volume("type=gp2,size=3000GiB"), DEPTHS, open_loop=False),
    Place(
        "st1 without credits, rate",
        _volume("type=st1,size=2048GiB,credits=0%", block_bytes=MIB, sequential=True),
        SLOW_RATES,
        open_loop=True,
    ),
    Place(
        "st1 with credits, rate",
        _volume("type=st1,size=1024GiB", block_bytes=MIB, sequential=True),
        SLOW_RATES,
        open_loop=True,
    ),
    Place("M/M/8, clients", _queue((8, 0.01)), DEPTHS, open_loop=False),
    Place("M/M/8, rate", _queue((8, 0.01)), LoadRange(50, 3200, whole=False), open_loop=True),
    Place("two phases, clients", _queue((8, 0.008), (2, 0.004)), DEPTHS, open_loop=False),
    Place("two phases, rate", _queue((8, 0.008), (2, 0.004)), LoadRange(50, 3200, whole=False), open_loop=True),
    Place("noisy gp3, rate", _volume("type=gp3,size=100GiB", noise=0.1), RATES, open_loop=True),
    Place("noisy gp3, depth", _volume("type=gp3,size=1000GiB,iops=12000", jitter=0.2, noise=0.1), DEPTHS, False),
    Place("noisy M/M/8, clients", _queue((8, 0.01), noise=0.1), DEPTHS, open_loop=False),
)


@dataclass(frozen=True)
class Found:
    """One search: the truth, the answer, and how many runs it took."""

    truth: float
    line: LoadLine
    runs: int

    @property
    def told(self) -> bool:
        """Whether a knee is told at all."""
        bend = self.line.bend
        return self.line.doubt is None and bend is not None and bend.reached and bend.begun

    @property
    def covers(self) -> bool:
        bend = self.line.bend
        return self.told and bend is not None and bend.low <= self.truth <= bend.high

    @property
    def off(self) -> float:
        """ln of the knee that is told over the true one."""
        return math.log(self.line.bend.knee / self.truth) if self.line.bend else math.nan

    @property
    def knee_above_kept(self) -> float:
        """By how much the knee lies above the highest load that was kept, and the level above what any load carried."""
        bend, peak = self.line.bend, self.line.peak
        if not self.told or bend is None or peak is None:
            return 0.0
        highest = max(level.load for level in self.line.levels if not level.overloaded)
        return max(bend.knee / highest, bend.plateau / peak.throughput.value) - 1.0

    @property
    def half_width(self) -> float:
        return self.line.bend.half_width if self.line.bend else math.inf


def search(place: Place, seed: int, **more: float) -> Found:
    """One search of mode quick. Schedules are shifted by up to one level, so that the truth lies anywhere between two;
    `more` changes the place.
    """
    simulated, bounds = replace(place.make(seed), **more), place.bounds
    if place.open_loop:
        shift = STEP ** random.Random(f"{place.name}/{seed}").random()
        bounds = LoadRange(round(bounds.low * shift), round(bounds.high * shift), whole=False)
    done = LoadSearch(bounds, RULES["quick"], None, str(seed), open_loop=place.open_loop)
    drive(done, lambda probe: simulated.run(probe, open_loop=place.open_loop))
    line = load_line(done.points, None, bounds.high, open_loop=place.open_loop)
    return Found(simulated.capacity if place.open_loop else simulated.knee, line, len(done.points))
