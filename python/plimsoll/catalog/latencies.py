"""Latency distributions of volumes that no limit delays, from the providers' `data/latencies.csv`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from plimsoll.catalog.provider import PLACE
from plimsoll.catalog.tables import Row, rows


@dataclass(frozen=True)
class LatencyFact:
    """The distribution of one operation with where it comes from."""

    name: str
    operation: str
    spec: dict[str, Any]
    """JSON of a latency in the volume crate, ns."""
    as_of: str
    basis: str
    """`measured` or `assumed`."""
    source: str
    note: str


def _ns(text: str) -> int:
    return round(float(text) * 1000) if text else 0


def _fact(row: Row) -> LatencyFact:
    spec: dict[str, Any] = {
        "floor_ns": _ns(row["floor_us"]),
        "median_ns": _ns(row["median_us"]),
        "sigma": float(row["sigma"]),
    }
    if float(row["tail_share"] or 0):
        spec |= {
            "tail_share": float(row["tail_share"]),
            "tail_median_ns": _ns(row["tail_median_us"]),
            "tail_sigma": float(row["tail_sigma"]),
        }
    if row["max_us"]:
        spec["max_ns"] = _ns(row["max_us"])
    return LatencyFact(row["latency"], row["operation"], spec, row["as_of"], row["basis"], row["source"], row["note"])


@cache
def latencies(provider: str) -> dict[tuple[str, str], LatencyFact]:
    """The facts of a provider by name and operation (`read`, `write`)."""
    table = rows(f"{PLACE}.{provider}", "latencies")
    return {(row["latency"], row["operation"]): _fact(row) for row in table}
