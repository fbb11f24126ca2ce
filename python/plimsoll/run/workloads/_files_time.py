"""How long a file-system test takes before anybody has seen it run: a guess from bytes, calls, syncs and preparation.

Only `plimsoll plan` and the first block of a session rest on it; the schedule learns from the blocks that were run.
"""

from __future__ import annotations

from plimsoll.catalog.bounds import Pace
from plimsoll.declared import (
    BonnieParameters,
    FilesParameters,
    FsMarkParameters,
    GzipParameters,
    SqliteParameters,
    SysbenchParameters,
    TiotestParameters,
    UnpackParameters,
)
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
    bytes_per_s = min(BYTES_PER_S, pace.bytes_per_s) if pace and _reaches_the_disk(plan) else BYTES_PER_S
    sync_ns = max(SYNC_NS, IOS_PER_SYNC * SECOND / pace.ios_per_s) if pace else SYNC_NS
    total = OVERHEAD_NS + (expected["written_bytes"] + expected["read_bytes"]) * SECOND // bytes_per_s
    for phase in expected["phases"]:
        kind, amount = next(iter(phase["expected"].items()))
        total += {"calls": amount * CALL_NS, "nanoseconds": amount, "bytes": 0}[kind]
    return int(total + syncs(plan) * sync_ns + _own_ns(plan))


def _reaches_the_disk(plan: Plan) -> bool:
    """Whether a test waits for the volume; what fits into memory is as fast on every one."""
    values = plan.values(FilesParameters)
    return values["durable"] == "timed" or values["cold"] != "no" or bool(plan.parameters.get("direct"))


def syncs(plan: Plan) -> int:
    """Times that a test waits for stable storage, one after the other."""
    count = 0
    match plan.workload:
        case _ if plan.values(FilesParameters)["durable"] == "none":
            pass
        case "sqlite":
            sqlite = plan.values(SqliteParameters)
            count = 4 * sqlite["inserts"] * sqlite["passes"]
        case "fs_mark" if (fs_mark := plan.values(FsMarkParameters))["sync_method"] == 1:
            # Those of several threads are done together.
            count = fs_mark["files"]
        case "tiotest" if (tiotest := plan.values(TiotestParameters))["open_sync"]:
            random = tiotest["random_operations"] if "random_write" in tiotest["tests"] else 0
            count = tiotest["file_size"] // tiotest["block"] + random
        case "sysbench" if (sysbench := plan.values(SysbenchParameters))["fsync_each"]:
            count = sysbench["events"]
        case "bonnie" if (bonnie := plan.values(BonnieParameters))["unbuffered"]:
            count = 4 * bonnie["files"]
    return count


def _own_ns(plan: Plan) -> int:
    """What is not spent on calls."""
    match plan.workload:
        case "gzip":
            return plan.values(GzipParameters)["size"] * SECOND // GZIP_BYTES_PER_S
        case "sysbench":
            # The files that it makes before; where time decides, the core's plan has no bytes.
            sysbench = plan.values(SysbenchParameters)
            made = not sysbench["events"] and sysbench["test"] in ("seqrewr", "rndwr", "rndrw")
            return sysbench["total_size"] * SECOND // BYTES_PER_S if made else 0
        case "unpack" if (unpack := plan.values(UnpackParameters))["compressed"]:
            return int(ARCHIVE_NS * unpack["scale"])
    return 0
