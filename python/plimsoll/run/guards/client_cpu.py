"""Was the machine that issues the I/O the limit?"""

from __future__ import annotations

from itertools import pairwise

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import at_most, finding, graded, percent, worst

NAME = "client_cpu"
TITLE = "Client CPU"
WHY = """If the thread that issues I/O, or the whole machine, is busy all the time, the result is the limit of the
processor and not of the device."""

WARN, INVALID = 0.85, 0.95
"""Busiest thread of the test, share of the measured time."""
MACHINE_BUSY, MACHINE_TIME = 0.95, 0.20
"""All processors at least this busy for more than this share of the time."""


def check(evidence: RunEvidence) -> Finding | None:
    """Runs against a device; a test of memory or of the null engine is a test of the processor."""
    values = evidence.parameters
    if not values["direct"] or not evidence.on_device or values["rate"]:
        return None
    thread = float(evidence.outcome["cpu"]["busiest_thread"])
    # Polling for completions keeps a processor busy by design.
    thread_level = Level.OK if values["iopoll"] or values["sqpoll"] else graded(thread, WARN, INVALID)
    machine = _machine_busy_share(evidence)
    machine_level = Level.INVALID if machine > MACHINE_TIME else Level.OK
    level = worst(thread_level, machine_level)
    message = f"the busiest thread of the test used {percent(thread)} of a processor"
    if machine_level is not Level.OK:
        message += f", and all processors were busy {percent(machine)} of the time"
    return finding(
        NAME,
        level if evidence.long_enough else at_most(level, Level.WARN),
        message + ("" if level is Level.OK else ": the processor limits the result, not the device"),
        "Use more threads (threads=2 or more, with less depth each), a larger block_size, or a faster machine; stop "
        "other programs.",
        busiest_thread=thread,
        machine_busy=machine,
    )


def _machine_busy_share(evidence: RunEvidence) -> float:
    """Share of the sampled time in which all processors together were at least `MACHINE_BUSY`."""
    busy = total = 0
    samples = evidence.measured[1:-1] if len(evidence.measured) > 3 else evidence.measured
    for earlier, later in pairwise(samples):
        ticks = later.cpu.total - earlier.cpu.total
        idle = later.cpu.idle - earlier.cpu.idle
        duration = later.monotonic_ns - earlier.monotonic_ns
        total += duration
        busy += duration if ticks > 0 and 1 - idle / ticks >= MACHINE_BUSY else 0
    return busy / total if total else 0.0
