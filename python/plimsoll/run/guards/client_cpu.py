"""Was the machine that issues the I/O the limit?"""

from __future__ import annotations

from itertools import pairwise

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding, graded, percent, softened

NAME = "client_cpu"
TITLE = "Client CPU"
WHY = """If the thread that issues I/O, or the whole machine, is busy all the time, the result is the limit of the
processor and not of the device."""

WARN, INVALID = 0.85, 0.95
"""Busiest thread of the test, share of the measured time."""
MACHINE_BUSY, MACHINE_TIME = 0.95, 0.20
"""All processors at least this busy for more than this share of the time."""
OWN_SHARE = 0.5
"""The test made the machine busy if it used at least this much of the busy time, or did together with the server of its
emulated volume; else others did, which is noise: pairs of runs share it, and it is a warning."""


def check(evidence: RunEvidence) -> Finding | None:
    """Runs against a device; a test of memory or of the null engine is a test of the processor."""
    parameters = evidence.io
    if not parameters["direct"] or not evidence.on_device or evidence.is_paced:
        return None
    thread = evidence.outcome["cpu"]["busiest_thread"]
    # Polling for completions keeps a processor busy by design.
    thread_level = Level.OK if parameters["iopoll"] or parameters["sqpoll"] else graded(thread, WARN, INVALID)
    machine = _machine_busy_share(evidence)
    values = {"busiest_thread": thread, "machine_busy": machine}
    message = f"the busiest thread of the test used {percent(thread)} of a processor"
    if machine > MACHINE_TIME and thread_level is not Level.INVALID:
        who, level, advice = _who(evidence)
        message = f"{who} kept all processors busy {percent(machine)} of the time"
        return finding(NAME, softened(level, evidence.long_enough), message, advice, **values)
    return finding(
        NAME,
        softened(thread_level, evidence.long_enough),
        message + ("" if thread_level is Level.OK else ": the processor limits the result, not the device"),
        "Use more threads (threads=2 or more, with less depth each), a larger block_size, or a faster machine.",
        **values,
    )


def _who(evidence: RunEvidence) -> tuple[str, Level, str]:
    """Who made the machine busy, how bad that is, and what to do."""
    cpu = evidence.outcome["cpu"]
    own = _share_of_busy(evidence, cpu["user_ns"] + cpu["system_ns"], evidence.elapsed_ns)
    first, last = evidence.before, evidence.after
    served = _share_of_busy(evidence, last.servers_ns - first.servers_ns, last.monotonic_ns - first.monotonic_ns)
    if own >= OWN_SHARE:
        return "the test", Level.INVALID, "Stop other programs, or use a machine with more processors."
    if own + served >= OWN_SHARE:
        advice = "The volume may deliver less than its model: use a machine with more processors, or fewer volumes."
        return "the test and the server of its volume", Level.WARN, advice
    return "other programs", Level.WARN, "Stop other programs, or use a machine with more processors."


def _share_of_busy(evidence: RunEvidence, used_ns: float, span_ns: int) -> float:
    """CPU time used in a span, as a share of the time in which the machine's processors were busy."""
    first, last = evidence.before, evidence.after
    ticks = last.cpu.total - first.cpu.total
    busy = 1 - (last.cpu.idle - first.cpu.idle) / ticks if ticks > 0 else 0.0
    available_ns = max(1, span_ns) * max(1, len(last.cpus))
    return float(used_ns / available_ns / busy) if busy > 0 else 0.0


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
