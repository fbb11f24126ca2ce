"""Sessions whose targets were rented: the bill, and what was rented for a verdict on products."""

from __future__ import annotations

from tests.golden.sentences.of_reports import of_evidence
from tests.golden.sentences.speech import Situation
from tests.unit.report.test_bill_section import WHERE, rented
from tests.unit.report.test_products import judged

UNSURE = "not known to have been given back"

SITUATIONS: list[Situation] = [
    of_evidence(
        "one rental",
        lambda: rented([1.5]),
        "Rented for 1 h 30 min (one rental): $0.15 by these prices, without taxes, discounts and free tiers; the "
        "provider's own bill is the one that counts.",
        "What was rented",
        never=("one after the other", "I/O requests are those", UNSURE),
    ),
    of_evidence(
        "three allocations, one of a magnetic volume",
        lambda: rented([1.0, 1.0, 0.5], requests=True),
        "Rented for 2 h 30 min (3 rentals, one after the other)",
        "I/O requests are those counted while it was measured; preparing test files comes on top.",
        f"Rented afresh for each allocation, in us-east-1a, us-east-1b, us-east-1c: a: {WHERE}",
        never=("(one rental)", UNSURE),
    ),
    of_evidence(
        "a rental whose end is not known",
        lambda: rented([1.0], over=False),
        "One rental is not known to have been given back; `plimsoll cloud list` shows what there is.",
    ),
    of_evidence(
        "nothing rented",
        lambda: judged([0.78, 0.83, 0.80]),
        "3 fresh allocations of each",
        never=("Rented for", "What was rented", "Rented afresh"),
    ),
]
