"""How long a file-system test takes before anybody has seen it run: a guess from bytes, calls, syncs and preparation.

Only `plimsoll plan` and the first block of a session rest on it; the schedule learns from the blocks that were run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plimsoll.catalog.bounds import Pace
from plimsoll.model import Plan
from plimsoll.run.outcome import FilesPlan
from plimsoll.units import MIB, MILLISECOND, SECOND

OVERHEAD_NS = SECOND // 2
BYTES_PER_S = 300 * MIB
CALL_NS = 15_000
SYNC_NS = 2 * MILLISECOND
"""A flush of a disk with flash or of a cloud volume."""
GZIP_BYTES_PER_S = 250 * MIB
ARCHIVE_NS = 75 * SECOND
"""Making a bzip2 archive of the whole source tree, and decoding it."""


IOS_PER_SYNC = 2
"""Of a file system: the data, then its journal."""


def run_ns(plan: Plan, expected: FilesPlan, pace: Pace | None = None) -> int:
    """One run, from the core's plan of it, on a volume that does `pace`."""
    bytes_per_s = min(BYTES_PER_S, pace.bytes_per_s) if pace and _reaches_the_disk(plan.parameters) else BYTES_PER_S
    sync_ns = max(SYNC_NS, IOS_PER_SYNC * SECOND / pace.ios_per_s) if pace else SYNC_NS
    total = OVERHEAD_NS + (expected["written_bytes"] + expected["read_bytes"]) * SECOND // bytes_per_s
    for phase in expected["phases"]:
        kind, amount = next(iter(phase["expected"].items()))
        total += {"calls": amount * CALL_NS, "nanoseconds": amount, "bytes": 0}[kind]
    return int(total + syncs(plan) * sync_ns + _own_ns(plan.workload, plan.parameters))


def _reaches_the_disk(values: Mapping[str, Any]) -> bool:
    """Whether a test waits for the volume; what fits into memory is as fast on every one."""
    return values["durable"] == "timed" or values["cold"] != "no" or bool(values.get("direct"))


def syncs(plan: Plan) -> int:
    """Times that a test waits for stable storage, one after the other."""
    values, count = plan.parameters, 0
    match plan.workload:
        case _ if values["durable"] == "none":
            count = 0
        case "sqlite":
            count = 4 * values["inserts"] * values["passes"]
        case "fs_mark" if values["sync_method"] == 1:
            # Those of several threads are done together.
            count = values["files"]
        case "tiotest" if values["open_sync"]:
            random = values["random_operations"] if "random_write" in values["tests"] else 0
            count = values["file_size"] // values["block"] + random
        case "sysbench" if values["events"] and values["fsync_each"]:
            count = values["events"]
        case "bonnie" if values["unbuffered"]:
            count = 4 * values["files"]
    return int(count)


def _own_ns(workload: str, values: Mapping[str, Any]) -> int:
    """What is not spent on calls."""
    if workload == "gzip":
        return int(values["size"] * SECOND // GZIP_BYTES_PER_S)
    if workload == "sysbench" and not values["events"] and values["test"] in ("seqrewr", "rndwr", "rndrw"):
        # The files that it makes before; where time decides, the core's plan has no bytes.
        return int(values["total_size"] * SECOND // BYTES_PER_S)
    if workload == "unpack" and values["compressed"]:
        return int(ARCHIVE_NS * values["scale"])
    return 0
