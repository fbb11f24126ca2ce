"""A load of a running system in virtual time: stretches with so many I/Os each, as counters know them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

OPEN_DEPTH = 4096
"""I/Os in flight in an open loop; others wait before the queue, and their latency counts from when they were due."""
MOST_DEPTH = 65_536
"""As many as a simulation can follow."""


@dataclass(frozen=True)
class Scheduled:
    """One turn of a load whose rate changes."""

    words: str
    """As people say it."""
    columns: Mapping[str, Any]
    """`durations_ns`, `reads`, `writes`, `read_bytes`, `write_bytes` of the crate's `Schedule`."""
    interval_ns: int
    sequential: bool = False
    depth: int = OPEN_DEPTH
    from_issue: bool = False
    """Whether latency counts from the issue of an I/O, as a program sees it that waits for its I/Os."""
    region_bytes: int | None = None

    def request(self, device_bytes: int) -> dict[str, Any]:
        """The JSON of the crate's `Schedule`."""
        return {
            **self.columns,
            "depth": self.depth,
            "from_issue": self.from_issue,
            "sequential": self.sequential,
            "region_bytes": None if self.region_bytes is None else min(self.region_bytes, device_bytes),
            "interval_ns": self.interval_ns,
            "seed": 1,
        }
