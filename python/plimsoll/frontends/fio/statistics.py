"""The core's outcomes as fio's statistics: one entry per job, or per group with group_reporting.

Latencies go into fio's own buckets (64 per power of two), so that percentiles and bins are those of fio's formats. The
time of submission is not measured apart: completion latency is the whole latency, and `slat` has no samples.
"""

from __future__ import annotations

import base64
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from plimsoll.frontends.fio import plans, values
from plimsoll.frontends.fio.execution import Done
from plimsoll.frontends.fio.jobs import Job
from plimsoll.stats.histogram import decode
from plimsoll.units import KIB, MILLISECOND, SECOND

DIRECTIONS = ("read", "write", "trim")
BITS = 6
BUCKETS = 29 * 64
WHOLE_SAMPLE = 0.9
"""Share of its length that an interval must have to count as a sample."""
SAMPLE_MS = 500
"""fio's `bwavgtime`: shorter intervals are joined to samples of bandwidth and IOPS."""


def bucket_of(value_ns: int) -> int:
    """Index of fio's bucket of a latency (`plat_val_to_idx`)."""
    top = value_ns.bit_length() - 1
    if top <= BITS:
        return max(value_ns, 0)
    error_bits = top - BITS
    return min(((error_bits + 1) << BITS) + ((value_ns >> error_bits) & 63), BUCKETS - 1)


def middle_of(bucket: int) -> int:
    """The latency that fio prints for a bucket (`plat_idx_to_val`)."""
    if bucket < 128:
        return bucket
    error_bits = (bucket >> BITS) - 1
    return (1 << (error_bits + BITS)) + int(((bucket % 64) + 0.5) * (1 << error_bits))


@dataclass
class Latency:
    """fio's numbers of one latency, ns."""

    count: int = 0
    min: int = 0
    max: int = 0
    mean: float = 0.0
    stddev: float = 0.0
    buckets: Counter[int] = field(default_factory=Counter)

    def percentile(self, percent: float) -> int:
        """fio's rule: the middle of the first bucket that reaches the share."""
        wanted, seen = percent / 100 * self.count, 0
        for bucket in sorted(self.buckets):
            seen += self.buckets[bucket]
            if seen >= wanted:
                return middle_of(bucket)
        return 0


@dataclass
class Flow:
    """One direction of one entry."""

    bytes: int = 0
    operations: int = 0
    runtime_ms: int = 0
    latency: Latency = field(default_factory=Latency)
    bandwidth: list[float] = field(default_factory=list)
    """KiB/s of each whole interval."""
    iops: list[float] = field(default_factory=list)

    @property
    def bytes_per_s(self) -> float:
        """Over the whole run."""
        return self.bytes * 1000 / self.runtime_ms if self.runtime_ms else 0.0

    @property
    def operations_per_s(self) -> float:
        """Over the whole run."""
        return self.operations * 1000 / self.runtime_ms if self.runtime_ms else 0.0


@dataclass
class Entry:
    """What fio reports as one job."""

    job: Job
    jobs: int
    error: int
    error_text: str
    flows: dict[str, Flow]
    """Of each direction, and `mixed` of all together."""
    sync: Latency
    runtime_ms: int
    elapsed_s: int
    user_percent: float
    system_percent: float
    context_switches: int
    major_faults: int
    minor_faults: int
    depth: int
    mean_in_flight: float
    errors: int
    members: list[Done]

    @property
    def operations(self) -> int:
        """Of all directions."""
        return self.flows["mixed"].operations

    @property
    def latencies(self) -> Counter[int]:
        """All directions in fio's buckets."""
        return self.flows["mixed"].latency.buckets

    @property
    def told(self) -> tuple[str, ...]:
        """Names of the flows that are reported (`unified_rw_reporting`)."""
        unified = self.job.words.text("unified_rw_reporting")
        if unified in ("mixed", "1"):
            return ("mixed",)
        return (*DIRECTIONS, "mixed") if unified in ("both", "2") else DIRECTIONS


def entries(done: Sequence[Done]) -> list[Entry]:
    """fio's entries in its order."""
    found: list[list[Done]] = []
    for each in done:
        grouped = each.job.words.on("group_reporting")
        if grouped and found and found[-1][0].job.group == each.job.group:
            found[-1].append(each)
        else:
            found.append([each])
    return [_entry(members) for members in found]


