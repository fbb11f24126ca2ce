"""One look at a case: whether it goes on, from the score rows of its deciding metric alone."""

from __future__ import annotations

import math
from collections.abc import Sequence

from plimsoll.stats.paired import ScoreRow, cells, valid_scores
from plimsoll.stats.policy import Mode
from plimsoll.stats.stopping import Go, Stop, next_step, next_step_single
from plimsoll.stats.summary import Summary, summarise


def looked(
    rows: Sequence[ScoreRow],
    targets: Sequence[str],
    baseline: str | None,
    *,
    band: float,
    mode: Mode,
    blocks: int,
) -> tuple[Stop | Go, list[Summary]]:
    """What to do after `blocks` blocks, and the score of a single target; several have comparisons instead.

    A `baseline` that is not among the targets gives way to the first of them.
    """
    if len(targets) > 1:
        reference = baseline if baseline is not None and baseline in targets else targets[0]
        known = any(row.target == reference for row in rows)
        found = cells(rows, reference, band=band, mode=mode) if known else []
        return next_step([cell.verdict for cell in found], mode, blocks), []
    usable = ([value for value in values if 0 < value < math.inf] for values in valid_scores(rows).values())
    summaries = [summarise(values, rows[0].direction) for values in usable if values]
    return next_step_single(summaries, mode, blocks), summaries


def repeated(blocks: int) -> str:
    """How a case ended that was to have exactly so many blocks."""
    return "repeated once" if blocks == 1 else f"repeated {blocks} times"
