"""One look at a case: whether it goes on, from the score rows of its deciding metric alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from plimsoll.metrics import short_title
from plimsoll.stats.direction import relation
from plimsoll.stats.paired import Cell, ScoreRow, cells, valid_scores
from plimsoll.stats.policy import Mode, log_width, next_look
from plimsoll.stats.sentences import blocks as count_of
from plimsoll.stats.shrinking import at_each_look, blocks_until, noise_of
from plimsoll.stats.stopping import Go, Stop, next_step, next_step_single, precision, within
from plimsoll.stats.summary import Summary, summarise
from plimsoll.units import format_estimate

MOST_TOLD = 3
"""Of open comparisons, in one line."""


class Look(NamedTuple):
    """What one look has shown."""

    step: Stop | Go
    summaries: Sequence[Summary] = ()
    """The score of a single target; several have comparisons instead."""
    cells: Sequence[Cell] = ()
    """The comparisons of several targets."""


def looked(
    rows: Sequence[ScoreRow],
    targets: Sequence[str],
    baseline: str | None,
    *,
    band: float,
    mode: Mode,
    blocks: int,
) -> Look:
    """What to do after `blocks` blocks, and why.

    A `baseline` that is not among the targets gives way to the first of them.
    """
    if len(targets) > 1:
        reference = baseline if baseline is not None and baseline in targets else targets[0]
        known = any(row.target == reference for row in rows)
        found = cells(rows, reference, band=band, mode=mode) if known else []
        return Look(next_step([cell.verdict for cell in found], mode, blocks), cells=found)
    usable = ([value for value in values if 0 < value < math.inf] for values in valid_scores(rows).values())
    summaries = [summarise(values, rows[0].direction) for values in usable if values]
    return Look(next_step_single(summaries, mode, blocks), summaries)


def still_open(metric: str, blocks: int, look: Look, block_ns: float, cap: int) -> str | None:
    """What a look that ends nothing has left open, as a sentence without its subject; None if it was too early for one.

    `IOPS undecided after 3 blocks: d9 is 1.04× as fast as d8 (0.93…1.17); ±10 % expected after about 5, in about 10 s;
    next look after 4`. `block_ns` is the time until it has one more block, `cap` how many there may be.
    """
    pending = [cell for cell in look.cells if cell.verdict.stop is None]
    if not isinstance(look.step, Go) or not (pending or look.summaries):
        return None
    if pending:
        told = [relation(cell) for cell in pending[:MOST_TOLD]]
        others = f" and {len(pending) - MOST_TOLD} more" if len(pending) > MOST_TOLD else ""
        known = f"undecided after {count_of(blocks)}: {', '.join(told)}{others}"
        known += "".join(f"; {each}" for each in (_shrunk(pending), _expected(pending, blocks, block_ns, cap)) if each)
    else:
        known = f"{precision(look.summaries)} after {count_of(blocks)}"
    return f"{short_title(metric)} {known}; next look after {look.step.blocks}"


def _shrunk(pending: Sequence[Cell]) -> str:
    """`±38 % at the first look, ±12 % now`; empty at the first one, and where several are told."""
    looks = at_each_look(pending[0]) if len(pending) == 1 else []
    if len(looks) < 2:
        return ""
    return f"{within(looks[0].half_width)} at the first look, {within(looks[-1].half_width)} now"


def _expected(pending: Sequence[Cell], blocks: int, block_ns: float, cap: int) -> str:
    """When the least certain one is to be known to within the band, if its noise stays as it is.

    Empty where all are, and where blocks have no common ratio.
    """
    width = pending[0].verdict.band
    wide = [cell for cell in pending if cell.split is None and cell.verdict.half_width > log_width(width)]
    noises = [noise for cell in wide if (noise := noise_of([pair.difference for pair in cell.pairs])) is not None]
    if not noises:
        return ""
    needed = blocks_until(max(noises), width)
    told = within(log_width(width))
    if needed is None:
        return f"this noise leaves {told} out of reach if it stays so"
    # Where the interval is the trimmed mean's, the mean's alone may claim to be there.
    needed = max(needed, next_look(blocks) or needed)
    if needed > cap:
        return f"{told} would take about {needed} blocks, and {cap} is the limit"
    return f"{told} expected after about {needed}, in about {format_estimate((needed - blocks) * block_ns)}"


def repeated(blocks: int) -> str:
    """How a case ended that was to have exactly so many blocks."""
    return "repeated once" if blocks == 1 else f"repeated {blocks} times"
