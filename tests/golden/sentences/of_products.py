"""Several sessions on fresh places: what is said of the products, and what is not."""

from __future__ import annotations

from tests.golden.sentences.of_reports import of_evidence
from tests.golden.sentences.speech import Situation
from tests.unit.report.test_products import judged

NEEDS = "A statement about a product needs 3 or more sessions"

SITUATIONS: list[Situation] = [
    of_evidence(
        "a slower product",
        lambda: judged([0.78, 0.83, 0.80, 0.75, 0.82]),
        "5 fresh allocations of each. One more allocation of each would have a ratio between",
        "What they say of the products, whose unit is the allocation, stands under “Products”.",
        never=(NEEDS, "count as one", "more allocations"),
    ),
    of_evidence(
        "the same product",
        lambda: judged([1.0, 1.01, 0.99, 1.0, 1.01, 0.99, 1.0, 1.0], blocks=6),
        "io2 and gp3 are the same within ±10 %: ",
        "8 fresh allocations of each",
        never=(NEEDS, "count as one"),
    ),
    of_evidence(
        "allocations that contradict each other",
        lambda: judged([0.7, 1.35, 0.8, 1.25], blocks=12),
        "over 4 fresh allocations of each; ",
        "more allocations",
        never=(NEEDS, "allocations of each. One more allocation of each would have a ratio between 0.9"),
    ),
    of_evidence(
        "hopeless allocations",
        lambda: judged([0.2, 5.0, 0.3, 3.5], blocks=6),
        "more than 100 more allocations",
    ),
    of_evidence(
        "one more allocation would do",
        lambda: judged([0.8, 0.86, 0.83], blocks=6),
        "about 1 more allocation",
        never=("more allocations",),
    ),
    of_evidence(
        "two allocations",
        lambda: judged([0.8, 0.8]),
        "over 2 fresh allocations of each; a verdict on products needs 3",
        never=("would have a ratio between",),
    ),
    of_evidence(
        "two of three sessions on one machine",
        lambda: judged([0.8, 0.8, 0.8], hosts=["a", "a", "b"]),
        "These 3 sessions are 2 allocations at most",
        never=("3 fresh allocations",),
    ),
    of_evidence(
        "always the same places",
        lambda: judged([0.8, 0.8, 0.8], hosts=["a", "a", "a"]),
        NEEDS,
        never=("fresh allocations", "Products"),
    ),
]
