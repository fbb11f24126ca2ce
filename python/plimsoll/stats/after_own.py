"""A verdict on targets that alternated must hold, too, where a slice follows an own one.

What one target's work takes from the next slice of another would be seen as that one's speed: of a loss on one side,
half. Slices after an own one are what that reaches least. Simulated in `make validate`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from plimsoll.stats.carryover import FEWEST_PER_ORDER
from plimsoll.stats.looks import estimate
from plimsoll.stats.policy import Mode, next_look, share_of, trim_count
from plimsoll.stats.student_t import quantile
from plimsoll.stats.verdict import StopReason, Verdict, answer_of, without_answer

LEVEL = 0.0075
"""Of each side of Student's t, at each of the first looks; later ones have as small a part of it as of all levels."""

NOT_AFTER_OWN = (
    "an answer must also hold in slices that follow an own one, because what the other target leaves behind reaches "
    "those least; there it is not certain yet"
)


def still_certain(verdict: Verdict, after_own: Sequence[float], mode: Mode) -> Verdict:
    """The verdict, less what the differences in slices after an own one do not make certain; none: as it is."""
    if not after_own or not verdict.decided:
        return verdict
    direction, within = certain(after_own, math.log1p(verdict.band), share_of(verdict.blocks_used))
    ahead, same = verdict.ahead if verdict.ahead == direction else 0, verdict.same and within
    if same or ahead:
        return replace(verdict, ahead=ahead, same=same, answer=answer_of(ahead, same))
    following = next_look(verdict.blocks_given)
    return replace(
        without_answer(verdict),
        blocks_needed=following or verdict.blocks_given + 1,
        stop=StopReason.CAP if following is None or following > mode.cap else None,
    )


def certain(differences: Sequence[float], band: float, share: float = 1.0) -> tuple[int, bool]:
    """Of paired differences: the direction of their mean, 0 if that is not certain, and if it is within ±`band`.

    Student's t on either side, at the `share` of `LEVEL` that a look has, for the mean or for the trimmed mean.
    """
    if len(differences) < FEWEST_PER_ORDER:
        return 0, False
    found, count = estimate(np.asarray([differences], dtype=np.float64)), len(differences)
    kept = count - 2 * trim_count(count)
    ahead, within = 0, False
    for centers, errors, degrees in (
        (found.mean, found.mean_error, count - 1),
        (found.trimmed, found.trimmed_error, kept - 1),
    ):
        center, margin = float(centers[0]), quantile(1 - LEVEL * share, degrees) * float(errors[0])
        ahead = ahead or (0 if abs(center) <= margin else int(math.copysign(1, center)))
        within |= abs(center) + margin < band
    return ahead, within
