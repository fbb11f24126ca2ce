"""What a cluster tells the user about itself."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.cluster.connection import Worker
from plimsoll.units import SECOND, format_duration

FAR = SECOND
"""A clock this far away is worth a word: times of that worker's log files will not fit."""


def greeting(workers: Sequence[Worker]) -> list[str]:
    """The workers, and how far their clocks are away."""
    listed = ", ".join(f"{each.name} ({each.address})" for each in workers)
    told = [f"{len(workers)} worker{'s' if len(workers) > 1 else ''}: {listed}"]
    worst = max(workers, key=lambda each: abs(each.clock.offset_ns))
    away, unsure = format_duration(abs(worst.clock.offset_ns)), format_duration(worst.clock.uncertainty_ns)
    told.append(f"clocks: {worst.name} is the furthest away, {away} ± {unsure}; times are corrected by this")
    told += [
        f"warning: the clock of {each.name} is {format_duration(abs(each.clock.offset_ns))} off; set it (NTP), or its "
        "own logs will not match the results"
        for each in workers
        if abs(each.clock.offset_ns) > FAR
    ]
    return told
