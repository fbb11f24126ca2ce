"""Every verdict as one plain sentence."""

from __future__ import annotations

import math

from plimsoll.stats.digits import decimals, rounded
from plimsoll.stats.direction import difference, level, relation
from plimsoll.stats.paired import Cell
from plimsoll.stats.policy import LOOKS
from plimsoll.stats.ratio_text import levels_told
from plimsoll.stats.standing import afterwards, while_bursting
from plimsoll.stats.unpaired import FEWEST_RUNS, Apart
from plimsoll.stats.verdict import Answer, StopReason, Verdict

MANY_ALLOCATIONS = 100
MANY_BLOCKS = 1000
"""Projections above this are not told apart."""


def sentence(cell: Cell, cost: str = "") -> str:
    """The sentence on one cell; `cost` is what the caller knows about further blocks, such as `12 min, $0.40`.

    Where the correction for many comparisons leaves nothing of a verdict, or where it is of a burst, the sentence says
    so itself. Of products, the allocations are told, not their blocks.
    """
    if cell.allocations:
        return _of_products(cell)
    names = (cell.baseline, cell.target)
    lasting = while_bursting(names, cell.standings)
    known = None if levels_told(cell) else cell.verdict.ratio
    after = afterwards(names, cell.standings, known, cell.unit, cell.metric)
    told = _told(cell, cost, lasting if cell.verdict.decided else "")
    if cell.corrected:
        told += f" (not significant after correction for {cell.corrected:,} comparisons)"
    if cell.verdict.estimate is None:
        return told
    return told + (f"; measured{lasting}" if lasting and not cell.verdict.decided else "") + after


def _told(cell: Cell, cost: str, lasting: str) -> str:
    """The answer; `lasting` says how long it holds."""
    verdict, other, baseline = cell.verdict, cell.target, cell.baseline
    if cell.apart is not None and (verdict.preview or not verdict.decided):
        return _undecided_apart(cell, cell.apart)
    if verdict.preview:
        return _preview(cell)
    if _disagree(cell):
        return f"no verdict: {relation(cell)}; the ratio is not the same in all blocks, so there is no one answer"
    count = blocks(verdict.blocks_used) if cell.apart is None else _sets(cell.apart)
    if verdict.answer is Answer.SAME:
        same = f"{other} and {baseline} are the same within {band(verdict.band)}{lasting}"
        return f"{same}: {level(cell)}{'' if levels_told(cell) else _ahead(cell)}, {count}"
    if verdict.answer is Answer.UNKNOWN:
        return f"not enough data: {relation(cell)} after {count}; {_further(verdict, cost)}"
    return f"{difference(cell, lasting)}, {count}"


def _of_products(cell: Cell) -> str:
    verdict, count = cell.verdict, f"{cell.allocations} fresh allocations of each"
    lasting = while_bursting((cell.baseline, cell.target), cell.standings)
    if verdict.preview:
        return f"preview, no verdict: {relation(cell, lasting)} over {count}; a verdict on products needs {LOOKS[0]}"
    if verdict.answer is Answer.SAME:
        same = f"{cell.target} and {cell.baseline} are the same within ±{100 * verdict.band:.3g} %{lasting}"
        return f"{same}: {level(cell)}, {count}"
    if verdict.decided:
        return f"{difference(cell, lasting)}, {count}"
    more = further_blocks(verdict) or 1
    further = "about 1 more allocation" if more == 1 else f"about {more:,} more allocations"
    if more > MANY_ALLOCATIONS:
        further = f"more than {MANY_ALLOCATIONS} more allocations"
    return f"not enough data: {relation(cell, lasting)} over {count}; {further}"


def _disagree(cell: Cell) -> bool:
    """Whether there is no answer because blocks have different ones; of noisy blocks a number of more is known."""
    return cell.split is not None and not cell.verdict.decided and cell.verdict.blocks_needed is None


def answer_word(cell: Cell) -> str:
    """The answer in a word or two, as a table has it."""
    apart = cell.apart
    if not cell.verdict.decided and (
        _disagree(cell) or (apart is not None and (apart.withheld or apart.stated == "inside"))
    ):
        return "no verdict"
    if apart is not None and apart.stated == "touch":
        return "no significant difference"
    return "not enough data" if cell.verdict.answer is Answer.UNKNOWN else str(cell.verdict.answer.value)


def band(relative: float) -> str:
    """`±10 % (−9.1 %/+10 %)`: symmetric for the log, so not in percent."""
    lower = 100 * relative / (1 + relative)
    return f"±{100 * relative:.3g} % (−{lower:.2g} %/+{100 * relative:.3g} %)"


def blocks(count: int) -> str:
    """`1 block`, `4 blocks`."""
    return f"{count:,} block{'' if count == 1 else 's'}"


def further_blocks(verdict: Verdict) -> int | None:
    """Projected blocks beyond those given until a verdict; None once decided."""
    return None if verdict.blocks_needed is None else max(1, verdict.blocks_needed - verdict.blocks_given)


def _further(verdict: Verdict, cost: str) -> str:
    more = further_blocks(verdict) or 1
    known = f"about {more:,} more blocks" if more <= MANY_BLOCKS else f"more than {MANY_BLOCKS:,} more blocks"
    if more == 1:
        known = "about 1 more block"
    text = f"{known} ({cost})" if cost else known
    if verdict.stop is StopReason.HOPELESS:
        return f"{text}: reduce the noise or widen the band"
    return f"{text}, in a new session" if verdict.blocks_used == verdict.last else text


def _preview(cell: Cell) -> str:
    if cell.verdict.estimate is None:
        return f"no verdict: {cell.target} and {cell.baseline} have no valid block in common"
    count = blocks(cell.verdict.blocks_given)
    return f"preview, no verdict: {relation(cell)} after {count}; a verdict needs {LOOKS[0]}"


def _sets(judged: Apart) -> str:
    """`5 and 3 runs measured apart`: where this stands, the guarantee is weaker."""
    if judged.stated:
        return judged.told
    return f"{judged.target_runs:,} and {judged.baseline_runs:,} runs measured apart"


def _undecided_apart(cell: Cell, judged: Apart) -> str:
    verdict = cell.verdict
    if verdict.estimate is None and not levels_told(cell):
        return f"no verdict: {cell.target} and {cell.baseline} have no usable runs of both"
    told = f"{relation(cell)}, {_sets(judged)}"
    if judged.withheld:
        return f"no verdict: {told}; {judged.withheld}"
    if judged.stated == "touch":
        return f"no significant difference: {told}"
    if judged.stated == "inside":
        why = "the difference is within the band, but “the same” cannot be claimed without the number of runs"
        return f"no verdict: {told}; {why}"
    if verdict.preview:
        return f"ratio, no verdict: {told}; a verdict needs {FEWEST_RUNS} of each"
    return f"not enough data: {told}; more runs, or interleaved runs, would tell"


def _ahead(cell: Cell) -> str:
    """Within the band, but the direction is known: who is ahead and by how much."""
    verdict = cell.verdict
    if not verdict.ahead or verdict.estimate is None or verdict.low is None or verdict.high is None:
        return ""
    ends = sorted(100 * math.expm1(verdict.ahead * end) for end in (verdict.low, verdict.high))
    middle = 100 * math.expm1(verdict.ahead * verdict.estimate)
    digits = decimals((ends[1] - ends[0]) / 2)
    name = cell.target if verdict.ahead > 0 else cell.baseline
    return f" ({name} ahead by {rounded(middle, digits)} %, {rounded(ends[0], digits)}…{rounded(ends[1], digits)} %)"
