"""fio --output-format=json and json+ (fio 2 in µs, fio 3 in ns), with messages around it, from clients, in parts."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from plimsoll.errors import ResultFileError
from plimsoll.importers.draft import Draft
from plimsoll.importers.formats import _fio
from plimsoll.importers.formats._fio import Flow
from plimsoll.importers.json_text import Damage, documents, table, tables, text_of
from plimsoll.importers.latencies import percentile_name
from plimsoll.importers.numbers import located, number, plain, scaled, whole
from plimsoll.importers.quantities import divided
from plimsoll.importers.record import MAX_RUNS, build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.model import RunStatus
from plimsoll.units import KIB, MICROSECOND, MILLISECOND, SECOND

NAME = "fio_json"
TITLE = "fio JSON"
TOOLS = ("fio",)

_MESSAGE = re.compile(r"^(?:<[^>\n]{1,200}> )?(fio: .*)$", re.MULTILINE)
_FAULT = re.compile(r"err=|error|failed|fatal|unable|refusing", re.IGNORECASE)
_FAULT_LINE = re.compile(rb"(?im)^(?:<[^>\n]{1,200}> )?fio: [^\n]*(?:err=|error|failed|fatal|unable|refusing)")
_UNITS = {"_ns": 1, "_us": MICROSECOND, "_ms": MILLISECOND}
_ALL_CLIENTS = "All clients"
_NO_ETA = 2**30
"""fio prints numbers beyond this where it does not know the time left."""


def recognise(head: bytes, name: str) -> bool:
    """fio's JSON names its version; a file with nothing but errors has fio's messages."""
    del name
    text = head.replace(b"\0", b"")
    others = b";fio-" in text or b": (groupid=" in text
    return b'"fio version"' in text or (_FAULT_LINE.search(text) is not None and not others)


@located
def read(source: Source, options: Options) -> Imported:
    """One run per job; clones of a job that ran side by side are one run."""
    messages = [match[1].strip() for match in _MESSAGE.finditer(source.text)][:1000]
    text = _MESSAGE.sub("", source.text) if messages else source.text
    damage: list[Damage] = []
    found = [table(each) for each in islice(documents(text, damage=damage), MAX_RUNS + 1) if isinstance(each, dict)]
    found = [each for each in found if "fio version" in each or "jobs" in each or "client_stats" in each]
    warnings = []
    if text.count('"fio version"') > len(found):
        if damage and damage[0].text:
            # Not cut short but spoilt: what is left may be a report from inside the very run that cannot be read.
            raise ResultFileError(f"{source.name}: {damage[0]}; take the complete file as fio wrote it")
        warnings.append(f"{source.name}: one document of fio is incomplete and was left out")
    final = list(_final(found))
    if len(final) < len(found):
        warnings.append(f"{source.name}: {len(found) - len(final)} reports from inside a run stand before its end")
    drafts = list(islice((draft for document in final for draft in _drafts(document)), MAX_RUNS + 1))
    faults = [message for message in messages if _FAULT.search(message)]
    if not drafts and faults and not warnings:
        drafts = [_only_errors(faults)]
    for draft in drafts:
        fitting = next((fault for fault in faults if str(draft.facts.get("error_text", "\n")) in fault), None)
        if draft.status is not RunStatus.OK and fitting:
            draft.reason = f"{draft.reason}: {fitting}"
        draft.known(messages=messages[:20])
    if not drafts and text.count('"fio version"'):
        told = damage[0] if damage else "the JSON holds no job of fio"
        raise ResultFileError(f"{source.name}: {told}; take the complete file as fio wrote it")
    return build(sys.modules[__name__], source, options, drafts, warnings=warnings)


def _only_errors(faults: Sequence[str]) -> Draft:
    draft = Draft(test="fio", case="fio")
    draft.fail(f"{faults[0]} ({len(faults)} such messages)" if len(faults) > 1 else faults[0])
    return draft


def _final(found: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Documents without those that --status-interval wrote before the end of the same run."""
    for index, document in enumerate(found):
        if index + 1 == len(found) or not _continues(document, found[index + 1]):
            yield document


