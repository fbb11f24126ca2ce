"""How sure a comparison became from look to look, and when it is to be as sure as somebody wants."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import stdev

from plimsoll.model import POLICY_VERSION
from plimsoll.stats.after_own import still_certain
from plimsoll.stats.paired import Cell, after_own
from plimsoll.stats.policy import RESOLUTION, STANDARD, log_width, plan_of
from plimsoll.stats.verdict import Verdict, judge_looks

FEWEST = 3
"""Of differences, for their noise: the first look has as many."""


def at_each_look(cell: Cell, policy: int = POLICY_VERSION) -> list[Verdict]:
    """What each look at its blocks so far gave, the first one first; none where its blocks have no common ratio.

    These are the looks of the sequential rule, so the intervals hold together with 95 % confidence. Answers must hold
    in slices after own ones, as everywhere.
    """
    if cell.split is not None:
        return []
    differences = [pair.difference for pair in cell.pairs]
    found = judge_looks(differences, band=cell.verdict.band, direction=cell.direction, policy=policy)
    return [still_certain(judged, after_own(cell.pairs[: judged.blocks_used]), STANDARD) for judged in found]


def noise_of(differences: Sequence[float]) -> float | None:
    """How much the log ratios of blocks scatter; None of too few."""
    return stdev(differences) if len(differences) >= FEWEST else None


def blocks_until(noise: float, width: float) -> int | None:
    """The first look at which the interval is expected to be at most ±`width`, a share; None: not by the last one.

    It has the critical value of that look, and noise of blocks that is neither drift nor steps.
    """
    for look in plan_of():
        error = max(noise / math.sqrt(look.blocks), RESOLUTION)
        if look.c2 * error <= log_width(width):
            return look.blocks
    return None
