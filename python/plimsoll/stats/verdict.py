"""Better, same, worse or unknown: the answer of one comparison as a pure function of its paired differences.

The parameter space is cut into "worse", "same" (within the band) and "better"; each piece is tested on its own level
and only one can be true, so the three answers together are wrong with probability at most `policy.ALPHA`
(Goeman, Solari & Stijnen 2010). Looks are group-sequential with simulated boundaries.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from plimsoll.errors import UsageError
from plimsoll.model import POLICY_VERSION, Direction
from plimsoll.stats.looks import Look, look
from plimsoll.stats.policy import (
    DEFAULT_BAND,
    LOOKS,
    STANDARD,
    Boundary,
    Mode,
    log_width,
    looks_until,
    next_look,
    plan_of,
)
from plimsoll.stats.student_t import FloatArray

HOPELESS_FROM = 6
"""Blocks after which a projection may end a session: the noise of fewer is not known well enough."""

HOPELESS_FACTOR = 2
"""A comparison that is projected to need more than this many times the cap is not pursued."""


class Answer(StrEnum):
    """What a comparison says about the other target, seen from the baseline."""

    BETTER = "better"
    SAME = "same"
    WORSE = "worse"
    UNKNOWN = "unknown"


class StopReason(StrEnum):
    """Why no more blocks are run. Only a comparison is decided; a score of one target is precise enough, or not."""

    DECIDED = "decided"
    PRECISE = "precise"
    CAP = "cap"
    HOPELESS = "hopeless"
    NOTHING_VALID = "nothing valid"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer of one comparison.

    Numbers are natural logs of the ratio other target / baseline, turned so that positive means the other target is
    better; `ratio`, `ratio_low` and `ratio_high` are plain ratios of the metric as it is measured.
    """

    answer: Answer
    direction: Direction
    """Of the metric: whether higher or lower values are better."""
    band: float
    """Relative: 0.10 calls ratios from 1/1.10 to 1.10 the same."""
    estimate: float | None
    """20 % trimmed mean (mean below 6 blocks); None without any block."""
    low: float | None
    high: float | None
    """Interval that holds at every look together with 95 % confidence; None before the first look."""
    same_low: float | None
    same_high: float | None
    """Interval that was held against the band."""
    standard_error: float | None
    ahead: int
    """1 if the other target is ahead, -1 if behind, 0 if that is not decided. May be set within the band."""
    same: bool
    """The difference is within the band."""
    p_direction: float
    p_same: float
    """Smallest p so far, each divided by the share of its look; `multiplicity` turns them into p-values."""
    contaminated: bool
    """A few blocks differ wildly from the others, so mean and trimmed mean disagree."""
    blocks_used: int
    blocks_given: int
    look: int | None
    """Index into the plan of looks; None before the first look."""
    blocks_needed: int | None
    """Projected number of blocks in all until a verdict; None once decided."""
    stop: StopReason | None
    """None: another look may still come."""
    last: int = LOOKS[-1]
    """Blocks of the last look that its rules know."""
    levels: tuple[float, float] | None = None
    """Of runs that were not interleaved: nominal levels of the one look, for direction and sameness."""

    @property
    def decided(self) -> bool:
        """There is an answer other than unknown."""
        return self.answer is not Answer.UNKNOWN

    @property
    def preview(self) -> bool:
        """Too few blocks for any verdict."""
        return self.look is None and self.low is None

    @property
    def half_width(self) -> float:
        """Half the width of the interval, as a log ratio; infinite before the first look."""
        return math.inf if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def ratio(self) -> float | None:
        """Other target / baseline of the metric as measured."""
        return None if self.estimate is None else math.exp(self._turn * self.estimate)

    @property
    def ratio_low(self) -> float | None:
        """Lower end of the interval of `ratio`."""
        end = self.low if self._turn > 0 else self.high
        return None if end is None else math.exp(self._turn * end)

    @property
    def ratio_high(self) -> float | None:
        """Upper end of the interval of `ratio`."""
        end = self.high if self._turn > 0 else self.low
        return None if end is None else math.exp(self._turn * end)

    @property
    def _turn(self) -> int:
        return 1 if self.direction == "higher" else -1


