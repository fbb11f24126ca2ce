"""Contradictions inside a file: each is a warning on the run, in a plain sentence. Nothing is corrected here."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise

from plimsoll.importers.draft import Draft
from plimsoll.units import format_duration, format_size, format_value

BUCKET = 1.03
"""Tools round percentiles up to the end of a bucket: fio by up to 1.6 %, sysbench by 1.8 %."""

RATES_AGREE = 0.02
CONCURRENCY = 1.05

_LATENCY = re.compile(r"(.+)_(mean|max|p\d+)")
_LINKS = (
    (re.compile(r"\bnvme", re.IGNORECASE), 15.8e9, "PCIe 5.0 x4"),
    (re.compile(r"\b(?:sata|serial.ata)\b", re.IGNORECASE), 600e6, "SATA 6 Gbit/s"),
    (re.compile(r"\busb ?2", re.IGNORECASE), 60e6, "USB 2.0"),
    (re.compile(r"\b(?:1 ?gbe|1000base|gigabit)\b", re.IGNORECASE), 125e6, "1 Gbit/s Ethernet"),
)
_FASTEST = (64e9, "PCIe 5.0 x16")
_SEVERAL = re.compile(r"\braid|\bmd\d|,|\d ?x ", re.IGNORECASE)


def check(draft: Draft) -> None:
    """Everything that can be seen in the scores themselves."""
    _order(draft)
    _concurrency(draft)
    if draft.storage:
        _link(draft)


def rates_agree(draft: Draft, iops: float | None, throughput: float | None, size: float | None, what: str) -> None:
    """IOPS times their size is the throughput."""
    if not iops or not throughput or not size:
        return
    expected = iops * size
    if abs(expected - throughput) > max(expected, throughput) * RATES_AGREE:
        draft.warn(
            "rates",
            f"{what}: {format_value(iops, '1/s')} of {format_size(size)} make {format_value(expected, 'B/s')}, but the "
            f"file says {format_value(throughput, 'B/s')}",
            "one of the two was edited, or rounded by the tool; compare with the raw output",
        )


def above(draft: Draft, largest: float | None, stated: float | None, what: str, inside: str) -> None:
    """A stated maximum may not be below a value that the file itself holds (both ns)."""
    if largest is not None and stated is not None and largest > stated * BUCKET:
        draft.warn(
            "order",
            f"{what} is {format_duration(stated)}, below {format_duration(largest)} of {inside}",
            "the file was edited, or joined from parts of several runs",
        )


def _order(draft: Draft) -> None:
    """Percentiles grow, and nothing is above the maximum."""
    kinds: dict[str, dict[str, float]] = defaultdict(dict)
    for score in draft.scores.values():
        match = _LATENCY.fullmatch(score.metric)
        if match and score.unit == "ns":
            kinds[match[1]][match[2]] = score.value
    for kind, found in kinds.items():
        largest = found.pop("max", None)
        mean = found.pop("mean", None)
        ordered = sorted(found.items(), key=lambda item: _share(item[0]))
        for (lower, a), (upper, b) in pairwise(ordered):
            above(draft, a, b, f"{kind} {upper}", lower)
        if ordered:
            above(draft, ordered[-1][1], largest, f"the largest {kind} latency", ordered[-1][0])
        above(draft, mean, largest, f"the largest {kind} latency", "the mean")


def _share(percentile: str) -> float:
    """0.999 for `p999`; `p5` is 5 %."""
    return 1.0 if percentile == "p100" else float(f"0.{percentile[1:].zfill(2)}")


def _concurrency(draft: Draft) -> None:
    """Little's law: rate times mean latency cannot exceed what may be outstanding."""
    if not draft.in_flight:
        return
    busy = 0.0
    only = sum(name.endswith("_mean") for name in draft.scores) == 1
    for score in draft.scores.values():
        kind = score.metric.removesuffix("_mean")
        if score.metric.endswith("_mean") and score.unit == "ns" and kind not in draft.within:
            alone = draft.value("iops") if only else None
            rate = draft.value(f"{kind}_iops") or draft.value(f"{kind}_rate") or alone or 0.0
            busy += rate * score.value / 1e9
    if busy > draft.in_flight * CONCURRENCY:
        draft.warn(
            "concurrency",
            f"rate times mean latency is {busy:.3g} operations in flight, but only {draft.in_flight:g} were allowed",
            "a rate, a latency or its unit is wrong in the file",
        )


def _link(draft: Draft) -> None:
    throughput = draft.value("throughput")
    described = " ".join(str(text) for text in (draft.where, *draft.target_facts.values()))
    fits = (
        [] if _SEVERAL.search(described) else [(limit, name) for form, limit, name in _LINKS if form.search(described)]
    )
    limit, name = fits[0] if len(fits) == 1 else _FASTEST
    if throughput and throughput > limit:
        draft.warn(
            "link",
            f"{format_value(throughput, 'B/s')} is more than {name} carries ({format_value(limit, 'B/s')})",
            "the data came from a cache, or the unit is wrong",
        )
