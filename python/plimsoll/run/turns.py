"""Who works when in a block whose targets alternate in slices.

Neighbours in time are alike, so that targets which change places several times a second are compared in the same
weather. The order is random, or a disturbance in step with the rounds would always meet the same target; and what goes
up or down over a pair of rounds cancels out, for the second has the first one's order backwards. What others leave
behind reaches a slice after an own one least, so there are as many of those as such an order can have: one target, by
lot, begins and ends every pair of rounds, so that it works twice in a row from pair to pair, and each of the others as
often in the middle of one. Of two targets, half of all slices follow an own one.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from plimsoll.units import MILLISECOND

DISCARD_NS = 20 * MILLISECOND
"""First part of each slice that does not count, at least: what another target left in flight, and the start of one's
own load."""
LONGEST_DISCARD_NS = 66 * MILLISECOND
"""Where more were needed, slices would be as long as the disturbances they are to be shorter than."""
SHORTEST, LONGEST = 5.0, 7.5
"""Of a slice, in units of what is discarded; the length is chosen anew for each block, so that nothing stays in step
with it for a whole session."""
FEWEST_ROUNDS = 4
"""In fewer the order of the targets would still show."""
LATE = 0.05
"""Share of the drains that may be longer than what is discarded, less the margin."""
MARGIN = 1.5

Agreed = Callable[[], int]
"""Called when all is set up here; waits until it is on every machine, and says at which moment of CLOCK_MONOTONIC the
block begins."""
Turn = tuple[int, int]
"""Start of a slice, from the beginning of the block, and its length, both in ns."""


class Lengths(TypedDict):
    """The parameters, in ns, of a plan that can be carried out in slices."""

    runtime: int
    warmup: int


@dataclass(frozen=True)
class Pace:
    """How much of each slice does not count; all its lengths follow from that."""

    discard_ns: int = DISCARD_NS

    @property
    def shortest_runtime_ns(self) -> int:
        """A shorter run would have slices of which most does not count."""
        return 2 * FEWEST_ROUNDS * self.discard_ns


@dataclass(frozen=True)
class Turns:
    """The slices of each target of one block, in the order of time. The first one of each has its warm-up ahead."""

    of: Mapping[str, Sequence[Turn]]
    slice_ns: int
    discard_ns: int
    agreed: Agreed | None = None
    """None: the block begins as soon as all is set up on this machine."""


def usual_drain_ns(drains_ns: Collection[int]) -> int:
    """What all but a few of these stay within; 0 of none."""
    ordered = sorted(drains_ns)
    return ordered[math.ceil((1 - LATE) * len(ordered)) - 1] if ordered else 0


def pace_for(drains_ns: Collection[int], runtime_ns: int) -> Pace | None:
    """The pace at which what was in flight at the end of slices so far would have been back in time.

    None where that takes too long for slices of a run of this length.
    """
    pace = Pace(max(DISCARD_NS, int(MARGIN * usual_drain_ns(drains_ns))))
    return pace if pace.discard_ns <= LONGEST_DISCARD_NS and pace.shortest_runtime_ns <= runtime_ns else None


def turns(targets: Sequence[str], runtime_ns: int, warmup_ns: int, seed: str, pace: Pace) -> Turns:
    """Rounds in which every target has one slice, until each has worked for about `runtime_ns`; never longer."""
    chance = random.Random(seed)
    rounds = max(FEWEST_ROUNDS, round(runtime_ns / (chance.uniform(SHORTEST, LONGEST) * pace.discard_ns)))
    rounds += rounds % 2
    slice_ns = runtime_ns // rounds
    found: dict[str, list[Turn]] = {name: [] for name in targets}
    order: list[str] = []
    first, *others = chance.sample(list(targets), len(targets))
    for last in _equally_often(others, rounds // 2, chance):
        between = chance.sample([name for name in others if name != last], len(others) - 1)
        order += [first, *between, last, last, *reversed(between), first]
    begin_ns = 0
    for name in order:
        length_ns = slice_ns if found[name] else warmup_ns + slice_ns
        found[name].append((begin_ns, length_ns))
        begin_ns += length_ns
    return Turns(found, slice_ns, pace.discard_ns)


def too_short(runtime_ns: int) -> bool:
    """Whether slices of such a run could not be kept at any pace."""
    return runtime_ns < Pace().shortest_runtime_ns


def example(runtime_ns: int, warmup_ns: int) -> Turns:
    """Of two targets `a` and `b`, to ask with whether a job could do it."""
    return turns(["a", "b"], runtime_ns, warmup_ns, "", Pace())


def _equally_often(targets: Sequence[str], count: int, chance: random.Random) -> Iterator[str]:
    """So many names in random order, each as often as the others, give or take one."""
    waiting: list[str] = []
    for _ in range(count):
        waiting = waiting or chance.sample(list(targets), len(targets))
        yield waiting.pop()


def after_others(found: Turns) -> dict[str, list[bool]]:
    """Of each target's slices, whether the one right before was another target's; there is none before the first."""
    order = sorted((start_ns, name) for name, each in found.of.items() for start_ns, _ in each)
    follows: dict[str, list[bool]] = {name: [] for name in found.of}
    before = None
    for _, name in order:
        follows[name].append(before != name)
        before = name
    return follows
