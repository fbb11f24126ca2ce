"""One look at a case: whether it goes on, from the score rows of its deciding metric alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from plimsoll.metrics import short_title
from plimsoll.stats.paired import Cell, ScoreRow, cells, valid_scores
from plimsoll.stats.policy import Mode
from plimsoll.stats.sentences import blocks as count_of
from plimsoll.stats.sentences import ratio
from plimsoll.stats.stopping import Go, Stop, next_step, next_step_single, precision
from plimsoll.stats.summary import Summary, summarise

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


def still_open(metric: str, blocks: int, look: Look) -> str | None:
    """What a look that ends nothing has left open, as a sentence without its subject; None if it was too early for one.

    `IOPS undecided after 3 blocks: d9 / d8 1.04× (0.93…1.17); next look after 4`
    """
    pending = [cell for cell in look.cells if cell.verdict.stop is None]
    if not isinstance(look.step, Go) or not (pending or look.summaries):
        return None
    if pending:
        told = [f"{cell.target} / {cell.baseline} {ratio(cell.verdict)}" for cell in pending[:MOST_TOLD]]
        others = f" and {len(pending) - MOST_TOLD} more" if len(pending) > MOST_TOLD else ""
        known = f"undecided after {count_of(blocks)}: {', '.join(told)}{others}"
    else:
        known = f"{precision(look.summaries)} after {count_of(blocks)}"
    return f"{short_title(metric)} {known}; next look after {look.step.blocks}"


def repeated(blocks: int) -> str:
    """How a case ended that was to have exactly so many blocks."""
    return "repeated once" if blocks == 1 else f"repeated {blocks} times"
