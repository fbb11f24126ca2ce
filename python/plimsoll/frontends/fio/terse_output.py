"""fio's terse output: 129 fields of a job and nine of each disk, separated by semicolons.

That is version 3. Version 4 also has trims, version 5 besides IOPS and the number of samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plimsoll.frontends.fio.command_line import VERSION
from plimsoll.frontends.fio.disks import Disk
from plimsoll.frontends.fio.latency import Latency
from plimsoll.frontends.fio.statistics import (
    Entry,
    Flow,
    depth_shares,
    latency_shares,
    percentile_list,
    shown_percentiles,
    spread,
)

PERCENTILES = 20


def lines(entries: Sequence[Entry], disks: Sequence[Disk], version: str) -> Iterator[str]:
    """One line per entry."""
    for entry in entries:
        yield ";".join(_fields(entry, entries, disks, version))


def _fields(entry: Entry, entries: Sequence[Entry], disks: Sequence[Disk], version: str) -> Iterator[str]:
    yield from (version, VERSION, entry.job.name, str(entry.job.group), str(entry.error))
    for kind in entry.told:
        if kind == "trim" and version == "3":
            continue
        flows = [each.flows[kind] for each in entries if each.job.group == entry.job.group]
        longest = max(flow.runtime_ms for flow in flows)
        aggregate = sum(flow.bytes for flow in flows) * 1000 / longest / 1024 if longest else 0.0
        yield from _flow(entry.flows[kind], entry, aggregate)
        if version == "5":
            yield from _samples(entry.flows[kind])
    yield f"{entry.user_percent:f}%"
    yield f"{entry.system_percent:f}%"
    yield from (str(entry.context_switches), str(entry.major_faults), str(entry.minor_faults))
    yield from (f"{share:3.1f}%" for share in depth_shares(entry).values())
    ns, us, ms = latency_shares(entry)
    # Below a microsecond the terse format has no fields; those operations count in the first one.
    first = sum(ns.values())
    yield from (f"{share + (first if index == 0 else 0):3.2f}%" for index, share in enumerate(us.values()))
    yield from (f"{share:3.2f}%" for share in ms.values())
    for disk in disks:
        found = disk.as_table()
        names = ("read_ios", "write_ios", "read_merges", "write_merges", "read_ticks", "write_ticks", "in_queue")
        yield disk.name
        yield from (str(found[name]) for name in names)
        yield f"{disk.utilisation:.2f}%"
    if description := entry.job.words.text("description"):
        yield description


def _flow(flow: Flow, entry: Entry, aggregate: float) -> Iterator[str]:
    yield from (str(flow.bytes >> 10), str(int(flow.bytes_per_s) >> 10), str(int(flow.operations_per_s)))
    yield str(flow.runtime_ms)
    yield from _latency(flow.submission)
    yield from _latency(flow.completion)
    _, of_completion, of_whole = shown_percentiles(entry)
    # There is room for one kind, as in fio.
    shown = flow.latency if of_whole else flow.completion
    percents = percentile_list(entry.job)[:PERCENTILES] if of_whole or of_completion else []
    for percent in percents:
        yield f"{percent:f}%={shown.percentile(percent) // 1000}"
    yield from ["0%=0"] * (PERCENTILES - len(percents))
    yield from _latency(flow.latency)
    low, high, mean, deviation, _ = spread(flow.bandwidth)
    share = min(100.0, 100 * mean / aggregate) if aggregate else 0.0
    yield from (str(int(low)), str(int(high)), f"{share:f}%", f"{mean:f}", f"{deviation:f}")


def _samples(flow: Flow) -> Iterator[str]:
    """Number of samples of the bandwidth; IOPS of samples, and their number."""
    low, high, mean, deviation, samples = spread(flow.iops)
    yield from (str(len(flow.bandwidth)), str(int(low)), str(int(high)), f"{mean:f}", f"{deviation:f}", str(samples))


def _latency(latency: Latency) -> Iterator[str]:
    """Least, largest, mean and deviation in µs."""
    yield from (str(latency.min // 1000), str(latency.max // 1000))
    yield from (f"{latency.mean / 1000:f}", f"{latency.stddev / 1000:f}")
