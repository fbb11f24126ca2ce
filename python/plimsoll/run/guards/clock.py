"""Can the clocks be trusted?"""

from __future__ import annotations

from itertools import pairwise

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding
from plimsoll.targets.host import FAST_CLOCK_SOURCES
from plimsoll.units import MILLISECOND, format_duration

NAME = "clock"
TITLE = "Clock"
WHY = """Latencies are differences of clock readings. A slow clock source adds its own time to each; a wall clock that
is set during a run puts samples and operations at the wrong time."""
KINDS = ("io", "files", "db", "program")

LARGEST_JUMP_NS = MILLISECOND


def check(evidence: RunEvidence) -> Finding | None:
    """The source, and the largest change of wall clock minus monotonic clock between two samples.

    Slow corrections by NTP change both clocks alike and do not show.
    """
    offsets = [sample.realtime_offset_ns for sample in evidence.measured]
    jump = max((abs(later - earlier) for earlier, later in pairwise(offsets)), default=0)
    if jump > LARGEST_JUMP_NS:
        return finding(
            NAME,
            Level.INVALID,
            f"somebody set the wall clock by {format_duration(jump)} during the run",
            "Let the time service settle (it should only slew the clock), and run again.",
            jump_ns=jump,
        )
    source = evidence.after.clock_source
    if source and source not in FAST_CLOCK_SOURCES:
        return finding(
            NAME,
            Level.WARN,
            f"the kernel reads the time from {source}, which is slow or coarse",
            "Choose a better one in /sys/devices/system/clocksource/clocksource0 (available_clocksource lists them), "
            "such as tsc or kvm-clock.",
            jump_ns=jump,
        )
    return finding(NAME, Level.OK, f"time comes from {source or 'an unnamed source'}, without a jump", jump_ns=jump)
