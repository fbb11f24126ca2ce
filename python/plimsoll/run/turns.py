"""Who works when in a block whose targets alternate in slices.

Neighbours in time are alike, so that targets which change places every fraction of a second are compared in the same
weather. The order is random, or a disturbance in step with the rounds would always meet the same target; and what goes
up or down over a pair of rounds cancels out, for the second has the first one's order backwards.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from plimsoll.units import MILLISECOND

SHORTEST_NS, LONGEST_NS = 150 * MILLISECOND, 250 * MILLISECOND
"""Of a slice; chosen anew for each block, so that nothing stays in step with it for a whole session."""
DISCARD_NS = 20 * MILLISECOND
"""First part of each slice that does not count: what another target left in flight, and the start of one's own load."""
FEWEST_ROUNDS = 4
"""In fewer the order of the targets would still show."""

Turn = tuple[int, int]
"""Start of a slice, from the beginning of the block, and its length, both in ns."""


@dataclass(frozen=True)
class Turns:
    """The slices of each target of one block, in the order of time."""

    of: Mapping[str, Sequence[Turn]]
    slice_ns: int
    discard_ns: int = DISCARD_NS


def turns(targets: Sequence[str], runtime_ns: int, seed: str) -> Turns:
    """Rounds in which every target has one slice, until each has worked for about `runtime_ns`; never longer."""
    chance = random.Random(seed)
    rounds = max(FEWEST_ROUNDS, round(runtime_ns / chance.uniform(SHORTEST_NS, LONGEST_NS)))
    rounds += rounds % 2
    slice_ns = runtime_ns // rounds
    found: dict[str, list[Turn]] = {name: [] for name in targets}
    order: list[str] = []
    for _ in range(rounds // 2):
        there = chance.sample(list(targets), len(targets))
        order += [*there, *reversed(there)]
    for number, name in enumerate(order):
        found[name].append((number * slice_ns, slice_ns))
    return Turns(found, slice_ns)


SHORTEST_RUNTIME_NS = 2 * FEWEST_ROUNDS * DISCARD_NS
"""A shorter run would have slices of which most does not count."""
