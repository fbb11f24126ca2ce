"""The metrics of measured runs, declared once: name, unit, direction and title.

File-system tests bring the originals' own numbers besides (`phases.py`); importers name what other tools print.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from plimsoll.model import Direction, Score, Unit

DATA_KINDS = ("read", "write", "trim")
"""Kinds of operations that move data; a sync moves none."""
PERCENTILES = {"p50": 50.0, "p90": 90.0, "p99": 99.0, "p999": 99.9}
"""Percentiles of a latency that are scores, by the last part of their names."""


@dataclass(frozen=True)
class Metric:
    """One metric; `short` stands for it on the narrow axis of a chart."""

    name: str
    unit: Unit
    direction: Direction
    title: str
    short: str


def _rate(name: str, title: str, short: str = "") -> Metric:
    return Metric(name, "1/s", "higher", title, short or title)


def _throughput(name: str, title: str, short: str = "") -> Metric:
    return Metric(name, "B/s", "higher", title, short or title)


METRICS = {
    each.name: each
    for each in (
        _rate("iops", "IOPS"),
        _rate("iops_burst", "IOPS in the burst", "IOPS burst"),
        *(_rate(f"{kind}_iops", f"{kind} IOPS") for kind in DATA_KINDS),
        _throughput("throughput", "throughput"),
        _throughput("throughput_burst", "throughput in the burst", "throughput burst"),
        *(_throughput(f"{kind}_throughput", f"{kind} throughput") for kind in DATA_KINDS),
        _rate("commit_rate", "commits per second", "commit rate"),
        _rate("operation_rate", "operation rate"),
        _rate("operation_rate_burst", "operation rate in the burst", "operation rate burst"),
        _rate("transactions_postmark", "transactions as PostMark counts them", "transactions postmark"),
        Metric("outage", "ns", "lower", "outage", "outage"),
        Metric("recovery", "ns", "lower", "recovery", "recovery"),
        Metric("writes_lost", "1", "lower", "writes lost", "writes lost"),
    )
}
"""By name: every metric but latencies, which each kind of operation has: `read_mean`, `read_p99`, `read_max`."""


_LATENCY = re.compile(r"(?P<kind>[a-z]+(?:_[a-z]+)*?)(?P<service>_service)?_(?P<what>mean|p\d+(?:\.\d+)?|max)")
_TWICE = re.compile(r"\b(\w+) \1\b")


def metric(name: str) -> Metric | None:
    """The metric of this name; None where it is a phase's or another tool's."""
    if name in METRICS:
        return METRICS[name]
    match = _LATENCY.fullmatch(name)
    if match is None:
        return None
    kind, what = match["kind"].replace("_", " "), percentile_label(match["what"])
    service = " from its real start" if match["service"] else ""
    return Metric(name, "ns", "lower", f"{kind} latency{service} {what}", f"{kind} {what}")


def score(name: str, value: float) -> Score:
    """A score in the base unit of its metric. Raises KeyError where no such metric is declared."""
    found = metric(name)
    if found is None:
        raise KeyError(name)
    return Score(metric=name, value=float(value), unit=found.unit, direction=found.direction)


def title(name: str) -> str:
    """`read_p99` → `read latency p99`, `iops` → `IOPS`; an unknown name without its underscores."""
    found = metric(name)
    return found.title if found else _spoken(name)


def short_title(name: str) -> str:
    """The same for the narrow axis of a chart: `read p99`, `IOPS`."""
    found = metric(name)
    return found.short if found else _spoken(name)


def percentile_label(name: str) -> str:
    """`p999` → `p99.9`; `mean`, `max`, `p100` and `p99.9` stay."""
    digits = name.removeprefix("p")
    if digits.isdigit() and len(digits) > 2 and digits != "100":
        return f"p{digits[:2]}.{digits[2:]}"
    return name


def _spoken(name: str) -> str:
    """A phase and a score that begin with the same word say it once."""
    return _TWICE.sub(r"\1", name.replace("_", " "))
