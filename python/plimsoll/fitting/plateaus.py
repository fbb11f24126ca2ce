"""At which rates runs stood still, and which limit held them there: by the volume's counters, else by exclusion."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from plimsoll.catalog.bounds import Bound, Use, bounds, use_of
from plimsoll.catalog.shape import VolumeShape
from plimsoll.catalog.waits import LIMITS, WAITED, of_volume
from plimsoll.model import Run
from plimsoll.stats.changepoints import long_run_variance
from plimsoll.stats.course import rates_of
from plimsoll.stats.steady import SMALLEST_NOISE
from plimsoll.units import SECOND

FILL_S = 2.0
"""In the first seconds an idle volume gives what its buckets hold; of the warm-up this much is enough."""
SAME = 0.95
"""From this share of a rate on, half as many in flight did as well: more of them wait for a limit."""
SINGLE = 1.5
"""Fewer in flight are one."""
DEMAND = 1.5
"""A limit holds a load back that would be this many times faster by the latency of single I/Os."""
APART = 1.1
"""Rates this far apart are not held by one limit."""


class Level(StrEnum):
    """What of its run a plateau is."""

    ONLY = "only"
    BURST = "burst"
    REST = "rest"


class Held(StrEnum):
    """What holds a plateau."""

    IOPS = "iops"
    THROUGHPUT = "throughput"
    INSTANCE = "instance"
    NOTHING = "nothing"
    """No limit: its latency."""
    UNCLEAR = "unclear"
    """Whether it is a limit, and which, cannot be told from the depths and sizes that were measured."""


@dataclass(frozen=True)
class Plateau:
    """One level of one run."""

    run: Run
    use: Use
    in_flight: float
    per_second: float
    error: float
    """Standard error of ln(per_second), from its own seconds; infinite where there are none."""
    level: Level
    start_s: float
    end_s: float

    def charged(self, shape: VolumeShape, limit: str) -> float | None:
        """I/Os or bytes per second that it takes from a limit of one member; None where the type has no such limit."""
        party = "volume IOPS" if limit == "iops" else "volume throughput"
        found = next((each for each in bounds(shape, self.use) if each.party == party), None)
        return None if found is None else self.per_second * found.limit / found.per_second / shape.members


def plateaus(runs: Sequence[Run]) -> Iterator[Plateau]:
    """Those of runs whose I/Os have one size and reach the volume; none of runs in slices, which rest in between."""
    for run in runs:
        use = use_of(run.plan)
        if use is not None and not run.in_slices and not use.pauses and use.asked is None:
            yield from _of(run, use)


def _of(run: Run, use: Use) -> Iterator[Plateau]:
    in_flight = float(run.facts.get("mean_in_flight") or _asked_in_flight(run))
    found = rates_of(run.intervals, "1/s")
    if not found.values:
        rate = next((score.value for score in run.scores if score.metric == "iops"), None)
        if rate:
            yield Plateau(run, use, in_flight, rate, math.inf, Level.ONLY, 0.0, 0.0)
        return
    regime = found.regime()
    windows = [(Level.ONLY, *regime.window_s)]
    if regime.burst is not None and regime.sustained is not None:
        # The levels' border is one of bins of up to 5 s; the fall is somewhere beside it.
        between = math.sqrt(regime.burst * max(regime.sustained, 1.0))
        fell = next(second for second, rate in enumerate(found.values) if rate < between)
        windows = [(Level.BURST, 0.0, (fell - 1) * found.interval_s), (Level.REST, *regime.window_s)]
    elif not regime.accepted:
        return
    for level, start_s, end_s in windows:
        warm_s = float(run.facts.get("phases", {}).get("warmup_ns", 0)) / SECOND
        begin_s = max(start_s, FILL_S - warm_s)
        first, last = math.ceil(begin_s / found.interval_s - 1e-9), round(end_s / found.interval_s)
        values = np.asarray(found.values[first:last], dtype=np.float64)
        if values.size and (values > 0).all():
            noise = long_run_variance(np.log(values), SMALLEST_NOISE)
            yield Plateau(
                run, use, in_flight, float(values.mean()), math.sqrt(noise / values.size), level,
                begin_s, end_s,
            )  # fmt: skip


def _asked_in_flight(run: Run) -> int:
    values = run.plan.parameters
    return max(1, int(str(values.get("depth") or 1))) * max(1, int(str(values.get("threads") or 1)))


def attributed(found: Sequence[Plateau], shape: VolumeShape) -> list[Held]:
    """What holds each plateau, by the counters of its run; where nothing was counted, by what the others rule out."""
    first = [_counted(each) or _ruled_out(each, found, shape) for each in found]
    return [_as_burst(each, held, found, first) for each, held in zip(found, first, strict=True)]


def _counted(plateau: Plateau) -> Held | None:
    inside = [
        each
        for each in plateau.run.intervals
        if plateau.start_s * SECOND <= each.start_ns and each.start_ns + each.duration_ns <= plateau.end_s * SECOND
    ]
    names = {name for each in inside for name in each.device if name.startswith(WAITED)}
    if not names:
        return None
    total = sum(each.duration_ns for each in inside)
    shares = {name: sum(each.device.get(name, 0.0) for each in inside) / total for name in names}
    longest = max(shares, key=lambda name: shares[name])
    if shares[longest] < LIMITS:
        return Held.NOTHING
    bucket = of_volume(longest.removeprefix(WAITED))
    if bucket.startswith("instance"):
        return Held.INSTANCE
    return Held.IOPS if "iops" in bucket else Held.THROUGHPUT


def _ruled_out(plateau: Plateau, found: Sequence[Plateau], shape: VolumeShape) -> Held:
    is_held = _is_held(plateau, found)
    if not is_held:
        return Held.UNCLEAR if is_held is None else Held.NOTHING
    limits = [each for each in bounds(shape, plateau.use) if each.level != "burst" or plateau.level is Level.BURST]
    if _by_instance(plateau, limits):
        return Held.INSTANCE
    ruled = {
        limit: any(_more(other.charged(shape, limit), plateau.charged(shape, limit)) for other in found)
        or plateau.charged(shape, limit) is None
        for limit in (Held.IOPS, Held.THROUGHPUT)
    }
    if ruled[Held.IOPS] == ruled[Held.THROUGHPUT]:
        return Held.UNCLEAR
    return Held.THROUGHPUT if ruled[Held.IOPS] else Held.IOPS


def _more(other: float | None, own: float | None) -> bool:
    return other is not None and own is not None and other > APART * own


def _is_held(plateau: Plateau, found: Sequence[Plateau]) -> bool | None:
    """Whether more in flight brought no more: a limit, and not the latency, sets the rate. None: nobody tried."""
    if plateau.level is Level.REST:
        return True
    if plateau.in_flight < SINGLE:
        return False
    alike = [
        each
        for each in found
        if each.run is not plateau.run
        and (each.use.read_share, each.use.sequential) == (plateau.use.read_share, plateau.use.sequential)
        and each.use.block_bytes == plateau.use.block_bytes
    ]
    fewer = [each for each in alike if 2 * each.in_flight <= plateau.in_flight and each.level is plateau.level]
    no_more = any(each.per_second >= SAME * plateau.per_second for each in fewer)
    single = [each.per_second / each.in_flight for each in alike if each.in_flight < SINGLE]
    if no_more or any(rate * plateau.in_flight >= DEMAND * plateau.per_second for rate in single):
        return True
    return False if fewer else None


def _by_instance(plateau: Plateau, limits: Sequence[Bound]) -> bool:
    """Whether the published limit of the instance is where the rate is, and the volume's is not."""
    near = [each.party.split()[0] for each in limits if 1 / APART <= plateau.per_second / each.per_second <= APART]
    return "instance" in near and "volume" not in near


def _as_burst(plateau: Plateau, held: Held, found: Sequence[Plateau], first: Sequence[Held]) -> Held:
    """What is left after a burst is held by the limit that the burst was; so are later runs at the same rate."""
    if held is not Held.UNCLEAR:
        return held
    for other, its in zip(found, first, strict=True):
        same_run = other.run is plateau.run and other.level is Level.BURST and plateau.level is Level.REST
        rest = other.level is Level.REST and other.use == plateau.use
        alike = rest and 1 / APART <= other.per_second / plateau.per_second <= APART
        if (same_run or alike) and its in (Held.IOPS, Held.THROUGHPUT):
            return its
    return held
