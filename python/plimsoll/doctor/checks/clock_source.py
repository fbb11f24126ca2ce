"""Is reading the time cheap and exact?"""

from __future__ import annotations

from plimsoll.doctor.examination import Check, Examined
from plimsoll.model import Level
from plimsoll.targets.blockdev import text_of
from plimsoll.targets.host import FAST_CLOCK_SOURCES

NAME = "clock_source"


def check(examined: Examined) -> Check | None:
    """Every latency is the difference of two readings."""
    source = examined.host["clock_source"]
    if not source:
        return None
    if source in FAST_CLOCK_SOURCES:
        return Check(name=NAME, level=Level.OK, message=f"clock source: {source}")
    folder = "sys/devices/system/clocksource/clocksource0"
    available = FAST_CLOCK_SOURCES & set(text_of(examined.root / folder / "available_clocksource").split())
    better = f"echo {sorted(available)[-1]} > /{folder}/current_clocksource (as root)" if available else ""
    return Check(
        name=NAME,
        level=Level.WARN,
        message=f"clock source: {source} is slow to read, and each latency contains a reading",
        advice=better or "No better one is offered; prefer larger blocks and compare runs of this machine only.",
    )
