"""fio's text for people (3.33)."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence

from plimsoll.frontends.fio import latency_target, plans, tolerance
from plimsoll.frontends.fio.command_line import VERSION
from plimsoll.frontends.fio.disks import Disk
from plimsoll.frontends.fio.jobs import Job
from plimsoll.frontends.fio.latency import Latency
from plimsoll.frontends.fio.priorities import CLASS_SHIFT, LEVELS
from plimsoll.frontends.fio.statistics import (
    BATCHES,
    DIRECTIONS,
    Entry,
    Flow,
    batch_shares,
    depth_shares,
    latency_shares,
    percentile_list,
    shown_percentiles,
    spread,
    thread_id,
)
from plimsoll.units import MICROSECOND

_UNITS = ((1_000_000_000_000, "sec"), (1_000_000_000, "msec"), (1_000_000, "usec"))


def number(value: float, base: int = 1024, unit: str = "", digits: int = 4) -> str:
    """At most so many digits with a prefix, as `num2str`: `62.5Mi` for base 1024, `16.0k` for 1000."""
    prefixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi"] if base == 1024 else ["", "k", "M", "G", "T", "P"]
    index = 0
    scaled = float(int(value))
    while len(str(int(scaled))) > digits or (index and scaled >= 10**digits):
        scaled, index = scaled / base, index + 1
    decimals = max(0, digits - 1 - len(str(int(scaled)))) if index else 0
    return f"{scaled:.{decimals}f}{prefixes[index]}{unit}"


def header(jobs: Sequence[Job]) -> Iterator[str]:
    """One line per section, as fio prints before it starts."""
    for job in jobs:
        if job.clone:
            if job.clone == 1:
                yield "..."
            continue
        sizes = [_span(job.block_sizes), _span(job.write_block_sizes or job.block_sizes)]
        reads, writes = sizes
        depth = job.words.text("iodepth")
        yield (
            f"{job.name}: (g={job.group}): rw={job.mode}, bs=(R) {reads}, (W) {writes}, (T) {writes}, "
            f"ioengine={plans.engine_name(job.words)}, iodepth={depth}"
        )
    yield VERSION
    yield f"Starting {len(jobs)} thread{'s' if len(jobs) > 1 else ''}"


def _span(sizes: Sequence[tuple[int, float]]) -> str:
    low, high = min(size for size, _ in sizes), max(size for size, _ in sizes)
    return f"{number(low, unit='B')}-{number(high, unit='B')}"


def text(entries: Sequence[Entry], disks: Sequence[Disk]) -> Iterator[str]:
    """Everything after the run."""
    yield ""
    for entry in entries:
        # A status leaves out the jobs whose turn has not come.
        if any(each.ended is not None for each in entry.members):
            yield from _entry(entry, entries)
    for group in sorted({entry.job.group for entry in entries}):
        yield ""
        yield f"Run status group {group} (all jobs):"
        yield from _group([entry for entry in entries if entry.job.group == group])
    if disks:
        yield ""
        yield "Disk stats (read/write):"
        for disk in disks:
            found = disk.as_table()
            yield (
                f"  {disk.name}: ios={found['read_ios']}/{found['write_ios']}, merge={found['read_merges']}/"
                f"{found['write_merges']}, ticks={found['read_ticks']}/{found['write_ticks']}, "
                f"in_queue={found['in_queue']}, util={disk.utilisation:3.2f}%"
            )


def _entry(entry: Entry, entries: Sequence[Entry]) -> Iterator[str]:
    job, when = entry.job, time.strftime("%a %b %e %H:%M:%S %Y")
    state = f"err={entry.error:2d}"
    if entry.error:
        state += f" ({os.strerror(entry.error)})"
    yield f"{job.name}: (groupid={job.group}, jobs={entry.jobs}): {state}: pid={thread_id(entry)}: {when}"
    if description := job.words.text("description"):
        yield f"  Description  : [{description}]"
    for kind in entry.told:
        # As with fio, what moves nothing has no line.
        if entry.flows[kind].runtime_ms:
            yield from _flow(kind, entry.flows[kind], entry, entries)
    yield from _shares(entry)
    if entry.sync.count:
        yield "  fsync/fdatasync/sync_file_range:"
        unit = _unit(entry.sync)
        yield _numbers("  sync", entry.sync, unit)
        yield from _percentiles("sync", entry.sync, entry)
    yield (
        f"  cpu          : usr={entry.user_percent:3.2f}%, sys={entry.system_percent:3.2f}%, "
        f"ctx={entry.context_switches}, majf={entry.major_faults}, minf={entry.minor_faults}"
    )
    depths = ", ".join(f"{name}={_share(share)}" for name, share in depth_shares(entry).items())
    yield f"  IO depths    : {depths}"
    if any(sizes := batch_shares(entry).values()):
        shares = ", ".join(f"{name}={_share(share)}" for name, share in zip(BATCHES, sizes, strict=True))
        yield from (f"     {each}: {shares}" for each in ("submit    ", "complete  "))
    issued = ",".join(str(entry.flows[kind].operations) for kind in DIRECTIONS)
    if entry.told == ("mixed",):
        issued = f"{entry.operations},0,0"
    yield f"     issued rwts: total={issued},{entry.fsyncs} short=0,0,0,0 dropped=0,0,0,0"
    wanted = latency_target.target(job.words) or latency_target.Target(0, 0, 1.0, goes_on=False, runtime_ns=None)
    yield (
        f"     latency   : target={wanted.latency_ns}, window={wanted.window_ns // MICROSECOND}, "
        f"percentile={100 * wanted.share:.2f}%, depth={entry.depth}"
    )
    if tolerance.goes_on(job.words):
        first = entry.first_error
        yield f"     errors    : total={entry.errors}, first_error={first}/<{os.strerror(first)}>"
    steady = entry.members[0].steady
    if steady is not None:
        iops, bytes_per_s = steady.means
        rate, judged = steady.kind.removesuffix("_slope"), " slope" if steady.kind.endswith("slope") else " mean dev"
        yield (
            f"  steadystate  : attained={'yes' if steady.enough() else 'no'}, bw={number(bytes_per_s, unit='B/s')} "
            f"({number(bytes_per_s, 1000, 'B/s')}), iops={number(iops, 1000)}, "
            f"{rate}{judged}={steady.criterion:.3f}{'%' if steady.percent else ''}"
        )


def _share(share: float) -> str:
    """fio never prints 0 for something."""
    return f"{0.1 if 0 < share < 0.1 else share:3.1f}%"


def _flow(kind: str, flow: Flow, entry: Entry, entries: Sequence[Entry]) -> Iterator[str]:
    rate = flow.bytes_per_s
    iops = number(flow.operations_per_s, 1000) if flow.operations_per_s >= 1 else f"{flow.operations_per_s:.0f}"
    ending = "; 0 zone resets" if kind == "write" else ""
    yield (
        f"  {kind}: IOPS={iops}, BW={number(rate, unit='B/s')} ({number(rate, 1000, 'B/s')})"
        f"({number(flow.bytes, unit='B')}/{flow.runtime_ms}msec){ending}"
    )
    parts = (("slat", flow.submission), ("clat", flow.completion), ("lat", flow.latency))
    # As with fio, what has no samples has no line.
    yield from (_numbers(f"{name:>6}", latency, _unit(latency)) for name, latency in parts if latency.count)
    told = [(_priority_name(number, entry), latency) for number, latency in flow.by_priority]
    yield from (_numbers(f"  {name}", latency, _unit(latency)) for name, latency in told)
    shown = shown_percentiles(entry)
    for (name, latency), wanted in zip(parts, shown, strict=True):
        if wanted and latency.count:
            yield from _percentiles(name, latency, entry)
    total = sum(latency.count for _, latency in told)
    for name, latency in told if any(shown[1:]) else ():
        yield from _percentiles(f"{name} ({100 * latency.count / total:.2f}% of IOs)", latency, entry)
    if flow.bandwidth:
        yield from _samples(flow, entry, entries, kind)


def _priority_name(number: int, entry: Entry) -> str:
    kind = "lat" if shown_percentiles(entry)[2] else "clat"
    return f"{kind} prio {number >> CLASS_SHIFT}/{number % LEVELS}"


def _samples(flow: Flow, entry: Entry, entries: Sequence[Entry], kind: str) -> Iterator[str]:
    low, high, mean, deviation, samples = spread(flow.bandwidth)
    flows = [each.flows[kind] for each in entries if each.job.group == entry.job.group]
    longest = max(each.runtime_ms for each in flows)
    aggregate = sum(each.bytes for each in flows) * 1000 / longest / 1024 if longest else 0
    share = min(100.0, 100 * mean / aggregate) if aggregate else 0.0
    yield (
        f"   bw (  KiB/s): min={int(low):5d}, max={int(high):5d}, per={share:3.2f}%, avg={mean:5.02f}, "
        f"stdev={deviation:5.02f}, samples={samples}"
    )
    low, high, mean, deviation, samples = spread(flow.iops)
    yield (
        f"   iops        : min={int(low):5d}, max={int(high):5d}, avg={mean:5.02f}, stdev={deviation:5.02f}, "
        f"samples={samples}"
    )


def _unit(latency: Latency) -> tuple[int, str]:
    """fio's choice: ms above 2000 µs of least and mean, µs above 2000 ns."""
    if latency.min > 2_000_000 and latency.max > 99_999_000 and latency.stddev > 1_000_000:
        return 1_000_000, "msec"
    if latency.min > 2_000 and latency.max > 99_999 and latency.stddev > 1_000:
        return 1_000, "usec"
    return 1, "nsec"


