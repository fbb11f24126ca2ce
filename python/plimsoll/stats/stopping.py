"""After a round of blocks: one more round, or stop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll.stats.policy import LOOKS, Mode, log_width, next_look
from plimsoll.stats.summary import Summary
from plimsoll.stats.verdict import StopReason, Verdict


@dataclass(frozen=True, slots=True)
class Stop:
    """No more blocks."""

    reason: StopReason
    blocks_needed: int | None = None
    """Projected blocks in all, where something is still undecided."""


@dataclass(frozen=True, slots=True)
class Go:
    """Run blocks until there are `blocks` of them, then look again."""

    blocks: int


def next_step(verdicts: Sequence[Verdict], mode: Mode, blocks: int, cap: int | None = None) -> Stop | Go:
    """What to do after `blocks` blocks of several targets; `verdicts` are those that decide (the primary metrics).

    Blocks without a valid pair do not count for their cell, so a cell may lag behind `blocks`. Every verdict must
    have been judged with the same mode and cap.
    """
    limit = mode.cap if cap is None else cap
    first = min(LOOKS[0], limit)
    if blocks < first:
        return Go(first)
    pending = [verdict for verdict in verdicts if verdict.stop is None]
    needed = max((v.blocks_needed for v in verdicts if v.blocks_needed is not None), default=None)
    if not pending:
        return Stop(_worst_reason(verdicts), needed)
    lags = [(next_look(verdict.blocks_given) or LOOKS[-1]) - verdict.blocks_given for verdict in pending]
    # A cell that lost blocks may catch up, but never by more than it can reach under the cap.
    reachable = [lag for lag in lags if lag > 0 and blocks + lag <= limit]
    return Go(blocks + min(reachable)) if reachable else Stop(StopReason.CAP, needed)


def next_step_single(summaries: Sequence[Summary], mode: Mode, blocks: int, cap: int | None = None) -> Stop | Go:
    """What to do after `blocks` blocks of one target: go on until every primary score is precise enough."""
    limit = mode.cap if cap is None else cap
    first = min(LOOKS[0], limit)
    if blocks < first:
        return Go(first)
    target = None if mode.score_width is None else log_width(mode.score_width)
    if target is None or all(summary.half_width <= target for summary in summaries):
        return Stop(StopReason.DECIDED)
    following = next_look(blocks)
    if following is None or following > limit:
        return Stop(StopReason.CAP)
    return Go(following)


def _worst_reason(verdicts: Sequence[Verdict]) -> StopReason:
    """One reason for all: an undecided cell outweighs a decided one."""
    reasons = {verdict.stop for verdict in verdicts}
    for reason in (StopReason.CAP, StopReason.HOPELESS):
        if reason in reasons:
            return reason
    return StopReason.DECIDED
