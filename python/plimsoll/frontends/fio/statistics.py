"""The core's outcomes as fio's statistics: one entry per job, or per group with group_reporting.

As in fio, `lat` is `slat` until the kernel has an operation and `clat` from then on. Engines that wait for each
operation have no `slat`; their `clat` is the whole latency.
"""

from __future__ import annotations

import errno
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from plimsoll.declared import IoParameters
from plimsoll.frontends.fio import files, plans, tolerance, values
from plimsoll.frontends.fio.by_priority import COMPLETION, WHOLE, by_priority
from plimsoll.frontends.fio.execution import Done
from plimsoll.frontends.fio.jobs import Job
from plimsoll.frontends.fio.latency import Latency, latency_of, middle_of, together
from plimsoll.run.evidence import CPU_SHARES
from plimsoll.run.outcome import Failure, KindInInterval, OneInterval, Outcome, totals_of
from plimsoll.units import KIB, MILLISECOND, SECOND

DIRECTIONS = ("read", "write", "trim")
WHOLE_SAMPLE = 0.9
"""Share of its length that an interval must have to count as a sample."""
SAMPLE_MS = 500
"""fio's `bwavgtime`: shorter intervals are joined to samples of bandwidth and IOPS."""


@dataclass
class Flow:
    """One direction of one entry."""

    bytes: int = 0
    operations: int = 0
    runtime_ms: int = 0
    latency: Latency = field(default_factory=Latency)
    """fio's `lat`; empty, like the next two, where the job's options say not to tell it."""
    submission: Latency = field(default_factory=Latency)
    """fio's `slat`."""
    completion: Latency = field(default_factory=Latency)
    """fio's `clat`."""
    by_priority: list[tuple[int, Latency]] = field(default_factory=list)
    """`clat`, or with `lat_percentiles` `lat`, by the kernel's number of the priority, where there are several."""
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
    fsyncs: int
    """Of the syncs, without those that were an fdatasync."""
    started_ms: int
    """Since 1970; of the first of several jobs."""
    runtime_ms: int
    user_percent: float
    system_percent: float
    context_switches: int
    major_faults: int
    minor_faults: int
    depth: int
    mean_in_flight: float
    errors: int
    """Of kinds after whose errors it may go on."""
    first_error: int
    """The number of the first of them."""
    members: list[Done]

    @property
    def operations(self) -> int:
        """Of all directions."""
        return self.flows["mixed"].operations

    @property
    def latencies(self) -> Counter[int]:
        """All directions in fio's buckets, from when the kernel had the operations."""
        return Counter() if _by_name(self.job) else self.flows["mixed"].completion.buckets

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
        cpu.update({name: value for name, value in outcome["cpu"].items() if name not in CPU_SHARES})
    job = members[0].job
    counted = [number for each in members for number in _counted(each)]
    passed = next((number for number in counted if number), 0)
    return Entry(
        job=job,
        jobs=len(members),
        error=_number_of(failed) if failed else passed,
        error_text=failed["message"] if failed else "",
        flows={kind: _flow((kind,), members) for kind in DIRECTIONS} | {"mixed": _flow(DIRECTIONS, members)},
        sync=latency_of(outcomes, ("sync",)),
        fsyncs=sum(_fsyncs(each) for each in members),
        started_ms=min((each.ended.started_ns for each in members if each.ended is not None), default=0) // MILLISECOND,
        runtime_ms=round(elapsed_ns / MILLISECOND),
        user_percent=100 * cpu["user_ns"] / total_ns,
        system_percent=100 * cpu["system_ns"] / total_ns,
        context_switches=cpu["context_switches"],
        major_faults=cpu["major_faults"],
        minor_faults=cpu["minor_faults"],
        depth=max((outcome.get("depth_found", plans.depth(job.words)) for outcome in outcomes), default=1),
        mean_in_flight=sum(outcome["mean_in_flight"] for outcome in outcomes) / max(len(outcomes), 1),
        errors=len(counted),
        first_error=passed,
        members=members,
    )


def _counted(member: Done) -> list[int]:
    """Numbers of the errors of a kind after some of which the job goes on: the first, and 0 for each that follows."""
    if member.ended is None:
        return []
    outcome, kinds = member.ended.execution.outcome, tolerance.goes_on(member.job.words)
    count = sum(counts["errors"] for counts in outcome["operations"].values())
    bad_blocks = outcome["verified"]["bad_blocks"] if outcome["verified"] else 0
    if errno.EILSEQ in kinds.get("verify", ()):
        count += bad_blocks
    first = outcome.get("first_errno") or (errno.EILSEQ if bad_blocks else 0)
    failed, error = _fatal(outcome), outcome["error"]
    if error and failed and ("read" if failed == "read" else "write") in kinds:
        count, first = count + 1, first or _number_of(error)
    return [first, *([0] * (count - 1))] if count else []


def _fatal(outcome: Outcome) -> str:
    """The kind of the operation that ended the job; nothing where none did."""
    error = outcome["error"]
    return error["operation"] or "" if error and error["kind"] == "io" else ""


def _number_of(failed: Failure) -> int:
    """fio's error: that of the system, or the one that stands for blocks that are not what was written."""
    return failed["errno"] or (errno.EILSEQ if failed["kind"] == "verify" else errno.EIO)