def _numbers(name: str, latency: Latency, unit: tuple[int, str]) -> str:
    factor, word = unit
    low, high = (number(each / factor, 1000, digits=6) for each in (latency.min, latency.max))
    return (
        f"  {name} ({word}): min={low}, max={high}, avg={latency.mean / factor:5.02f}, "
        f"stdev={latency.stddev / factor:5.02f}"
    )


def _percentiles(name: str, latency: Latency, entry: Entry) -> Iterator[str]:
    percents = percentile_list(entry.job)
    found = [latency.percentile(percent) for percent in percents]
    if not found:
        return
    factor, word = (1, "nsec")
    if found[0] > 2_000_000 and found[-1] > 999_999_000:
        factor, word = 1_000_000, "msec"
    elif found[0] > 2_000 and found[-1] > 99_999:
        factor, word = 1_000, "usec"
    yield f"    {name} percentiles ({word}):"
    width = max(5, len(str(found[-1] // factor)))
    columns = 80 // (width + 14)
    for start in range(0, len(percents), columns):
        part = list(zip(percents, found, strict=True))[start : start + columns]
        shown = ", ".join(f"{percent:5.2f}th=[{value // factor:{width}d}]" for percent, value in part)
        yield f"     | {shown}{',' if start + columns < len(percents) else ''}"


def _shares(entry: Entry) -> Iterator[str]:
    """The distribution, six to a line, without zeros."""
    for word, table in zip(("nsec", "usec", "msec"), latency_shares(entry), strict=True):
        shown = [f"{edge}={share:3.2f}%" for edge, share in table.items() if share > 0]
        for start in range(0, len(shown), 5):
            yield f"  lat ({word})   : {', '.join(shown[start : start + 5])}"


def _group(entries: Sequence[Entry]) -> Iterator[str]:
    for kind in (*DIRECTIONS, "mixed"):
        flows = [entry.flows[kind] for entry in entries if kind in entry.told and entry.flows[kind].operations]
        if not flows:
            continue
        times = [flow.runtime_ms for flow in flows]
        total = sum(flow.bytes for flow in flows)
        rates = [flow.bytes_per_s for flow in flows]
        whole = total * 1000 / max(times)
        low, high = min(rates), max(rates)
        yield (
            f"{kind.upper():>7}: bw={number(whole, unit='B/s')} ({number(whole, 1000, 'B/s')}), "
            f"{number(low, unit='B/s')}-{number(high, unit='B/s')} "
            f"({number(low, 1000, 'B/s')}-{number(high, 1000, 'B/s')}), "
            f"io={number(total, unit='B')} ({number(total, 1000, 'B')}), run={min(times)}-{max(times)}msec"
        )