def _entry(members: list[Done]) -> Entry:
    outcomes = [each.ended.execution.outcome for each in members if each.ended is not None]
    failed = next((outcome["error"] for outcome in outcomes if outcome["error"]), None)
    elapsed_ns = max((outcome["elapsed_ns"] for outcome in outcomes), default=0)
    total_ns = max(sum(outcome["elapsed_ns"] for outcome in outcomes), 1)
    cpu: Counter[str] = Counter()
    for outcome in outcomes:
        cpu.update({name: value for name, value in outcome["cpu"].items() if name != "busiest_thread"})
    job = members[0].job
    return Entry(
        job=job,
        jobs=len(members),
        error=(failed["errno"] or 5) if failed else 0,
        error_text=failed["message"] if failed else "",
        flows={kind: _flow((kind,), outcomes) for kind in DIRECTIONS} | {"mixed": _flow(DIRECTIONS, outcomes)},
        sync=_latency(outcomes, ("sync",)),
        runtime_ms=round(elapsed_ns / MILLISECOND),
        elapsed_s=math.ceil(max((_whole_ns(outcome) for outcome in outcomes), default=0) / SECOND),
        user_percent=100 * cpu["user_ns"] / total_ns,
        system_percent=100 * cpu["system_ns"] / total_ns,
        context_switches=cpu["context_switches"],
        major_faults=cpu["major_faults"],
        minor_faults=cpu["minor_faults"],
        depth=max((outcome.get("depth_found", plans.depth(job.words)) for outcome in outcomes), default=1),
        mean_in_flight=sum(outcome["mean_in_flight"] for outcome in outcomes) / max(len(outcomes), 1),
        errors=sum(counts["errors"] for outcome in outcomes for counts in outcome["operations"].values()),
        members=members,
    )


def _whole_ns(outcome: Mapping[str, Any]) -> int:
    return int(sum(outcome["phases"][name] for name in ("layout_ns", "warmup_ns", "measure_ns", "verify_ns")))


def _flow(kinds: Sequence[str], outcomes: Sequence[Mapping[str, Any]]) -> Flow:
    """One direction, or several together."""
    flow = Flow()
    for outcome in outcomes:
        counts = [outcome["operations"][kind] for kind in kinds if kind in outcome["operations"]]
        if not counts:
            continue
        flow.bytes += sum(count["bytes"] for count in counts)
        flow.operations += sum(count["operations"] for count in counts)
        flow.runtime_ms = max(flow.runtime_ms, round(outcome["elapsed_ns"] / MILLISECOND), 1)
        for window in windows(outcome, SAMPLE_MS):
            intervals = [interval for _, interval in window]
            rows = [row for each in intervals for kind, row in each["operations"].items() if kind in kinds]
            seconds = sum(each["duration_ns"] for each in intervals) / SECOND
            flow.bandwidth.append(sum(row["bytes"] for row in rows) / KIB / seconds)
            flow.iops.append(sum(row["operations"] for row in rows) / seconds)
    # With a rate the plain histogram counts from the intended start; fio counts from the real one.
    flow.latency = together([_latency(outcomes, (f"{kind}_service", kind)) for kind in kinds])
    return flow


def together(parts: Sequence[Latency]) -> Latency:
    """Latencies of several directions as one."""
    parts = [part for part in parts if part.count] or parts[:1]
    if len(parts) == 1:
        return parts[0]
    count = sum(part.count for part in parts)
    mean = sum(part.mean * part.count for part in parts) / count
    square = sum(part.stddev**2 * (part.count - 1) + part.count * (part.mean - mean) ** 2 for part in parts)
    return Latency(
        count=count,
        min=min(part.min for part in parts),
        max=max(part.max for part in parts),
        mean=mean,
        stddev=math.sqrt(square / (count - 1)),
        buckets=sum((part.buckets for part in parts), Counter()),
    )


