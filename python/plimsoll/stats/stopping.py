"""After a round of blocks: one more round, or stop."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll import metrics
from plimsoll.stats.policy import LAST, LOOKS, Mode, log_width, next_look
from plimsoll.stats.summary import Summary
from plimsoll.stats.verdict import StopReason, Verdict

PRECISE_ENOUGH = 0.10
"""Relative half-width from which on a score is called precise where the mode asks for none."""


@dataclass(frozen=True, slots=True)
class Stop:
    """A case ends: no block of it follows."""

    reason: StopReason
    blocks_needed: int | None = None
    """Projected blocks in all, where something is still undecided."""


@dataclass(frozen=True, slots=True)
class Go:
    """Run blocks until there are `blocks` of them, then look again."""

    blocks: int


def next_step(verdicts: Sequence[Verdict], mode: Mode, blocks: int) -> Stop | Go:
    """What to do after `blocks` blocks of several targets; `verdicts` are those that decide (the primary metrics).

    Blocks without a valid pair do not count for their cell, so a cell may lag behind `blocks`. Every verdict must
    have been judged with the same mode.
    """
    first = min(LOOKS[0], mode.cap)
    if blocks < first:
        return Go(first)
    if not verdicts:
        return Stop(StopReason.NOTHING_VALID)
    pending = [verdict for verdict in verdicts if verdict.stop is None]
    needed = max((v.blocks_needed for v in verdicts if v.blocks_needed is not None), default=None)
    if not pending:
        return Stop(_worst_reason(verdicts), needed)
    lags = [(next_look(verdict.blocks_given) or LAST) - verdict.blocks_given for verdict in pending]
    # A cell that lost blocks may catch up, but never by more than it can reach under the cap.
    reachable = [lag for lag in lags if lag > 0 and blocks + lag <= mode.cap]
    if reachable:
        return Go(blocks + min(reachable))
    nothing = all(verdict.estimate is None for verdict in verdicts)
    return Stop(StopReason.NOTHING_VALID if nothing else StopReason.CAP, needed)


def next_step_single(summaries: Sequence[Summary], mode: Mode, blocks: int) -> Stop | Go:
    """What to do after `blocks` blocks of one target: go on until every primary score is precise enough.

    A mode without a width of its own stops at the first look, whatever is known by then.
    """
    first = min(LOOKS[0], mode.cap)
    if blocks < first:
        return Go(first)
    if not summaries:
        return Stop(StopReason.NOTHING_VALID)
    target = log_width(mode.score_width or PRECISE_ENOUGH)
    if all(summary.half_width <= target for summary in summaries):
        return Stop(StopReason.PRECISE)
    following = next_look(blocks)
    if following is None or following > last_block(mode, targets=1):
        return Stop(StopReason.CAP)
    return Go(following)


def last_block(mode: Mode, targets: int) -> int:
    """The number of blocks after which a case of so many targets ends, whatever is known by then."""
    return min(LOOKS[0], mode.cap) if targets == 1 and mode.score_width is None else mode.cap


def _worst_reason(verdicts: Sequence[Verdict]) -> StopReason:
    """One reason for all: an undecided cell outweighs a decided one."""
    reasons = {verdict.stop for verdict in verdicts}
    for reason in (StopReason.CAP, StopReason.HOPELESS):
        if reason in reasons:
            return reason
    return StopReason.DECIDED


def closing(
    stop: Stop,
    metric: str,
    blocks: int,
    valid: tuple[int, int],
    summaries: Sequence[Summary] = (),
    *,
    asked: int | None = None,
) -> str:
    """What stopped a case, as a sentence without its subject: `IOPS decided after 3 blocks`.

    `metric` is the primary one, `valid` how many runs are valid and how many there are; `summaries` are those of a
    single target, and empty where targets were compared. `asked` is the limit of blocks that the user has set.
    """
    name, count = metrics.short_title(metric), f"{blocks:,} block{'' if blocks == 1 else 's'}"
    ok, made = valid
    if stop.reason is StopReason.NOTHING_VALID:
        told = f"no valid block to judge {name} by after {count}" if ok else f"no valid runs in {count}"
    elif stop.reason is StopReason.PRECISE:
        told = f"{name} precise enough after {count}: {precision(summaries)}"
    elif stop.reason is StopReason.DECIDED:
        told = f"{name} decided after {count}"
    elif stop.reason is StopReason.HOPELESS:
        told = f"{name} not decidable with this noise, stopped after {count}"
    else:
        known = precision(summaries) if summaries else "undecided"
        told = f"limit of {count} reached, {name} {known}"
        if asked and blocks < asked:
            told = f"stopped after {blocks:,} of at most {asked:,} blocks, {name} {known}: "
            told += _before_the_limit(blocks, asked, single=bool(summaries))
    return f"{told}; {ok:,} of {made:,} runs valid" if 0 < ok < made else told


def _before_the_limit(blocks: int, asked: int, *, single: bool) -> str:
    """Why no block follows although the user's limit allows it."""
    following = next_look(blocks)
    if following is not None and following > asked:
        return f"the next look would be after {following}"
    if single:
        return f"in this mode one target alone gets no more; --repeats {asked} makes exactly so many"
    return "too few of them are valid for another look"


def precision(summaries: Sequence[Summary]) -> str:
    """How well the least certain score is known; a factor where a percentage would mislead."""
    widest = max(summary.half_width for summary in summaries)
    if not math.isfinite(widest):
        return "without an interval, for a single valid run has none"
    return f"known to within {within(widest)}"


def within(half_width: float) -> str:
    """Half an interval of logs: `±12 %`, `a factor of 2.3`."""
    factor = math.exp(min(half_width, math.log(1e6)))
    return f"±{max(100 * (factor - 1), 0.1):.2g} %" if factor < 1.99 else f"a factor of {factor:,.2g}"
