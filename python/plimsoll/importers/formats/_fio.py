"""What fio's formats have in common: one kind of I/O of one job, and its scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from plimsoll.errors import UsageError
from plimsoll.importers.checks import rates_agree
from plimsoll.importers.draft import Draft
from plimsoll.importers.numbers import whole
from plimsoll.importers.quantities import divided
from plimsoll.units import SECOND, parse_size

KINDS = ("read", "write", "trim", "mixed")
"""Kinds of data I/O; `mixed` is what fio prints with unified_rw_reporting."""

_SIZES = ("bs", "blocksize", "size", "filesize", "io_size", "fixed_buffer_size", "io_limit")
_ABOUT_PLACE = {
    "name",
    "filename",
    "directory",
    "description",
    "hostname",
    "output",
    "output-format",
    "filename_format",
}
_ALIASES = {"readwrite": "rw", "blocksize": "bs", "filesize": "size"}
_FLAGS = ("direct", "time_based", "group_reporting", "thread", "invalidate", "overwrite")


@dataclass
class Flow:
    """One kind of I/O of one job (or of clones that ran side by side), in base units; None where not in the file."""

    kind: str
    operations: float | None = None
    bytes: float | None = None
    runtime_ns: float | None = None
    iops: float | None = None
    throughput: float | None = None
    mean_ns: float | None = None
    max_ns: float | None = None
    percentiles: dict[str, float] = field(default_factory=dict)
    bins: dict[float, float] = field(default_factory=dict)
    latency: str = ""
    """Which of fio's latencies this is: clat from submission on, lat from its begin."""


def join(flows: Sequence[Flow]) -> Flow:
    """Clones of one job as one flow. Percentiles stay only where bins can be added."""
    if len(flows) == 1:
        return flows[0]
    counts = [flow.operations for flow in flows]
    bins: dict[float, float] = defaultdict(float)
    if all(flow.bins for flow in flows):
        for flow in flows:
            for value, count in flow.bins.items():
                bins[value] += count
    weighted = [
        (flow.mean_ns, flow.operations or flow.bytes or 0)
        for flow in flows
        if flow.mean_ns is not None and (flow.operations or flow.bytes)
    ]
    weight = sum(count for _, count in weighted)
    largest = [flow.max_ns for flow in flows if flow.max_ns is not None]
    return Flow(
        kind=flows[0].kind,
        operations=_sum(counts),
        bytes=_sum([flow.bytes for flow in flows]),
        runtime_ns=max((flow.runtime_ns or 0 for flow in flows), default=0) or None,
        iops=_together(flows, "operations", "iops"),
        throughput=_together(flows, "bytes", "throughput"),
        mean_ns=divided(sum(mean * count for mean, count in weighted), weight) if len(weighted) == len(flows) else None,
        max_ns=max(largest) if len(largest) == len(flows) else None,
        bins=dict(bins),
        latency=flows[0].latency,
    )


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _together(flows: Sequence[Flow], total: str, rate: str) -> float | None:
    """fio's own rule for a group: the total over the longest run time."""
    amount, longest = _sum([getattr(flow, total) for flow in flows]), max(flow.runtime_ns or 0 for flow in flows)
    if amount is not None and longest > 0 and all(flow.runtime_ns for flow in flows):
        return divided(amount, longest / SECOND)
    return _sum([getattr(flow, rate) for flow in flows])


def score(draft: Draft, flows: Sequence[Flow], block_size: int | None = None) -> None:
    """The scores of a job from its kinds of I/O; kinds without I/O are left out."""
    active = [flow for flow in flows if flow.operations or flow.bytes or flow.iops]
    together = [flow for flow in active if flow.kind == "mixed"]
    if len(active) > len(together):
        # unified_rw_reporting=both tells every operation twice: by its kind, and of all kinds together.
        active = [flow for flow in active if flow.kind != "mixed"]
    draft.rate("iops", _sum([flow.iops for flow in active]) if active else None)
    draft.bandwidth("throughput", _sum([flow.throughput for flow in active]) if active else None)
    for flow in active:
        if len(active) > 1:
            draft.rate(f"{flow.kind}_iops", flow.iops)
            draft.bandwidth(f"{flow.kind}_throughput", flow.throughput)
        _latencies(draft, flow)
        rates_agree(draft, flow.iops, flow.throughput, _size(flow) or block_size, f"{flow.kind}s")
        _totals(draft, flow)
    for flow in together:
        if flow not in active:
            _latencies(draft, flow)
    draft.known(
        latency={flow.kind: flow.latency for flow in active if flow.latency},
        operations={flow.kind: flow.operations for flow in active if flow.operations is not None},
        bytes={flow.kind: flow.bytes for flow in active if flow.bytes is not None},
    )
    longest = max((flow.runtime_ns or 0 for flow in active), default=0)
    draft.duration_ns = longest or None


def _latencies(draft: Draft, flow: Flow) -> None:
    draft.latency(f"{flow.kind}_mean", flow.mean_ns)
    for name, value in flow.percentiles.items():
        draft.latency(f"{flow.kind}_{name}", value)
    draft.latency(f"{flow.kind}_max", flow.max_ns)
    draft.histogram(flow.kind, flow.bins.items())


def _size(flow: Flow) -> float | None:
    return divided(flow.bytes, flow.operations)


def _totals(draft: Draft, flow: Flow) -> None:
    """The rate is the total over the run time (fio cuts fractions; short runs are dominated by rounding to ms)."""
    rate = divided(flow.operations, (flow.runtime_ns or 0) / SECOND)
    if rate is None or flow.iops is None or flow.runtime_ns is None or flow.runtime_ns < SECOND:
        return
    if abs(rate - flow.iops) > max(0.02 * rate, 1.0):
        draft.warn(
            "rates",
            f"{flow.kind}s: {flow.operations:,.0f} operations in {flow.runtime_ns / SECOND:.3f} s are {rate:,.0f}/s, "
            f"but the file says {flow.iops:,.0f}/s",
            "the file was edited, or joined from parts of several runs",
        )


def parameters(options: Mapping[str, Any]) -> dict[str, Any]:
    """fio's job options without names and places; sizes and counts as numbers, the rest as written."""
    read: dict[str, Any] = {}
    for name, value in list(options.items())[:200]:
        if name in _ABOUT_PLACE or name.startswith(("write_", "log_")):
            continue
        plain = _ALIASES.get(name, name)
        if plain in _SIZES:
            read[plain] = _bytes(value)
        else:
            count = whole(value)
            read[plain] = count if count is not None else value
    for flag in _FLAGS:
        # An option without a value is switched on.
        if read.get(flag) in ("", None) and flag in read:
            read[flag] = 1
    return read


def block_size(options: Mapping[str, Any]) -> int | None:
    """The one block size of a job, if it has one."""
    size = options.get("bs", 4096 if options else None)
    return size if isinstance(size, int) and "bssplit" not in options and "bsrange" not in options else None


def _bytes(value: Any) -> Any:
    """fio's `4k` and `1GB` are powers of 1024 (kb_base=1024) whatever the letters."""
    text = str(value).strip().lower()
    try:
        return parse_size(text.replace("ib", "").removesuffix("b") or text)
    except (UsageError, OverflowError):
        return value
