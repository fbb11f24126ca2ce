"""Do throughput, latency and the number in flight fit together?"""

from __future__ import annotations

from plimsoll.model import Finding
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding, graded, percent, softened
from plimsoll.stats.littles_law import residual
from plimsoll.units import SECOND

NAME = "littles_law"
TITLE = "Little's law"
WHY = """In a closed loop the number of operations in flight equals throughput times mean latency, whatever the device
does. If it does not, time was lost between the clock readings, or operations were counted wrongly."""

WARN, INVALID = 0.05, 0.15
"""|X·R̄/N − 1|, with the exact mean latency and the time-weighted mean number in flight; so think time needs no term."""
FEWEST_ROUNDS = 20
"""Operations per slot: those that are cut off at either end weigh less than 5 % then."""
COUNTED = ("read", "write", "trim", "sync")
"""A commit is a write and its sync, which are counted already."""


def check(evidence: RunEvidence) -> Finding | None:
    """Closed loop only: in open loop latency counts from the intended start."""
    if evidence.is_paced or not evidence.elapsed_ns:
        return None
    totals = [evidence.totals(kind) for kind in COUNTED]
    operations = sum(total["operations"] for total in totals)
    in_flight = evidence.outcome["mean_in_flight"]
    if operations < FEWEST_ROUNDS * evidence.in_flight or in_flight <= 0:
        return None
    rate = operations * SECOND / evidence.elapsed_ns
    mean_ns = sum(total["latency_sum_ns"] for total in totals) / operations
    off = residual(rate, mean_ns, in_flight)
    level = graded(abs(off), WARN, INVALID)
    return finding(
        NAME,
        softened(level, evidence.long_enough),
        f"throughput times mean latency is {rate * mean_ns / SECOND:.3g} operations in flight, {in_flight:.3g} were "
        f"({percent(off)} off)",
        "The test program was held up between operations or errors were left out; run on a quieter machine, and report "
        "this if it stays.",
        residual=off,
    )