def _continues(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether `other` is a later report of the run in `one`: same jobs, counts grow with the clock."""
    ours, theirs = _jobs(one), _jobs(other)
    if not ours or [_identity(job) for job in ours] != [_identity(job) for job in theirs]:
        return False
    grown = [(_operations(a), _operations(b)) for a, b in zip(ours, theirs, strict=True)]
    if any(after < before for before, after in grown):
        return False
    clock = (_timestamp(other) or 0) - (_timestamp(one) or 0)
    elapsed = max(
        (number(b.get("elapsed")) or 0) - (number(a.get("elapsed")) or 0) for a, b in zip(ours, theirs, strict=True)
    )
    # Two separate runs of one job have about equal elapsed times, but their clocks differ by a whole run.
    return abs(clock / SECOND - elapsed) < 2.5 and (clock > 0 or grown[0][0] != grown[0][1])


def _identity(job: Mapping[str, Any]) -> tuple[str, str]:
    return str(job.get("jobname")), str(number(job.get("groupid")))


def _operations(job: Mapping[str, Any]) -> float:
    return sum(number(table(job.get(kind)).get("total_ios")) or 0 for kind in _fio.KINDS)


def _timestamp(document: Mapping[str, Any]) -> int | None:
    """When the report was made, ns since 1970, in whole numbers: a float would lose the last digits."""
    milliseconds, seconds = whole(document.get("timestamp_ms")), whole(document.get("timestamp"))
    if milliseconds:
        return milliseconds * MILLISECOND
    return seconds * SECOND if seconds else None


def _jobs(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    return tables(document.get("jobs")) or tables(document.get("client_stats"))


def _drafts(document: Mapping[str, Any]) -> Iterator[Draft]:
    """The runs of one document: jobs of one name in one group ran side by side and are one run."""
    jobs = _jobs(document)
    shared = table(document.get("global options"))
    names = {text_of(job.get("jobname")) for job in jobs} - {_ALL_CLIENTS}
    together = next((job for job in jobs if job.get("jobname") == _ALL_CLIENTS), None)
    if together is not None and len(names) <= 1:
        clients = [job for job in jobs if job is not together]
        options = table(clients[0].get("job options")) if clients else {}
        known = {"jobname": next(iter(names), _ALL_CLIENTS), "job options": options}
        # The sum that fio made has no percentiles; only the bins of json+ let us make them.
        members = clients if clients and all(_has_bins(job) for job in clients) else [together | known]
        draft = _draft(document, members, shared, clients)
        if len(clients) > 1 and not draft.histograms:
            draft.warn(
                "percentiles", f"percentiles of {len(clients)} clients cannot be added; run fio with json+ output"
            )
        draft.known(clients=[_client(job) for job in clients[:1000]])
        yield draft
        return
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for job in jobs:
        if job is not together:
            groups.setdefault(_identity(job), []).append(job)
    for (_, group), members in groups.items():
        draft = _draft(document, members, shared, members)
        beside = sorted({name for name, other in groups if other == group} - {str(members[0].get("jobname"))})
        draft.known(reported_with=beside[:100])
        yield draft


def _has_bins(job: Mapping[str, Any]) -> bool:
    """Whether every kind of I/O of a job that was active has its bins."""
    active = [table(job.get(kind)) for kind in _fio.KINDS if number(table(job.get(kind)).get("iops"))]
    return bool(active) and all(any("bins" in table(block) for block in stats.values()) for stats in active)


def _client(job: Mapping[str, Any]) -> dict[str, Any]:
    flows = [table(job.get(kind)) for kind in _fio.KINDS]
    iops = [rate for flow in flows if (rate := number(flow.get("iops")))]
    return {"hostname": text_of(job.get("hostname")), "iops": sum(iops) if iops else None}


def _draft(
    document: Mapping[str, Any],
    members: Sequence[Mapping[str, Any]],
    shared: Mapping[str, Any],
    clones: Sequence[Mapping[str, Any]],
) -> Draft:
    written = {**shared, **table(members[0].get("job options"))}
    options = _fio.parameters(written)
    draft = Draft(
        test="fio",
        case=text_of(members[0].get("jobname")) or "fio",
        parameters=options or {"job": text_of(members[0].get("jobname"))},
        where=text_of(written.get("filename")) or text_of(written.get("directory")) or "unknown",
        target_facts=_devices(document),
        storage=True,
    )
    version = text_of(document.get("fio version"))
    flows = []
    for kind in _fio.KINDS:
        parts = [flow for job in members if (flow := _flow(draft, kind, table(job.get(kind)), version))]
        active = [flow for flow in parts if flow.operations or flow.bytes or flow.iops]
        if active:
            flows.append(_fio.join(active))
            if len(active) > 1 and not flows[-1].bins:
                draft.warn(
                    "percentiles", f"percentiles of {len(active)} parallel jobs cannot be added, so there are none"
                )
    if options:
        depth, jobs = plain(options.get("iodepth", 1)), plain(options.get("numjobs", 1))
        draft.in_flight = depth * max(jobs, len(clones)) if depth and jobs else None
    _fio.score(draft, flows, _fio.block_size(options))
    _sync(draft, members)
    _times(draft, document, members)
    _errors(draft, members, flows)
    draft.known(
        tool_version=version,
        jobs=len(clones),
        cpu={name: number(members[0].get(name)) for name in ("usr_cpu", "sys_cpu") if name in members[0]},
        disk_util=tables(document.get("disk_util"))[:100],
    )
    return draft


def _devices(document: Mapping[str, Any]) -> dict[str, Any]:
    names = [text_of(each.get("name")) for each in tables(document.get("disk_util"))[:32]]
    return {"devices": names[0]} if len(names) == 1 else {}


def _flow(draft: Draft, kind: str, stats: Mapping[str, Any], version: str) -> Flow | None:
    """One kind of I/O of one job. Before fio 3, `io_bytes` was in KiB."""
    if not stats:
        return None
    kibibytes = "io_kbytes" not in stats and "bw_bytes" not in stats
    flow = Flow(
        kind=kind,
        operations=number(stats.get("total_ios")),
        bytes=scaled(stats.get("io_bytes"), KIB if kibibytes else 1),
        runtime_ns=scaled(stats.get("runtime"), MILLISECOND),
        iops=number(stats.get("iops")),
        throughput=number(stats.get("bw_bytes")) or scaled(stats.get("bw"), KIB),
    )
    if flow.runtime_ns == 0:
        flow.runtime_ns = None
    _bandwidths(draft, kind, stats)
    _latency(flow, stats)
    if flow.operations or flow.iops:
        _mixed_units(draft, kind, stats, version)
    return flow


def _bandwidths(draft: Draft, kind: str, stats: Mapping[str, Any]) -> None:
    exact, rounded = number(stats.get("bw_bytes")), scaled(stats.get("bw"), KIB)
    if exact and rounded and abs(exact - rounded) > max(0.02 * exact, 2 * KIB):
        draft.warn("rates", f"{kind}s: bw_bytes says {exact:,.0f} B/s, bw says {rounded:,.0f} B/s")


def _blocks(stats: Mapping[str, Any], what: str) -> Iterator[tuple[str, Mapping[str, Any], float]]:
    """The latency blocks of one kind (`lat_ns`, `lat`, …) with the ns of their unit: the key says it, else µs."""
    for key, block in stats.items():
        stem, unit = (key[:-3], key[-3:]) if key[-3:] in _UNITS else (key, "")
        if stem == what and isinstance(block, dict):
            yield key, block, _UNITS.get(unit, MICROSECOND)


def _latency(flow: Flow, stats: Mapping[str, Any]) -> None:
    """Mean, maximum and percentiles from one block: that with percentiles, so that they fit together."""
    blocks = [(what, block, unit) for what in ("lat", "clat") for _, block, unit in _blocks(stats, what)]
    # "N": 0 (and no percentiles) stands where a latency was switched off; older versions have no N.
    used = [each for each in blocks if number(each[1].get("N", 1)) and number(each[1].get("max"))]
    # Without percentiles the mean is that of clat too, which is where fio has them unless asked otherwise.
    chosen = next((each for each in used if "percentile" in each[1] or "bins" in each[1]), used[-1] if used else None)
    if chosen is None:
        return
    flow.latency, block, unit = chosen
    flow.mean_ns, flow.max_ns = scaled(block.get("mean"), unit), scaled(block.get("max"), unit)
    for key, value in table(block.get("percentile")).items():
        name, latency = percentile_name(_label(key)), scaled(value, unit)
        if name and latency:
            flow.percentiles[name] = latency
    for key, value in table(block.get("bins")).items():
        middle, count = scaled(_label(key), unit), number(value)
        if middle is not None and count and count > 0:
            flow.bins[middle] = count


def _label(key: str) -> float:
    """The number that is a key."""
    return number(key or '"" :') or 0.0


def _mixed_units(draft: Draft, kind: str, stats: Mapping[str, Any], version: str) -> None:
    """fio writes all latencies of a file in one unit."""
    units = {unit: key for what in ("slat", "clat", "lat") for key, _, unit in _blocks(stats, what)}
    expected = {"2": MICROSECOND, "3": 1}.get(version.removeprefix("fio-")[:1])
    if len(units) > 1:
        odd = ", ".join(sorted(units.values()))
        draft.warn("units", f"{kind}s: latencies in several units ({odd}), which fio never writes: the file was edited")
    elif expected and units and expected not in units:
        odd = next(iter(units.values()))
        draft.warn("units", f"{kind}s: {odd} is not in the unit of {version}: the file was edited")


def _sync(draft: Draft, members: Sequence[Mapping[str, Any]]) -> None:
    """fsync and fdatasync of the writes."""
    flows = []
    for job in members:
        stats = table(job.get("sync"))
        # fio 3.33 counts them only with their latencies: its total is 0.
        counted = number(table(stats.get("lat_ns")).get("N"))
        flow = Flow(kind="sync", operations=number(stats.get("total_ios")) or counted)
        flow.runtime_ns = scaled(job.get("job_runtime"), MILLISECOND)
        _latency(flow, stats)
        if flow.operations:
            flows.append(flow)
    if not flows:
        return
    sync = _fio.join(flows)
    draft.rate("sync_rate", divided(sync.operations, (sync.runtime_ns or 0) / SECOND))
    draft.latency("sync_mean", sync.mean_ns)
    for name, value in sync.percentiles.items():
        draft.latency(f"sync_{name}", value)
    draft.latency("sync_max", sync.max_ns)
    draft.histogram("sync", sync.bins.items())


def _times(draft: Draft, document: Mapping[str, Any], members: Sequence[Mapping[str, Any]]) -> None:
    """`job_start` in new versions; before, only the time of the report and the seconds since fio began."""
    start, end, elapsed = whole(members[0].get("job_start")), _timestamp(document), whole(members[0].get("elapsed"))
    if start:
        draft.started_ns = start * MILLISECOND
    elif end is not None and elapsed is not None:
        draft.started_ns = end - elapsed * SECOND


def _errors(draft: Draft, members: Sequence[Mapping[str, Any]], flows: Sequence[Flow]) -> None:
    codes = [code for job in members if (code := whole(job.get("error")))]
    if not codes:
        unfinished = [left for job in members if (left := number(job.get("eta"))) and 0 < left < _NO_ETA]
        if unfinished and flows:
            draft.partial(f"the report was made {max(unfinished):.0f} s before the end of the run")
        return
    meaning = os.strerror(codes[0]) if codes[0] < 4096 else "of no known meaning"
    draft.known(error=codes[0], error_text=meaning)
    told = f"fio reported error {codes[0]} ({meaning})"
    if flows:
        draft.partial(told)
    else:
        draft.fail(told)
