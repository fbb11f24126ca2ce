"""Simulated sessions of one device whose two targets alternate in slices: the turns and the verdicts are the real ones.

The device's rate is known for every 10 ms. A slice gets the mean of it over what counts, times the target's own speed
and the noise of the block, less what the other target's work still takes from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from plimsoll.run.run_lengths import SHORT
from plimsoll.run.turns import Pace, Turn, after_others, turns
from plimsoll.stats.after_own import still_certain
from plimsoll.stats.policy import MODES, looks_until
from plimsoll.stats.simulation import SCENARIOS, Random, Scenario
from plimsoll.stats.student_t import FloatArray
from plimsoll.stats.verdict import Verdict, judge
from plimsoll.units import MILLISECOND, SECOND

STEP_NS = 10 * MILLISECOND
RUNTIME_NS, WARMUP_NS = (int(str(SHORT["io"][name])) for name in ("runtime", "warmup"))
BLOCK = (2 * (RUNTIME_NS + WARMUP_NS) + 600 * MILLISECOND) // STEP_NS
"""Steps from one block to the next, with the pause between."""
MODE = replace(MODES["standard"], cap=MODES["standard"].short_cap)

Weather = Callable[[Random, int], FloatArray]
"""Of one session: the log of the device's rate in each of so many steps."""


def wandering(random: Random, steps: int, deviation: float, seconds: float) -> FloatArray:
    """First-order autoregression that forgets within so many seconds."""
    kept = math.exp(-STEP_NS / (seconds * SECOND))
    pushes = (random.standard_normal(steps) * deviation * math.sqrt(1 - kept**2)).tolist()
    level, found = deviation * random.standard_normal(), []
    for push in pushes:
        level = kept * level + push
        found.append(level)
    return np.asarray(found)


def gusts(random: Random, steps: int) -> FloatArray:
    """As on the disk of METHODOLOGY: 16 % from second to second, 14 % over five, and some within a slice."""
    return wandering(random, steps, 0.14, 4.0) + wandering(random, steps, 0.08, 0.15)


def falling(random: Random, steps: int) -> FloatArray:
    """The rate halves over the session."""
    return gusts(random, steps) + np.linspace(0, math.log(0.5), steps)


def stairs(random: Random, steps: int) -> FloatArray:
    """A third less for seconds, now and then."""
    lengths = random.exponential(3.0 * SECOND / STEP_NS, size=steps // 20 + 2).astype(np.int64) + 1
    levels = np.resize([0.0, math.log(0.65)], len(lengths))
    return gusts(random, steps) + np.repeat(levels, lengths)[:steps]


def beating(period_ms: int) -> Weather:
    """A third less in every other half of a period."""

    def draw(random: Random, steps: int) -> FloatArray:
        at = np.arange(steps) * STEP_NS / (period_ms * MILLISECOND) + random.random()
        return np.where(at % 1 < 0.5, 0.0, math.log(0.67)) + wandering(random, steps, 0.05, 4.0)

    return draw


@dataclass(frozen=True)
class Place:
    """A device and what the targets take from each other's next slice, as shares: from the baseline, from the other."""

    name: str
    weather: Weather = gusts
    lost: tuple[float, float] = (0.0, 0.0)
    own: Scenario = SCENARIOS[0]
    """Noise between the blocks of either target."""


PLACES = (
    *(Place(f"gusts; own: {each.name}", own=each) for each in SCENARIOS),
    Place("falls by half", falling),
    Place("steps of −35 %", stairs),
    *(Place(f"−33 % every {period} ms", beating(period)) for period in (125, 250, 500, 1000)),
    *(Place(f"carry-over {share:.0%} to one", lost=(0.0, share)) for share in (0.02, 0.05, 0.10)),
    *(Place(f"carry-over {share:.0%} to both", lost=(share, share)) for share in (0.02, 0.05, 0.10)),
)


def verdict(place: Place, truth: float, random: Random, *, after_own: bool = True) -> Verdict:
    """How one session ends, at its first verdict or at the cap; `truth` is the log of the true ratio.

    Without `after_own`, as if nobody looked at whose slice was before.
    """
    blocks = MODE.cap
    rate = np.exp(place.weather(random, blocks * BLOCK))
    own = [place.own.own(random, (1, blocks))[0] for _ in range(2)]
    found = [_block(rate[number * BLOCK : (number + 1) * BLOCK], place.lost, random) for number in range(blocks)]
    both, alone = (
        [truth + float(own[1][number] - own[0][number]) + each[part] for number, each in enumerate(found)]
        for part in (0, 1)
    )
    for look in looks_until(blocks):
        judged = judge(both[: look.blocks], band=0.10, mode=MODE)
        last = still_certain(judged, alone[: look.blocks] if after_own else [], MODE)
        if last.stop is not None:
            break
    return last


def block(rate: FloatArray, lost: tuple[float, float], random: Random, lengths: tuple[int, int]) -> float:
    """Log ratio of the other target to the baseline in one block; `lengths` are those of a run and its warm-up."""
    return _block(rate, lost, random, lengths)[0]


def _block(
    rate: FloatArray, lost: tuple[float, float], random: Random, lengths: tuple[int, int] = (RUNTIME_NS, WARMUP_NS)
) -> tuple[float, float]:
    """Log ratios of the other target to the baseline: of all slices, and of those after own ones."""
    runtime_ns, warmup_ns = lengths
    given = turns(["a", "b"], runtime_ns, warmup_ns, str(random.integers(1 << 62)), Pace())
    follows = after_others(given)
    logs = []
    for name, share in zip("ab", lost, strict=True):
        after_other = np.asarray(follows[name])
        means = _slices(rate, given.of[name], given.discard_ns, warmup_ns) * np.where(after_other, 1 - share, 1.0)
        logs.append((math.log(means.mean()), math.log(means[~after_other].mean())))
    return logs[1][0] - logs[0][0], logs[1][1] - logs[0][1]


def _slices(rate: FloatArray, given: Sequence[Turn], discard_ns: int, warmup_ns: int) -> FloatArray:
    """The mean rate of each slice in what counts of it."""
    means = []
    for number, (start_ns, length_ns) in enumerate(given):
        first = (start_ns + (discard_ns if number else max(discard_ns, warmup_ns))) // STEP_NS
        means.append(rate[first : max((start_ns + length_ns) // STEP_NS, first + 1)].mean())
    return np.asarray(means)