def log_ratio(baseline: float, other: float, direction: Direction) -> float:
    """One difference: ln of other / baseline, turned so that positive means the other is better."""
    return math.log(other / baseline) if direction == "higher" else math.log(baseline / other)


def judge(
    differences: Sequence[float],
    *,
    band: float = DEFAULT_BAND,
    mode: Mode = STANDARD,
    direction: Direction = "higher",
    policy: int = POLICY_VERSION,
) -> Verdict:
    """The verdict on one cell; `differences` as made by `log_ratio`, in block order.

    Only the first blocks up to the largest scheduled look count. The cap of the mode never moves the last look, so no
    choice of it makes a verdict less safe.
    """
    matrix = np.asarray(differences, dtype=np.float64).reshape(1, -1)
    return judge_many(matrix, band=band, mode=mode, directions=[direction], policy=policy)[0]


def judge_many(
    differences: FloatArray,
    *,
    band: float,
    mode: Mode,
    directions: Sequence[Direction],
    policy: int = POLICY_VERSION,
) -> list[Verdict]:
    """The verdicts on many cells that have the same number of blocks; `differences` has shape (cells, blocks).

    `policy` is the version of the rules, which have their own plan of looks.
    """
    if not 0 < band < 10:
        raise UsageError(f"a band of {band:g} is not possible; give a share above 0, such as 0.10 for 10 %")
    if not np.isfinite(differences).all():
        raise UsageError("differences must be finite: scores of zero or below have no ratio")
    given = differences.shape[1]
    boundaries = looks_until(given, policy)
    if not boundaries:
        return [_preview(row, band, direction) for row, direction in zip(differences, directions, strict=True)]
    looks = [look(differences, boundary, log_width(band)) for boundary in boundaries]
    return _judged(looks, boundaries, _Rules(band, mode, policy), directions, given)


def judge_looks(
    differences: Sequence[float],
    *,
    band: float = DEFAULT_BAND,
    direction: Direction = "higher",
    policy: int = POLICY_VERSION,
) -> list[Verdict]:
    """What `judge` says at each look of the blocks up to there, the first one first; nothing before the first look."""
    boundaries = looks_until(len(differences), policy)
    matrix = np.asarray(differences, dtype=np.float64).reshape(1, -1)
    looks = [look(matrix, boundary, log_width(band)) for boundary in boundaries]
    rules = _Rules(band, STANDARD, policy)
    return [
        _judged(looks[:count], boundaries[:count], rules, [direction], boundaries[count - 1].blocks)[0]
        for count in range(1, len(looks) + 1)
    ]


def _judged(
    looks: Sequence[Look],
    boundaries: Sequence[Boundary],
    rules: _Rules,
    directions: Sequence[Direction],
    given: int,
) -> list[Verdict]:
    """The verdicts on all cells after the last of these looks."""
    shares = [boundary.share for boundary in boundaries]
    p_direction, p_same = (
        np.minimum(1.0, np.minimum.reduce([p / share for p, share in zip(each, shares, strict=True)]))
        for each in ([at.p_direction for at in looks], [at.p_same for at in looks])
    )
    return [
        _verdict(looks[-1], cell, boundaries, rules, direction, given, (p2, p1))
        for cell, (direction, p2, p1) in enumerate(zip(directions, p_direction.tolist(), p_same.tolist(), strict=True))
    ]


@dataclass(frozen=True, slots=True)
class _Rules:
    """What all cells of a call are judged by."""

    band: float
    mode: Mode
    policy: int


def _preview(row: FloatArray, band: float, direction: Direction) -> Verdict:
    """Before the first look: a number to show, and no claim."""
    return Verdict(
        answer=Answer.UNKNOWN,
        direction=direction,
        band=band,
        estimate=float(row.mean()) if row.size else None,
        low=None,
        high=None,
        same_low=None,
        same_high=None,
        standard_error=None,
        ahead=0,
        same=False,
        p_direction=1.0,
        p_same=1.0,
        contaminated=False,
        blocks_used=int(row.size),
        blocks_given=int(row.size),
        look=None,
        blocks_needed=LOOKS[0],
        stop=None,
    )


