"""Did the device get the requests that the test made?"""

from __future__ import annotations

import math

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence, Window
from plimsoll.run.guards._judge import finding, graded, not_checkable, percent, severest, softened, worst
from plimsoll.units import KIB, format_size

NAME = "request_shape"
TITLE = "Size of requests"
WHY = """Between the test and the device the kernel can cut large operations and merge neighbours. A provider that
counts operations counts what arrives, and a random test whose requests are merged is a sequential one."""

SIZE_WARN, SIZE_INVALID = 0.05, 0.20
"""|mean request / expected − 1|."""
MERGED_WARN, MERGED_INVALID = 0.01, 0.10
"""Merged / all requests of a random test."""
LARGEST_JUDGED = 128 * KIB
"""Larger operations are cut by limits of driver and memory that differ from device to device: shown, not judged."""
FEWEST_REQUESTS = 1000
LARGEST_DIFFERENCE = 0.02
"""Of the device's bytes from those of the test."""


def check(evidence: RunEvidence) -> Finding | None:
    """Direct random I/O without syncs; sequential requests may be merged, and journals have shapes of their own.

    A trace has streams, whose requests are neighbours, and flushes, which bring the journal's writes.
    """
    values = evidence.io
    window = evidence.window
    if not values["direct"] or not evidence.random or values["random_share"] < 1 or evidence.syncs:
        return None
    if (
        not evidence.on_device
        or window is None
        or values.get("recording")
        or any(device.kind == "loop" and not device.backing_direct for device in evidence.chain.devices)
    ):
        return None
    judged = [found for kind in ("read", "write") if (found := _judge(evidence, window, kind))]
    return severest(judged)


def _judge(evidence: RunEvidence, window: Window, kind: str) -> Finding | None:
    disk = window.device(evidence.chain.counters)
    requests, merged, moved = (
        (disk.reads, disk.reads_merged, disk.read_bytes)
        if kind == "read"
        else (disk.writes, disk.writes_merged, disk.write_bytes)
    )
    operations = window.tool_operations.get(kind, 0.0)
    if requests < FEWEST_REQUESTS or operations < FEWEST_REQUESTS:
        return None
    if abs(moved / window.tool_bytes[kind] - 1) > LARGEST_DIFFERENCE:
        return not_checkable(NAME, "the device moved other bytes than the test, so the requests are not only its own")
    size = window.tool_bytes[kind] / operations
    expected = _expected(evidence, size)
    mean = moved / requests
    off = mean / expected - 1
    merged_share = merged / (requests + merged)
    level = worst(graded(abs(off), SIZE_WARN, SIZE_INVALID), graded(merged_share, MERGED_WARN, MERGED_INVALID))
    level = Level.OK if size > LARGEST_JUDGED else level
    return finding(
        NAME,
        softened(level, window.judged),
        f"{kind}s of {format_size(size)} reached the device as requests of {format_size(mean)} "
        f"({percent(merged_share)} merged)",
        "Check for other programs on the disk, a fragmented file (make it anew with layout=refill on an emptier file "
        "system) or a small file whose random places are neighbours (raise size).",
        request_bytes=mean,
        merged=merged_share,
    )


def _expected(evidence: RunEvidence, size: float) -> float:
    """Size of a request after cutting to what the device takes at once."""
    limits = [
        device.largest_request_bytes
        for device in evidence.chain.devices
        if device.name in evidence.chain.counters and device.largest_request_bytes
    ]
    return size / math.ceil(size / min(limits)) if limits else size
