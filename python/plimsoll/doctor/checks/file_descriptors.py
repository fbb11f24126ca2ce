"""May this process open enough files?"""

from __future__ import annotations

from plimsoll.doctor.examination import Check, Examined
from plimsoll.model import Level

NAME = "file_descriptors"
ENOUGH = 1024


def check(examined: Examined) -> Check | None:
    """The soft limit of open files."""
    limit = examined.host["file_descriptors"]
    message = f"open files: up to {limit:,}" if limit >= 0 else "open files: no limit"
    if 0 <= limit < ENOUGH:
        return Check(name=NAME, level=Level.WARN, message=message, advice=f"ulimit -n {ENOUGH} before the tests")
    return Check(name=NAME, level=Level.OK, message=message)