def _verdict(
    at: Look,
    cell: int,
    boundaries: Sequence[Boundary],
    rules: _Rules,
    direction: Direction,
    given: int,
    p_values: tuple[float, float],
) -> Verdict:
    """One row of the arrays as a record."""
    band, mode, boundary = rules.band, rules.mode, boundaries[-1]
    ahead, same = int(at.sign[cell]), bool(at.same[cell])
    estimate, low, high = float(at.estimates.trimmed[cell]), float(at.low[cell]), float(at.high[cell])
    decided = same or ahead != 0
    needed = None if decided else _blocks_needed(at, cell, boundary, log_width(band), rules.policy)
    wide = mode.verdict_width is not None and (high - low) / 2 > log_width(mode.verdict_width)
    return Verdict(
        answer=answer_of(ahead, same),
        direction=direction,
        band=band,
        estimate=estimate,
        low=low,
        high=high,
        same_low=float(at.same_low[cell]),
        same_high=float(at.same_high[cell]),
        standard_error=float(at.estimates.trimmed_error[cell]),
        ahead=ahead,
        same=same,
        p_direction=p_values[0],
        p_same=p_values[1],
        contaminated=bool(at.contaminated[cell]),
        blocks_used=boundary.blocks,
        blocks_given=given,
        look=len(boundaries) - 1,
        blocks_needed=needed,
        stop=_stop(decided and not wide, boundary.blocks, given, needed, rules),
        last=plan_of(rules.policy)[-1].blocks,
    )


def answer_of(ahead: int, same: bool) -> Answer:
    """The answer where the direction is `ahead` and the difference is within the band or not."""
    if same:
        return Answer.SAME
    return {1: Answer.BETTER, -1: Answer.WORSE, 0: Answer.UNKNOWN}[ahead]


def without_answer(verdict: Verdict) -> Verdict:
    """The numbers without an answer: further blocks cannot give one to blocks that disagree."""
    stop = None if verdict.stop is StopReason.DECIDED else verdict.stop
    return replace(
        verdict, answer=Answer.UNKNOWN, ahead=0, same=False, p_direction=1.0, p_same=1.0, blocks_needed=None, stop=stop
    )


def _stop(satisfied: bool, used: int, given: int, needed: int | None, rules: _Rules) -> StopReason | None:
    """Stopping for any reason but a decision is always safe: the boundaries hold for every way of stopping."""
    if satisfied:
        return StopReason.DECIDED
    following = next_look(given, rules.policy)
    if following is None or following > rules.mode.cap:
        return StopReason.CAP
    hopeless = needed is not None and used >= HOPELESS_FROM and needed > HOPELESS_FACTOR * rules.mode.cap
    if hopeless and not rules.mode.patient:
        return StopReason.HOPELESS
    return None


def _blocks_needed(at: Look, cell: int, boundary: Boundary, band: float, policy: int) -> int:
    """Projected blocks in all, from the noise and the estimate so far.

    The number n with n = (c·s/gap)², for the nearer of the two answers: a direction (gap = distance from 1) or
    sameness (gap = distance from the band).
    """
    found = at.estimates
    noise = min(float(found.mean_error[cell]), float(found.trimmed_error[cell])) * math.sqrt(boundary.blocks)
    distance = abs(float(found.trimmed[cell]))
    nearer = min(
        _first_look(noise, distance, policy, same=False), _first_look(noise, band - distance, policy, same=True)
    )
    return max(nearer, next_look(boundary.blocks, policy) or boundary.blocks + 1)


def _first_look(noise: float, gap: float, policy: int, *, same: bool) -> int:
    """First look that would decide; beyond the last look, its critical value carried on."""
    if gap <= noise * 1e-3:
        return 10**6
    for boundary in plan_of(policy):
        needed = ((boundary.c1 if same else boundary.c2) * noise / gap) ** 2
        if needed <= boundary.blocks:
            return boundary.blocks
    return math.ceil(needed)