def _fsyncs(member: Done) -> int:
    """What fio counts as issued syncs: not those that were an fdatasync."""
    if member.ended is None:
        return 0
    outcome, words = member.ended.execution.outcome, member.job.words
    syncs, writes = (totals_of(outcome, kind)["operations"] for kind in ("sync", "write"))
    fsync, fdatasync = (words.read(name, values.whole) for name in ("fsync", "fdatasync"))
    if not fsync or not fdatasync:
        return syncs if fsync else 0
    # Where both are due there is one fsync; the last sync may be left out.
    planned = writes // fsync
    left_out = planned + writes // fdatasync - writes // math.lcm(fsync, fdatasync) - syncs
    return planned - (1 if left_out > 0 and writes % fsync == 0 else 0)


def _spent_ns(kinds: Sequence[str], member: Done, outcome: Outcome) -> int:
    """The time of a direction: fio's reads that verify have that of their own, between passes."""
    whole, read_back = outcome["elapsed_ns"], outcome["phases"]["verify_ns"]
    found = [kind for kind in kinds if kind in outcome["operations"]]
    values = member.plan.values(IoParameters)
    passes = values.get("passes")
    if not passes or not passes["read_back"] or not read_back:
        return whole
    if "read" not in found:
        return whole - read_back
    backlog = (values.get("verification") or {}).get("backlog")
    among = member.job.reads or backlog
    return whole if among else max(read_back, whole - read_back if len(found) > 1 else 0)


def _flow(kinds: Sequence[str], members: Sequence[Done]) -> Flow:
    """One direction, or several together."""
    flow = Flow()
    ended = [(each, each.ended.execution.outcome) for each in members if each.ended is not None]
    outcomes = [outcome for _, outcome in ended]
    for each, outcome in ended:
        counts = [outcome["operations"][kind] for kind in kinds if kind in outcome["operations"]]
        # As with fio, what was tried.
        flow.operations += sum(count["operations"] + count["errors"] for count in counts) + (_fatal(outcome) in kinds)
        flow.operations += outcome.get("without_room", 0) if "write" in kinds else 0
        if not counts or not each.job.moves:
            continue
        flow.bytes += sum(count["bytes"] for count in counts)
        flow.runtime_ms = max(flow.runtime_ms, round(_spent_ns(kinds, each, outcome) / MILLISECOND), 1)
        for window in windows(outcome, SAMPLE_MS):
            intervals = [interval for _, interval in window]
            rows = [row for interval in intervals for kind, row in interval["operations"].items() if kind in kinds]
            if passed_over(rows):
                continue
            seconds = sum(interval["duration_ns"] for interval in intervals) / SECOND
            flow.bandwidth.append(sum(row["bytes"] for row in rows) / KIB / seconds)
            flow.iops.append(sum(row["operations"] for row in rows) / seconds)
    words = members[0].job.words
    by_name = _by_name(members[0].job)
    if words.on("gtod_reduce") or words.on("disable_bw_measurement") or by_name:
        flow.bandwidth, flow.iops = [], []

    def told(option: str, *names: str) -> Latency:
        if words.on("gtod_reduce") or words.on(option):
            return Latency()
        return together([latency_of(outcomes, [name.format(kind) for name in names]) for kind in kinds])

    # With a rate the plain histogram counts from the intended start; fio counts from the real one.
    flow.latency = Latency() if by_name else told("disable_lat", *WHOLE)
    flow.submission = told("disable_slat", "{}_submission")
    flow.completion = told("disable_clat", *COMPLETION)
    flow.by_priority = [] if by_name else by_priority(kinds, members)
    return flow


def _by_name(job: Job) -> bool:
    """As with fio, what is done to names has completions, and no statistics beside them."""
    return plans.engine_name(job.words) in files.NAME_ENGINES


def passed_over(rows: Sequence[KindInInterval]) -> bool:
    """As with fio, a window in which a direction moved nothing is no sample of it."""
    return not any(row["bytes"] for row in rows)


def whole_intervals(outcome: Outcome) -> list[OneInterval]:
    """Intervals without a last one that the end of the run cut short."""
    usual = outcome["intervals"][0]["duration_ns"] if outcome["intervals"] else 0
    return [each for each in outcome["intervals"] if each["duration_ns"] >= WHOLE_SAMPLE * usual]


def windows(outcome: Outcome, window_ms: int) -> Iterator[list[tuple[int, OneInterval]]]:
    """Intervals with their index, joined to windows of the asked length."""
    rows: list[tuple[int, OneInterval]] = []
    for index, interval in enumerate(whole_intervals(outcome)):
        rows.append((index, interval))
        if sum(row["duration_ns"] for _, row in rows) >= window_ms * MILLISECOND * WHOLE_SAMPLE:
            yield rows
            rows = []
    if rows:
        yield rows


def percentile_list(job: Job) -> list[float]:
    """The percentiles to report, ascending."""
    return job.words.read("percentile_list", values.percentiles)


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
    # As with fio, of all that was tried.
    total = max(sum(entry.latencies.values()), entry.operations)
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


BATCHES = ("0", "4", "8", "16", "32", "64", ">=64")


def batch_shares(entry: Entry) -> dict[str, float]:
    """Percent of submissions and of completions by size: one by one at a depth of 1, else not measured and 0."""
    one_by_one = entry.depth == 1 and entry.operations
    return {size: 100.0 if size == "4" and one_by_one else 0.0 for size in BATCHES}


def shown_percentiles(entry: Entry) -> tuple[bool, bool, bool]:
    """Whether submission, completion and whole latency have their percentiles printed."""
    words = entry.job.words
    return words.on("slat_percentiles"), words.on("clat_percentiles"), words.on("lat_percentiles")


def thread_id(entry: Entry) -> int:
    """Stands where fio prints a process: jobs are threads here."""
    return entry.job.number
