"""What the buckets of a volume hold when it is attached: `iops:0%/iops_credits:12%`; those that are not named are full.

Names are those of the statistics page without `volume.`: `iops`, `throughput`, `iops_credits`, `throughput_credits`,
and the same of the instance, `instance.iops_credits`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from plimsoll.errors import UnknownName, UsageError
from plimsoll.units import parse_share

VOLUME, INSTANCE, CREDITS = "volume.", "instance.", "_credits"


def read_levels(value: Any) -> dict[str, float]:
    """Shares by name; raises UsageError."""
    found: dict[str, float] = {}
    for word in str(value).strip().lower().split("/"):
        name, colon, share = word.strip().partition(":")
        if not colon or not name:
            raise UsageError(f"{word.strip()!r} is no level; write it like iops:0%/iops_credits:12%")
        found[name.strip()] = parse_share(share)
    return found


def levels_text(levels: Mapping[str, float]) -> str:
    """As `read_levels` reads it; names with or without `volume.`."""
    return "/".join(f"{name.removeprefix(VOLUME)}:{share * 100:.6g}%" for name, share in levels.items())


def set_levels(spec: dict[str, Any], levels: Mapping[str, float], where: str) -> None:
    """Writes levels into the JSON of a volume; raises UnknownName for a bucket that it does not have."""
    known = dict(_buckets(spec))
    for name, share in levels.items():
        if name not in known:
            raise UnknownName("bucket", name, known, where)
        known[name]["initial"] = share


def _buckets(spec: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each bucket by name: the part of the JSON that says what it holds at the start."""
    for prefix, place in (("", spec), (INSTANCE, spec.get("instance") or {})):
        for what in ("iops", "throughput"):
            if limit := place.get(what):
                yield f"{prefix}{what}", limit
                if credits := limit.get("credits"):
                    yield f"{prefix}{what}{CREDITS}", credits
