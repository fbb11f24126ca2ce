"""Made loads, second by second or as sums over longer periods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plimsoll.traces.series import Series

START_S = 1_789_948_800.0
"""2026-09-21 00:00 UTC."""


@dataclass(frozen=True)
class Part:
    """A stretch of a load."""

    seconds: int
    per_second: float


def load(
    parts: Sequence[Part],
    *,
    size: int = 16_384,
    read_share: float = 0.5,
    period_s: float = 1.0,
    latency_s: Sequence[float] | None = None,
    name: str = "sda",
) -> Series:
    """Parts one after the other, as sums over periods; `latency_s` of each part."""
    rates = np.concatenate([np.full(each.seconds, float(each.per_second)) for each in parts])
    latency = None
    if latency_s is not None:
        means = np.concatenate([np.full(each.seconds, mean) for each, mean in zip(parts, latency_s, strict=True)])
        latency = rates * means
    every = round(period_s)
    whole = len(rates) // every * every

    def summed(values: np.ndarray) -> np.ndarray:
        return values[:whole].reshape(-1, every).sum(axis=1)

    reads, writes = summed(rates * read_share), summed(rates * (1 - read_share))
    return Series(
        name,
        "made",
        START_S,
        "UTC",
        True,
        period_s,
        reads,
        writes,
        reads * size,
        writes * size,
        None if latency is None else summed(latency),
        np.ones(len(reads), dtype=bool),
    )
