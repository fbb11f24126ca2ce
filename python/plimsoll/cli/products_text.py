"""What `plimsoll compare --products` writes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import typer

from plimsoll.errors import UsageError

if TYPE_CHECKING:
    from plimsoll.report import Evidence
    from plimsoll.stats.products import Product
    from plimsoll.stats.verdict import Answer

FORMATS = ("text", "json", "csv")


def print_products(evidence: Evidence, form: str, failing: Collection[Answer]) -> None:
    """The verdicts on products; exit code 1 where one is among `failing`. UsageError where there is no comparison."""
    from plimsoll.cli.output import console, print_csv, print_json, say
    from plimsoll.report.document import Document, Section
    from plimsoll.report.renderers.terminal import print_document
    from plimsoll.report.sections.data import flat
    from plimsoll.report.sections.products import TITLE, blocks
    from plimsoll.stats.sentences import sentence

    if form not in FORMATS:
        raise UsageError(f"--products writes {', '.join(FORMATS)}; leave --format {form} out")
    found = evidence.products
    if not found and (names := evidence.several_products):
        raise UsageError(
            f"--products: {', '.join(names)} {'is' if len(names) == 1 else 'are'} not one product in these sessions: "
            "volumes, file systems or parameters differ; name sessions that ran the same"
        )
    if not found:
        count = len(evidence.sessions)
        sessions = "one session is" if count == 1 else f"these {count} sessions are"
        raise UsageError(
            f"--products: {sessions} one allocation, as far as the facts of their places tell; run the same targets "
            "again on fresh volumes, and name those sessions too"
        )
    if form == "json":
        print_json(_rows(found))
    elif form == "csv":
        print_csv(_rows(found))
    else:
        section = Section("products", TITLE, tuple(blocks(evidence, found)), short=True)
        title = f"{len(evidence.sessions)} sessions"
        print_document(
            Document(title=title, subtitle="", sections=(section,), make_scores=partial(flat, evidence)),
            console(),
            every=True,
        )
    closing = [each for each in found if each.cell.verdict.answer in failing]
    for each in closing:
        say(f"gate: {each.cell.case}, {each.cell.metric}: {sentence(each.cell)}")
    if closing:
        raise typer.Exit(1)


def _rows(found: Sequence[Product]) -> list[dict[str, Any]]:
    """Ratios as measured; spreads are standard deviations of their natural logarithms."""
    from plimsoll.stats.sentences import sentence

    rows = []
    for each in found:
        cell, verdict, spread = each.cell, each.cell.verdict, each.spread
        low, high = each.next_ratio or (None, None)
        rows.append(
            {
                "test": cell.case, "metric": cell.metric, "baseline": cell.baseline, "target": cell.target,
                "answer": str(verdict.answer.value), "ratio": verdict.ratio, "ratio_low": verdict.ratio_low,
                "ratio_high": verdict.ratio_high, "allocations": len(each.allocations),
                "allocations_needed": verdict.blocks_needed, "next_low": low, "next_high": high,
                "between": spread and spread.between, "between_low": spread and spread.low,
                "between_high": spread and spread.high, "within": spread and spread.within,
                "sentence": sentence(cell),
            }
        )  # fmt: skip
    return rows
