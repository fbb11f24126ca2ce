"""fio's JSON and JSON+ (3.33), key by key."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

from plimsoll.frontends.fio import latency_target, tolerance
from plimsoll.frontends.fio.command_line import VERSION
from plimsoll.frontends.fio.disks import Disk
from plimsoll.frontends.fio.execution import Done
from plimsoll.frontends.fio.latency import Latency, middle_of
from plimsoll.frontends.fio.priorities import CLASS_SHIFT, LEVELS
from plimsoll.frontends.fio.statistics import (
    Entry,
    Flow,
    batch_shares,
    depth_shares,
    latency_shares,
    percentile_list,
    shown_percentiles,
    spread,
)
from plimsoll.units import MICROSECOND


def document(
    entries: Sequence[Entry], shared: Mapping[str, str], disks: Sequence[Disk], started_ns: int, eta: int, *, bins: bool
) -> dict[str, Any]:
    """The whole document; `eta` is in seconds, `bins` adds what json+ has."""
    now = time.time()
    named: dict[str, Any] = {
        "fio version": VERSION,
        "timestamp": int(now),
        "timestamp_ms": int(now * 1000),
        "time": time.strftime("%a %b %e %H:%M:%S %Y", time.localtime(now)),
    }
    if shared:
        named["global options"] = {name: value for name, value in shared.items() if value}
    elapsed_s = max(1, math.ceil(now - started_ns / 1e9))
    named["jobs"] = [_job(entry, entries, elapsed_s, eta, bins=bins) for entry in entries]
    if disks:
        named["disk_util"] = [disk.as_table() for disk in disks]
    return named


def _job(entry: Entry, entries: Sequence[Entry], elapsed_s: int, eta: int, *, bins: bool) -> dict[str, Any]:
    job = entry.job
    # As with fio, switches without a value are not told.
    own = {name: value for name, value in job.section.own.items() if name != "name" and value}
    ns, us, ms = latency_shares(entry)
    table: dict[str, Any] = {
        "jobname": job.name,
        "groupid": job.group,
        "job_start": entry.started_ms,
        "error": entry.error,
        "eta": eta,
        "elapsed": elapsed_s,
    }
    if description := job.words.text("description"):
        table["desc"] = description
    table["job options"] = {"name": job.name, **own} if job.section.where == "the command line" else own
    flows = {
        kind: _flow(entry.flows[kind], entry, _of_group(entries, job.group, kind), bins=bins) for kind in entry.told
    }
    mixed = {"mixed": flows.pop("mixed")} if "mixed" in flows else {}
    if flows:
        flows["sync"] = {"total_ios": entry.fsyncs, "lat_ns": _latency(entry.sync, entry, percentiles=True, bins=bins)}
    # fio's order; where it tells all together only, it leaves the syncs out.
    table |= flows | mixed
    return table | {
        "job_runtime": entry.runtime_ms,
        "usr_cpu": entry.user_percent,
        "sys_cpu": entry.system_percent,
        "ctx": entry.context_switches,
        "majf": entry.major_faults,
        "minf": entry.minor_faults,
        "iodepth_level": depth_shares(entry),
        "iodepth_submit": batch_shares(entry),
        "iodepth_complete": batch_shares(entry),
        "latency_ns": ns,
        "latency_us": us,
        "latency_ms": ms,
        **_endings(entry),
    }


def _endings(entry: Entry) -> dict[str, Any]:
    endings: dict[str, Any] = {}
    if tolerance.goes_on(entry.job.words):
        endings |= {"total_err": entry.errors, "first_error": entry.first_error}
    wanted = latency_target.target(entry.job.words)
    endings |= {
        "latency_depth": entry.depth,
        "latency_target": wanted.latency_ns if wanted else 0,
        "latency_percentile": 100 * wanted.share if wanted else 100.0,
        "latency_window": wanted.window_ns // MICROSECOND if wanted else 0,
    }
    if steady := _steady(entry.members):
        endings["steadystate"] = steady
    return endings


def _steady(members: Sequence[Done]) -> dict[str, Any] | None:
    found = members[0].steady
    if found is None:
        return None
    mean = found.means
    largest = max((abs(rate - sum(found.rolling) / len(found.rolling)) for rate in found.rolling), default=0.0)
    sloped = found.kind.endswith("slope")
    return {
        "ss": f"{found.kind}:{found.limit:f}{'%' if found.percent else ''}",
        "duration": found.window,
        "attained": int(found.enough()),
        "criterion": f"{found.criterion:f}{'%' if found.percent else ''}",
        "max_deviation": 0.0 if sloped else largest,
        "slope": found.slope if sloped else 0.0,
        "data": {
            "bw_mean": int(mean[1]),
            "iops_mean": int(mean[0]),
            "iops": [int(rate) for rate, _ in found.judged],
            "bw": [int(rate) for _, rate in found.judged],
        },
    }


def _of_group(entries: Sequence[Entry], group: int, kind: str) -> float:
    """Bytes per second of the whole group in one direction."""
    flows = [entry.flows[kind] for entry in entries if entry.job.group == group]
    longest = max((flow.runtime_ms for flow in flows), default=0)
    return sum(flow.bytes for flow in flows) * 1000 / longest if longest else 0.0


def _flow(flow: Flow, entry: Entry, group_bytes_per_s: float, *, bins: bool) -> dict[str, Any]:
    low, high, mean, deviation, samples = spread(flow.bandwidth)
    low_iops, high_iops, mean_iops, deviation_iops, _ = spread(flow.iops)
    submission, completion, whole = shown_percentiles(entry)
    return {
        "io_bytes": flow.bytes,
        "io_kbytes": flow.bytes >> 10,
        "bw_bytes": int(flow.bytes_per_s),
        "bw": int(flow.bytes_per_s) >> 10,
        "iops": round(flow.operations_per_s, 6),
        "runtime": flow.runtime_ms,
        "total_ios": flow.operations,
        "short_ios": 0,
        "drop_ios": 0,
        "slat_ns": _latency(flow.submission, entry, percentiles=submission, bins=bins and submission),
        "clat_ns": _latency(flow.completion, entry, percentiles=completion, bins=bins and completion),
        "lat_ns": _latency(flow.latency, entry, percentiles=whole, bins=bins and whole),
        **_priorities(flow, entry, bins=bins),
        "bw_min": int(low),
        "bw_max": int(high),
        "bw_agg": min(100.0, 100 * mean * 1024 / group_bytes_per_s) if group_bytes_per_s else 0.0,
        "bw_mean": mean,
        "bw_dev": deviation,
        "bw_samples": samples,
        "iops_min": int(low_iops),
        "iops_max": int(high_iops),
        "iops_mean": mean_iops,
        "iops_stddev": deviation_iops,
        "iops_samples": samples,
    }


def _priorities(flow: Flow, entry: Entry, *, bins: bool) -> dict[str, Any]:
    """fio's `prios`, where operations had several."""
    _, completion, whole = shown_percentiles(entry)
    shown = completion or whole
    name = "lat_ns" if whole else "clat_ns"
    found = [
        {
            "prioclass": number >> CLASS_SHIFT,
            "prio": number % LEVELS,
            name: _latency(latency, entry, percentiles=shown, bins=bins and shown),
        }
        for number, latency in flow.by_priority
    ]
    return {"prios": found} if found else {}


def _latency(latency: Latency, entry: Entry, *, percentiles: bool = False, bins: bool = False) -> dict[str, Any]:
    table: dict[str, Any] = {
        "min": latency.min,
        "max": latency.max,
        "mean": round(latency.mean, 6),
        "stddev": round(latency.stddev, 6),
        "N": latency.count,
    }
    if latency.count and percentiles:
        table["percentile"] = {f"{percent:.6f}": latency.percentile(percent) for percent in percentile_list(entry.job)}
        if bins:
            table["bins"] = {str(middle_of(bucket)): latency.buckets[bucket] for bucket in sorted(latency.buckets)}
    return table
