"""What the catalog says of a number that a fit can have."""

from __future__ import annotations

from plimsoll.catalog.fitted import KINDS
from plimsoll.catalog.latencies import latencies
from plimsoll.catalog.limits import Rate
from plimsoll.catalog.shape import VolumeShape


def published(shape: VolumeShape, name: str) -> float | None:
    """In base units; None where the catalog has none."""
    first, _, part = name.partition("_")
    if first in KINDS:
        spec = latencies(shape.type.provider.name)[shape.type.latency_on(shape.instance), first].spec
        value = spec.get(part)
        return None if value is None else float(value)
    rate: Rate | None = getattr(shape.sold, first)
    if rate is None:
        return None
    return {"": rate.rate, "baseline": rate.baseline, "credits": rate.capacity}[part]
