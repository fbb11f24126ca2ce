"""Several sessions on fresh places: what is said of the products, and what is not."""

from __future__ import annotations

from tests.golden.sentences.of_reports import of_evidence
from tests.golden.sentences.speech import Situation, of_blocks
from tests.unit.report.test_bill_section import rented
from tests.unit.report.test_products import judged
from tests.unit.report.test_subject import fallen

from plimsoll.report.sections.products import blocks

NEEDS = "A statement about a product needs 3 or more sessions"


def _asked(name: str, ratios: list[float], hosts: list[str], *says: str, never: tuple[str, ...]) -> Situation:
    """What `compare --products` says, also of fewer allocations than a verdict needs."""

    def speak() -> list[str]:
        found = judged(ratios, hosts=hosts)
        return of_blocks(blocks(found, found.products))

    return Situation("products", name, speak, says, never)


SITUATIONS: list[Situation] = [
    of_evidence(
        "a slower product",
        lambda: judged([0.78, 0.83, 0.80, 0.75, 0.82]),
        "5 fresh allocations of each. From allocation to allocation that varies by ",
        "; one more of each would be 1.",
        "× slower, with 95 % confidence.",
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
        never=(NEEDS, "× slower, with 95 %"),
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
    _asked(
        "two allocations",
        [0.8, 0.8],
        ["a", "b"],
        "over 2 fresh allocations of each; a verdict on products needs 3",
        never=("one more of each",),
    ),
    _asked(
        "two of three sessions on one machine",
        [0.8, 0.8, 0.8],
        ["a", "a", "b"],
        "These 3 sessions are 2 allocations at most",
        never=("3 fresh allocations",),
    ),
    of_evidence(
        "rented afresh three times",
        lambda: rented([1.0, 0.9, 0.8]),
        "The verdict is wrong with probability at most 5 %, from 3 fresh allocations.",
        "Volume cost per month: a $8.00, b $10.00, ",
        "Each allocation by itself; what all of them say of the products stands under “Answer” and “Products”.",
        "the interval holds the score of the product in 95 of 100 such studies",
        never=("of the measurement: ", "no single score", "from 4 blocks", NEEDS),
    ),
    of_evidence(
        "rented once",
        lambda: rented([1.0]),
        "from 4 blocks",
        NEEDS,
        never=("Each allocation by itself", "score of the product", "fresh allocation"),
    ),
    of_evidence(
        "rented afresh twice",
        lambda: rented([1.0, 0.9]),
        "b against a has no verdict",
        "over 2 fresh allocations of each; a verdict on products needs 3",
        never=("one more of each would",),
    ),
    of_evidence(
        "allocations that fell",
        fallen,
        "io2 has no single score within 3 allocations in randread (IOPS); “Scores” has each.",
        never=("of the measurement: ",),
    ),
    of_evidence(
        "two allocations, in a report",
        lambda: judged([0.8, 0.8]),
        NEEDS,
        never=("fresh allocations", "Products"),
    ),
    of_evidence(
        "always the same places",
        lambda: judged([0.8, 0.8, 0.8], hosts=["a", "a", "a"]),
        NEEDS,
        never=("fresh allocations", "Products"),
    ),
]
