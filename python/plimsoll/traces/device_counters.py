"""A device's own counters, which every kernel keeps and everybody may read: its `stat` in /sys."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from plimsoll.errors import TargetError
from plimsoll.targets.blockdev import SECTOR, folder_of_number, text_of

Counters = dict[str, Any]
"""As `Counters` of `crates/logs/src/trace/sample.rs`."""

_MILLISECOND_NS = 1_000_000
_WRAPS = (1 << 32) * _MILLISECOND_NS
"""Sums of ms are 32 bits in the kernel."""


def read_counters(number: str, root: Path = Path("/")) -> Counters:
    """The counters of the device `major:minor` now. Raises TargetError if it is gone."""
    device = folder_of_number(number, root)
    fields = [] if device is None else [int(word) for word in text_of(device / "stat").split()]
    if len(fields) < 11:
        raise TargetError(f"the kernel has no counters of device {number} (any more); is it still there?")
    fields += [0] * (17 - len(fields))
    columns = (0, 4, 11)
    return {
        "requests": [fields[at] for at in columns] + [fields[15]],
        "merged": [fields[at + 1] for at in columns] + [0],
        "bytes": [fields[at + 2] * SECTOR for at in columns] + [0],
        "latency_ns": [fields[at + 3] * _MILLISECOND_NS for at in columns] + [fields[16] * _MILLISECOND_NS],
        "in_flight": fields[8],
        "busy_ns": fields[9] * _MILLISECOND_NS,
    }


def grown(before: Mapping[str, Any], after: Mapping[str, Any]) -> Counters | None:
    """What happened between two looks; None where a counter went back: the device was made anew."""
    found: Counters = {"in_flight": after["in_flight"], "busy_ns": _difference(before["busy_ns"], after["busy_ns"])}
    for name in ("requests", "merged", "bytes"):
        found[name] = [new - old for old, new in zip(before[name], after[name], strict=True)]
        if min(found[name]) < 0:
            return None
    pairs = zip(before["latency_ns"], after["latency_ns"], strict=True)
    found["latency_ns"] = [_difference(old, new) for old, new in pairs]
    return found


def _difference(old: int, new: int) -> int:
    """Of a sum of ms that begins again after 50 days."""
    return new - old if new >= old else new - old + _WRAPS
