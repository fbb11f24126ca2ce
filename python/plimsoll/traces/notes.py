"""What a trace says of itself: what is not in it, or not as it was, each a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

LeftOut = dict[str, Any]
"""As `LeftOut` of `crates/logs/src/trace/header.rs`."""

ANONYMOUS = "the names of processes were left out (--anonymous)"
DROPPED: LeftOut = {
    "what": "ring",
    "count": 1,
    "why": "older parts of the recording were dropped to keep the newest (--ring): the trace begins with the first I/O "
    "that was kept; what else is counted here is of the whole recording",
}


def lost(count: int) -> list[LeftOut]:
    """Records for which the kernel had no place."""
    why = f"records that the kernel lost because its buffers were full: {count:,}; I/Os are missing, or their latencies"
    return [{"what": "lost", "count": count, "why": why}] if count else []


def counters_set_back(count: int) -> list[LeftOut]:
    """Intervals of which nothing is known, because a counter began again."""
    why = f"intervals in which a counter went back, because a device was made anew: {count:,}; they are left out"
    return [{"what": "counter_reset", "count": count, "why": why}] if count else []


def left_out(found: Sequence[LeftOut]) -> list[str]:
    """The sentences: `I/Os that failed: 3; they count like others`."""
    return [str(each["why"]).rstrip(".") for each in found]


def notes(header: Mapping[str, Any], totals: Mapping[str, Any]) -> tuple[str, ...]:
    """All that a reader of a trace has to know, from its header and its totals."""
    found = [str(note).rstrip(".") for note in header.get("notes", [])]
    found += left_out(totals.get("left_out", []))
    ios = sum(kind["events"] for kind in totals["kinds"])
    # Where none has an end, the format has no latencies, which is said of the whole.
    if 0 < totals["unfinished"] < ios:
        found.append(
            f"I/Os that were never seen to complete: {totals['unfinished']:,} of {ios:,}; they count, without a latency"
        )
    if totals.get("cut"):
        found.append("the file is cut short; what came after its last whole block or line is not known")
    return tuple(found)
