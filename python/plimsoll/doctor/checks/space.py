"""Is there room for test files?"""

from __future__ import annotations

from plimsoll.doctor.examination import Check, Examined
from plimsoll.model import Level
from plimsoll.units import GIB, format_share, format_size

NAME = "space"
COMFORTABLE_BYTES = 2 * GIB
"""The file of most tests is 1 GiB."""
FULL_SHARE = 0.95


def check(examined: Examined) -> Check | None:
    """Bytes that may be written, and how full the file system is."""
    if not examined.total_bytes:
        return None
    used = 1 - examined.free_bytes / examined.total_bytes
    message = f"free space: {format_size(examined.free_bytes)} of {format_size(examined.total_bytes)}"
    if examined.free_bytes < COMFORTABLE_BYTES:
        advice = "Make room, choose another directory, or use smaller files (--set size=256MiB)."
        return Check(name=NAME, level=Level.WARN, message=message, advice=advice)
    if used > FULL_SHARE:
        advice = "File systems and flash slow down when nearly full; an emptier one gives better results."
        return Check(name=NAME, level=Level.WARN, message=f"{message}: {format_share(used)} full", advice=advice)
    return Check(name=NAME, level=Level.OK, message=message)
