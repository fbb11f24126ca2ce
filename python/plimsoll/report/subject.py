"""Whom a report is about: the places that were measured, or the products that these were allocations of.

Several allocations of a product are several places, and each has a row of its own in whatever shows evidence. An
answer is about the product: its score is that of its allocations, its verdict that of `stats/products.py`, and its
price is one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from plimsoll.model import RENTED
from plimsoll.report.evidence import Evidence, ScoreLine
from plimsoll.report.naming import Named
from plimsoll.report.suite import Suite
from plimsoll.stats.cases import Names
from plimsoll.stats.paired import Cell
from plimsoll.stats.products import Product
from plimsoll.stats.summary import summarise


@dataclass(frozen=True)
class Products(Evidence):
    """Sessions on several allocations of their targets, told by product; its runs have the names of the products."""

    allocated: Evidence = field(kw_only=True, repr=False)
    """The same with every allocation as a target of its own."""

    def _names(self) -> Named:
        names = self.allocated.named.names
        stored = names.named
        called = {run: work._replace(target=stored[work.target]) for run, work in self.allocated.named.called.items()}
        works = {work: told._replace(target=stored[told.target]) for work, told in names.works.items()}
        # Runs share their targets, and go on to do so.
        targets = {id(run.target): run.target for run in self.allocated.runs}
        renamed = {key: target.model_copy(update={"name": stored[target.name]}) for key, target in targets.items()}
        runs = [run.model_copy(update={"target": renamed[id(run.target)]}) for run in self.allocated.runs]
        return Named(runs, called, Names(works, {name: name for name in stored.values()}))

    @property
    def unit(self) -> str:
        """What a verdict counts."""
        return "fresh allocation"

    @cached_property
    def products(self) -> tuple[Product, ...]:
        """As the allocations have them."""
        return self.allocated.products

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The comparisons of products, with allocations in place of blocks."""
        return tuple(each.cell for each in self.products)

    @cached_property
    def suites(self) -> tuple[Suite, ...]:
        """Nothing: one number for many cases is made of blocks."""
        return ()

    @cached_property
    def lines(self) -> tuple[ScoreLine, ...]:
        """The score of each product: of its allocations, each of which counts once, however many runs it has."""
        stored = self.allocated.named.names.named
        found: dict[tuple[str, str, str], list[ScoreLine]] = {}
        for line in self.allocated.lines:
            found.setdefault((line.case, line.metric, stored[line.target]), []).append(line)
        places = [(case, metric, target) for case, metric in self.metrics for target in self.targets]
        return tuple(self._line_of(place, found[place]) for place in places if place in found)

    def _line_of(self, place: tuple[str, str, str], own: list[ScoreLine]) -> ScoreLine:
        case, metric, target = place
        first, uneven = own[0], sum(line.split is not None for line in own)
        scores = tuple(line.summary.value for line in own if line.summary is not None)
        return ScoreLine(
            case,
            target,
            metric,
            first.unit,
            first.direction,
            first.judged,
            scores or tuple(value for line in own for value in line.values),
            summarise(scores, first.direction) if scores and not uneven else None,
            self.standings.get((case, target)),
            uneven=uneven,
        )


def subject(evidence: Evidence) -> Evidence:
    """The products where every comparison is one of products, else the evidence as it is.

    Sessions made by hand are allocations of a product as soon as a verdict is possible; what was rented is one of it
    from the second on.
    """
    found = evidence.products
    if not found or not (any(each.is_enough for each in found) or _all_rented(evidence)):
        return evidence
    stored = evidence.named.names.named
    judged = {(each.cell.case, each.cell.metric, each.cell.target) for each in found}
    asked = {
        (cell.case, cell.metric, stored[cell.target])
        for cell in evidence.cells
        if stored[cell.target] != stored[cell.baseline]
    }
    if not asked <= judged:
        return evidence
    baseline = stored[evidence.reference] if evidence.reference is not None else None
    return Products(
        evidence.sessions,
        evidence.runs,
        baseline,
        evidence.band,
        policy=evidence.policy,
        objective=evidence.objective,
        every=evidence.every,
        allocated=evidence,
    )


def _all_rented(evidence: Evidence) -> bool:
    return all(run.target.kind == RENTED for run in evidence.runs)
