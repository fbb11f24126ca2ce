"""What several sessions on fresh places say of the products, with the allocation as the unit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from plimsoll.catalog.targets import shape_of
from plimsoll.model import RENTED
from plimsoll.report.document import (
    Block,
    Cell,
    Phrase,
    Sentence,
    Table,
    Text,
    Tone,
    columns,
    number,
    phrase,
    span,
    text,
)
from plimsoll.report.evidence import Evidence
from plimsoll.report.labels import ratio_in_words
from plimsoll.report.sections.verdicts import TONES, WORDS
from plimsoll.report.subject import subject
from plimsoll.stats.digits import in_columns
from plimsoll.stats.direction import said, words
from plimsoll.stats.products import Product
from plimsoll.stats.sentences import sentence

ORDER = 5
TITLE = "Products"
SHORT = True
LEAD = True

MANY_SENTENCES = 12
"""More of them are in the table only."""


def build(evidence: Evidence) -> list[Block]:
    """Nothing where no comparison has enough allocations for a verdict, unless the answer is about products anyway."""
    told = subject(evidence) is not evidence
    return blocks(evidence, [each for each in evidence.products if each.is_enough or told])


def blocks(evidence: Evidence, found: Sequence[Product]) -> list[Block]:
    """The section of these comparisons."""
    if not found:
        return []
    deciding = [each for each in found if evidence.judged[each.cell.case][0] == each.cell.metric] or list(found)
    told = tuple(
        Sentence(_sentence(evidence, each), TONES[each.cell.verdict.answer]) for each in deciding[:MANY_SENTENCES]
    )
    most = max(len(each.allocations) for each in found)
    notes = [
        "An allocation is one pair of places, from all sessions that ran there. Each gives one ratio, the mean of its "
        "blocks, and these are judged by the rule for blocks: more blocks on one pair of places say nothing more of "
        "the products. “Between allocations” is how far their ratios differ beyond the noise of each.",
    ]
    if most < len(evidence.sessions):
        notes.append(
            f"These {len(evidence.sessions)} sessions are {most} allocations at most: those that shared a place, or of "
            "whose places nothing known differs, count as one."
        )
    if rented := _rented(evidence):
        told = (*told, Sentence(rented, Tone.NOTE))
    return [Text(told), _table(evidence, found), text(*notes, tone=Tone.NOTE, short=False)]


def _rented(evidence: Evidence) -> str:
    """What the products were, and where, of targets that were rented; nothing of others."""
    stored = evidence.named.names.named
    rented = [run.target for run in evidence.runs if run.target.kind == RENTED]
    shapes = {stored.get(target.name, target.name): shape_of(target) for target in rented}
    known = "; ".join(f"{name}: {shape.summary}" for name, shape in sorted(shapes.items()) if shape is not None)
    facts = [target.facts.get(RENTED) for target in rented]
    zones = sorted({str(each.get("zone")) for each in facts if isinstance(each, Mapping) and each.get("zone")})
    return f"Rented afresh for each allocation, in {', '.join(zones)}: {known}." if known and zones else ""


def _sentence(evidence: Evidence, product: Product) -> str:
    cell = product.cell
    label = evidence.metric_label(cell.case, cell.metric, cell.target, cell.baseline)
    told = f"{cell.case}, {label}: {sentence(cell)}."
    if product.next_ratio is None:
        return told
    return (
        f"{told} From allocation to allocation that varies by {_between(product)}; one more of each would be "
        f"{_next(product)}, with 95 % confidence."
    )


def _next(product: Product) -> str:
    """`1.05× to 1.40× slower`, `0.90× to 1.20× as fast`: where one more allocation lies; nothing if that is unknown."""
    if product.next_ratio is None:
        return ""
    low, high = sorted(said(product.cell, end) for end in product.next_ratio)
    manner, more, less = words(product.cell)
    if low > 1 or high < 1:
        low, high, manner = (low, high, more) if low > 1 else (1 / high, 1 / low, less)
    _, interval = in_columns(low, math.sqrt(low * high), high)
    return f"{interval.replace('…', ' to ')} {manner}"


def _table(evidence: Evidence, found: Sequence[Product]) -> Table:
    titles = ("Case", "Metric", "Verdict", "Target", ">Ratio", ">Interval", "Against", ">Allocations", ">Next one")
    head = columns(*titles, ">Between allocations")
    return Table("Every comparison of products", head, tuple(_row(evidence, each) for each in found), short=False)


def _row(evidence: Evidence, product: Product) -> tuple[Cell, ...]:
    cell, found = product.cell, product.cell.verdict
    told, interval = ratio_in_words(cell)
    return (
        phrase(cell.case),
        phrase(evidence.metric_label(cell.case, cell.metric, cell.target, cell.baseline)),
        Phrase(WORDS[found.answer], TONES[found.answer]),
        phrase(cell.target),
        number(found.ratio, "x", told),
        span(found.ratio_low, found.ratio_high, "x", interval),
        phrase(cell.baseline),
        number(len(product.allocations), "1"),
        span(*product.next_ratio, "x", _next(product)) if product.next_ratio is not None else None,
        phrase(_between(product)),
    )


def _between(product: Product) -> str:
    """`4 % (0 % to 12 %)`; nothing below three allocations."""
    spread = product.spread
    if spread is None:
        return ""
    middle, low, high = (f"{100 * each:.2g} %" for each in (spread.between, spread.low, spread.high))
    return f"{middle} ({low} to {high})"
