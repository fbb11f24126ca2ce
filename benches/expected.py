"""Simulated sessions in slices: when a probe and a first look expect a certain interval, and when it is there.

python -m benches.expected
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from benches import slices
from benches.slices import BLOCK, PLACES, RUNTIME_NS, STEP_NS, WARMUP_NS, Place

from plimsoll.run import probe
from plimsoll.stats.policy import PLAN
from plimsoll.stats.shrinking import FEWEST, blocks_until, noise_of
from plimsoll.stats.simulation import Random
from plimsoll.stats.verdict import judge
from plimsoll.units import MILLISECOND

WIDTH = 0.10
MOST = 48
"""Blocks that a session goes on for."""
NEVER = 1000
SHORT = (2 * (probe.RUNTIME_NS + probe.WARMUP_NS) + 200 * MILLISECOND) // STEP_NS
"""Steps of a block of the probe."""


def said_against_taken(place: Place, random: Random) -> tuple[float, float] | None:
    """Of one session: the blocks until ±10 % that its probe says, and that its first look says, to those that it took.

    None where it was not there after `MOST` blocks.
    """
    rate = np.exp(place.weather(random, probe.BLOCKS * SHORT + MOST * BLOCK))
    own = [place.own.own(random, (1, probe.BLOCKS + MOST))[0] for _ in range(2)]
    apart = [float(other - one) for one, other in zip(*own, strict=True)]
    briefly = [
        apart[number]
        + slices.block(
            rate[number * SHORT : (number + 1) * SHORT], place.lost, random, (probe.RUNTIME_NS, probe.WARMUP_NS)
        )
        for number in range(probe.BLOCKS)
    ]
    after = rate[probe.BLOCKS * SHORT :]
    found = [
        apart[probe.BLOCKS + number]
        + slices.block(after[number * BLOCK : (number + 1) * BLOCK], place.lost, random, (RUNTIME_NS, WARMUP_NS))
        for number in range(MOST)
    ]
    looks = (look.blocks for look in PLAN if look.blocks <= MOST)
    taken = next((blocks for blocks in looks if judge(found[:blocks]).half_width <= math.log1p(WIDTH)), None)
    return None if taken is None else (_said(briefly) / taken, _said(found[:FEWEST]) / taken)


def _said(differences: Sequence[float]) -> int:
    noise = noise_of(differences)
    assert noise is not None  # there are enough
    return blocks_until(noise, WIDTH) or NEVER


def main(count: int = 300) -> None:
    """A line for each pattern: quartiles of what was said to what was taken."""
    random = np.random.default_rng(20_261_126)
    for place in PLACES:
        found = [each for _ in range(count) if (each := said_against_taken(place, random)) is not None]
        for what, said in zip(("probe", "first look"), zip(*found, strict=True), strict=False):
            low, middle, high = np.quantile(said, (0.25, 0.5, 0.75))
            print(f"{place.name}, {what}: {middle:.2f} ({low:.2f}…{high:.2f}), {len(said)} of {count}", flush=True)


if __name__ == "__main__":
    main()
