"""Did a file-system test measure memory in place of the disk?"""

from __future__ import annotations

from itertools import pairwise

from plimsoll.model import Finding, Level
from plimsoll.phases import MEMORY_GUARD, REACHED, Phase, phases
from plimsoll.run.evidence import FLOOR_BYTES, SHORTEST_JUDGED_NS, RunEvidence
from plimsoll.run.guards._judge import not_checkable, percent

NAME = MEMORY_GUARD
TITLE = "Memory in place of the disk"
WHY = """The classic tests go through the page cache, and most of them wait for nothing. On a machine with enough memory
what they read comes from there and what they write ends there, and their numbers say nothing about the disk. Such a
number is kept, with its name, and never shown as the disk's."""
KINDS = ("files",)


def check(evidence: RunEvidence) -> Finding | None:
    """Each phase: bytes that the device moved within its time / bytes of its calls. A warning: the test is defined so.

    Between two samples the device is taken to have moved evenly.
    """
    found = [each for each in phases(evidence.outcome) if max(each.read_bytes, each.written_bytes) > FLOOR_BYTES]
    if not found:
        return None
    if not evidence.on_device:
        return not_checkable(NAME, evidence.why_not_checkable)
    shares = {phase.name: _reached(evidence, phase) for phase in found}
    memory = [name for name, share in shares.items() if share < REACHED]
    least = percent(min(shares.values()))
    if not memory:
        message = f"the device moved {least} or more of the bytes in each phase"
        return Finding(guard=NAME, level=Level.OK, message=message, values=shares)
    return Finding(
        guard=NAME,
        level=Level.WARN,
        message=f"this measured memory, not the disk, in {len(memory)} of {len(shares)} phases; {least} of the bytes "
        "reached the device in time",
        advice="Read these numbers as those of memory; for those of the disk run the test in another mode, such as "
        "TEST:durable, TEST:cold or TEST:direct (see its page).",
        values=shares,
    )


def _reached(evidence: RunEvidence, phase: Phase) -> float:
    """Share of the bytes of a phase, reading or writing whichever is more, that the device moved in its time.

    A phase too short for the samples gets all that the device moved between the samples around it: at most too much.
    """
    kind, asked = max(("read", phase.read_bytes), ("write", phase.written_bytes), key=lambda each: each[1])
    start_ns = evidence.outcome["started_ns"] - evidence.before.realtime_offset_ns + phase.start_ns
    end_ns = start_ns + phase.elapsed_ns
    if phase.elapsed_ns < SHORTEST_JUDGED_NS:
        times = [sample.monotonic_ns for sample in evidence.measured]
        start_ns = max((time for time in times if time <= start_ns), default=times[0])
        end_ns = min((time for time in times if time >= end_ns), default=times[-1])
    return min(1.0, (_device(evidence, end_ns, kind) - _device(evidence, start_ns, kind)) / asked)


def _device(evidence: RunEvidence, moment_ns: int, kind: str) -> float:
    """Bytes that the device had moved at a moment."""

    def moved(index: int) -> int:
        counters = samples[index].disk(evidence.chain.counters)
        return counters.read_bytes if kind == "read" else counters.write_bytes

    samples = evidence.measured
    if moment_ns <= samples[0].monotonic_ns:
        return moved(0)
    for index, (earlier, later) in enumerate(pairwise(samples)):
        if moment_ns <= later.monotonic_ns:
            share = (moment_ns - earlier.monotonic_ns) / (later.monotonic_ns - earlier.monotonic_ns)
            return moved(index) + share * (moved(index + 1) - moved(index))
    return moved(len(samples) - 1)