def whole_intervals(outcome: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Intervals without a last one that the end of the run cut short."""
    usual = outcome["intervals"][0]["duration_ns"] if outcome["intervals"] else 0
    return [each for each in outcome["intervals"] if each["duration_ns"] >= WHOLE_SAMPLE * usual]


def windows(outcome: Mapping[str, Any], window_ms: int) -> Iterator[list[tuple[int, Mapping[str, Any]]]]:
    """Intervals with their index, joined to windows of the asked length."""
    rows: list[tuple[int, Mapping[str, Any]]] = []
    for index, interval in enumerate(whole_intervals(outcome)):
        rows.append((index, interval))
        if sum(row["duration_ns"] for _, row in rows) >= window_ms * MILLISECOND * WHOLE_SAMPLE:
            yield rows
            rows = []
    if rows:
        yield rows


def _latency(outcomes: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Latency:
    """Of the first of `names` that each outcome has."""
    total = Latency()
    sum_ns = square = 0.0
    for outcome in outcomes:
        name = next((each for each in names if each in outcome["histograms"]), None)
        if name is None:
            continue
        histogram = decode(base64.b64decode(outcome["histograms"][name]))
        middles = [(low + high) / 2 for low, high in zip(histogram.low.tolist(), histogram.high.tolist(), strict=True)]
        counts = histogram.counts.tolist()
        total.buckets.update(buckets_of(middles, counts))
        total.min = min(total.min, int(histogram.low[0])) if total.count else int(histogram.low[0])
        total.max = max(total.max, int(histogram.high[-1]))
        total.count += sum(counts)
        sum_ns += _exact_sum(outcome, name, middles, counts)
        square += sum(middle * middle * count for middle, count in zip(middles, counts, strict=True))
    if total.count:
        total.mean = min(max(sum_ns / total.count, total.min), total.max)
        spread = square - sum_ns * sum_ns / total.count
        total.stddev = math.sqrt(max(spread, 0.0) / (total.count - 1)) if total.count > 1 else 0.0
    return total


def _exact_sum(outcome: Mapping[str, Any], name: str, middles: Sequence[float], counts: Sequence[int]) -> float:
    """The sum of latencies: exact where the core keeps it."""
    if name in outcome["operations"]:
        return float(outcome["operations"][name]["latency_sum_ns"])
    return sum(middle * count for middle, count in zip(middles, counts, strict=True))


def buckets_of(middles: Iterable[float], counts: Iterable[int]) -> Counter[int]:
    """Counts in fio's buckets."""
    found: Counter[int] = Counter()
    for middle, count in zip(middles, counts, strict=True):
        found[bucket_of(int(middle))] += count
    return found


def percentile_list(job: Job) -> list[float]:
    """The percentiles to report, ascending."""
    text = job.words.text("percentile_list") or ""
    return sorted(job.words.read("percentile_list", lambda _: [float(part) for part in text.split(":")]))


def spread(numbers: Sequence[float]) -> tuple[float, float, float, float, int]:
    """Least, largest, mean, sample standard deviation and number."""
    if not numbers:
        return 0.0, 0.0, 0.0, 0.0, 0
    mean = sum(numbers) / len(numbers)
    squares = sum((number - mean) ** 2 for number in numbers)
    deviation = math.sqrt(squares / (len(numbers) - 1)) if len(numbers) > 1 else 0.0
    return min(numbers), max(numbers), mean, deviation, len(numbers)


LATENCY_EDGES = (2, 4, 10, 20, 50, 100, 250, 500, 750, 1000)


def latency_shares(entry: Entry) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """fio's latency distribution: percent of operations below each edge, in ns, µs and ms."""
    ns = {str(edge): 0.0 for edge in LATENCY_EDGES}
    us = dict(ns)
    ms = {**ns, "2000": 0.0, ">=2000": 0.0}
    total = sum(entry.latencies.values())
    for bucket, count in entry.latencies.items():
        latency = middle_of(bucket)
        if latency < 1000:
            table, scaled = ns, latency
        elif latency < 1_000_000:
            table, scaled = us, latency // 1000
        else:
            table, scaled = ms, latency // 1_000_000
        edges = [*LATENCY_EDGES, 2000] if table is ms else LATENCY_EDGES
        key = next((str(edge) for edge in edges if scaled < edge), ">=2000")
        table[key] += 100 * count / total
    # fio never prints 0 for something.
    ns, us, ms = ({edge: max(share, 0.01) if share else 0.0 for edge, share in each.items()} for each in (ns, us, ms))
    return ns, us, ms


DEPTHS = (1, 2, 4, 8, 16, 32)


def depth_shares(entry: Entry) -> dict[str, float]:
    """fio's depth distribution, from the measured mean number in flight; syncs count as at depth 1, as with fio."""
    shares = {str(depth): 0.0 for depth in DEPTHS} | {">=64": 0.0}
    if not entry.operations:
        return shares
    depth = min(max(round(entry.mean_in_flight), 1), entry.depth)
    key = next((str(edge) for edge in reversed(DEPTHS) if edge <= depth), "1") if depth < 64 else ">=64"
    shares[key] = 100.0
    if entry.sync.count:
        shares["1"] += 100 * entry.sync.count / entry.operations
    return shares


def shown_percentiles(entry: Entry) -> tuple[bool, bool]:
    """Whether completion and whole latency have their percentiles printed."""
    words = entry.job.words
    return words.on("clat_percentiles"), words.on("lat_percentiles")


def thread_id(entry: Entry) -> int:
    """Stands where fio prints a process: jobs are threads here."""
    return entry.job.number


def start_delay_s(job: Job) -> float:
    """`startdelay` in seconds."""
    return job.words.read("startdelay", lambda text: values.time_ns(text, "s")) / SECOND
