"""Was the queue as full as the test says?"""

from __future__ import annotations

from plimsoll.model import Finding
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding, graded_below, percent, softened
from plimsoll.run.workers.local import engines

NAME = "queue"
TITLE = "Queue depth reached"
WHY = """A test at depth 64 that keeps only 20 operations in flight is a test at depth 20: the client could not fill
the queue."""

WARN, INVALID = 0.90, 0.50
"""Mean in flight / (depth × threads)."""
FEWEST_ROUNDS = 20


def check(evidence: RunEvidence) -> Finding | None:
    """Closed loop on a device; pauses, syncs and the page cache empty the queue on purpose."""
    values = evidence.io
    pauses = evidence.is_paced or values["think_time"] or evidence.syncs or values["sync_at_end"]
    operations = sum(evidence.totals(kind)["operations"] for kind in ("read", "write", "trim"))
    if pauses or not values["direct"] or not evidence.on_device or operations < FEWEST_ROUNDS * evidence.in_flight:
        return None
    mean = evidence.outcome["mean_in_flight"]
    share = mean / evidence.in_flight
    level = graded_below(share, WARN, INVALID)
    return finding(
        NAME,
        softened(level, evidence.long_enough),
        f"on average {mean:.3g} operations were in flight, {percent(share)} of the {evidence.in_flight} asked for",
        _advice(values["depth"], values["engine"]),
        mean_in_flight=mean,
        share=share,
    )


def _advice(depth: int, engine: str) -> str:
    """What may fill the queue, by how it is filled now: an engine that takes no depth has one operation per thread."""
    if depth > 1:
        way = f"Use more threads with less depth each: one thread of {engine} could not submit fast enough"
    elif engines()[engine].max_depth == 1:
        way = f"Use fewer threads, and in place of {engine} an engine that queues (io_uring, libaio), with more depth"
    else:
        way = "Use fewer threads with more depth each"
    return f"{way}; if the device is that fast, a smaller queue says the same."
