"""The properties of YCSB's client and core workload, as the parameters of our YCSB tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from plimsoll.errors import UsageError
from plimsoll.frontends.ycsb.properties import Properties

UNLIMITED_S = 7 * 24 * 3600
"""Without a limit of time a run ends by its operations; no job is endless."""
MIX = {
    "read": ("readproportion", 0.95),
    "update": ("updateproportion", 0.05),
    "insert": ("insertproportion", 0.0),
    "scan": ("scanproportion", 0.0),
    "read_modify_write": ("readmodifywriteproportion", 0.0),
}
"""Property and default of each kind of operation."""

_LENGTHS = ("constant", "uniform", "zipfian")


@dataclass(frozen=True)
class Wanted:
    """What the properties ask for."""

    parameters: Mapping[str, Any]
    kinds: tuple[str, ...]
    """Kinds of operation that happen."""
    operations: int | None
    """How many there will be, where that ends the measured part."""


def wanted(properties: Properties, phase: str, data: str | None) -> Wanted:
    """The parameters of the workload. Raises UsageError."""
    _check_class(properties, phase)
    shares, loading = _mix(properties), phase == "load"
    records = properties.whole("recordcount", 0)
    if not records:
        raise properties.missing(
            "recordcount", "recordcount is not given: how many records there are; -p recordcount=1000, or a -P file"
        )
    start, count = _inserted(properties, records)
    operations = properties.whole("operationcount", 0) or None
    seconds = properties.whole("maxexecutiontime", 0)
    if not loading and operations is None and not seconds:
        raise properties.missing(
            "operationcount", "neither operationcount nor maxexecutiontime is given: such a run would never end"
        )
    expected = count if loading else operations
    if data is None:
        # Parts of a load come one after the other or from several machines: each adds to what is there.
        in_parts = start > 0 or count < records
        data = ("keep" if in_parts else "create") if loading else "keep"
    parameters = {
        **shares,
        "measure": phase,
        "data": data,
        "records": records,
        "insert_start": start,
        "insert_count": count,
        "max_operations": None if loading else operations,
        "runtime": f"{seconds or UNLIMITED_S}s",
        # Where nobody limits the time, the length of an interval must not follow from the longest possible run.
        "interval": None if seconds else "1s",
        "warmup": 0,
        "rate": _rate(properties),
        "clients": _clients(properties, expected),
        "count_errors": True,
        **_records(properties),
        **_requests(properties),
    }
    kinds = ("insert",) if loading else tuple(name for name, share in shares.items() if share > 0)
    return Wanted(parameters, kinds, expected)


def _inserted(properties: Properties, records: int) -> tuple[int, int]:
    """The first record of a part, and how many it has: all that follow, unless it says so."""
    start = properties.whole("insertstart", 0)
    if start >= records:
        raise UsageError(
            f"property insertstart={start}: it must be below recordcount={records}, which counts all records"
        )
    count = properties.whole("insertcount", 0) or records - start
    if start + count > records:
        raise UsageError(
            f"property insertcount={count}: with insertstart={start} it reaches beyond recordcount={records}, which "
            "counts all records"
        )
    return start, count


def _check_class(properties: Properties, phase: str) -> None:
    name = properties.text("workload", "CoreWorkload")
    # go-ycsb calls the same workload `core`.
    if name.rpartition(".")[2] not in ("CoreWorkload", "core"):
        raise UsageError(
            f"workload={name}: only the core workload is available (site.ycsb.workloads.CoreWorkload, core)"
        )
    if properties.flag("dotransactions", default=phase == "run") != (phase == "run"):
        raise UsageError(f"dotransactions contradicts {phase}; leave it out")


def _mix(properties: Properties) -> dict[str, float]:
    """Shares of their sum, which need not be 1."""
    weights = {kind: properties.number(name, default) for kind, (name, default) in MIX.items()}
    total = sum(weights.values())
    if not total:
        raise UsageError("all proportions of operations are 0; one of them must be above")
    return weights if abs(total - 1) < 1e-9 else {kind: weight / total for kind, weight in weights.items()}


def _rate(properties: Properties) -> dict[str, Any] | None:
    target = properties.whole("target", 0)
    return {"per_second": float(target), "unit": "operations"} if target else None


def _clients(properties: Properties, expected: int | None) -> int:
    threads = properties.whole("threadcount", 1, 1)
    if expected is not None and threads > expected:
        properties.note(f"{threads} threads for {expected} operations: {expected} are used")
        return expected
    return threads


def _records(properties: Properties) -> dict[str, Any]:
    properties.only("fieldnameprefix", "field", "fields are named field0, field1, …")
    properties.ignored("fieldlengthhistogram", "fieldlengthdistribution=histogram is not available")
    properties.only("core_workload_insertion_retry_limit", "0", "a failed insert is counted, not tried again")
    properties.ignored("core_workload_insertion_retry_interval", "a failed insert is counted, not tried again")
    shortest, longest = _span(properties, "minfieldlength", "fieldlength", 100)
    return {
        "table": properties.text("table", "usertable"),
        "fields": properties.whole("fieldcount", 10, 1),
        "field_length": longest,
        "field_length_min": shortest,
        "field_length_distribution": properties.choice("fieldlengthdistribution", "constant", _LENGTHS),
        "insert_order": properties.choice("insertorder", "hashed", ("hashed", "ordered")),
        "zero_padding": properties.whole("zeropadding", 1, 1),
        "data_integrity": properties.flag("dataintegrity", default=False),
    }


def _span(properties: Properties, shortest: str, longest: str, usual: int) -> tuple[int, int]:
    """Two lengths, by the names of their properties; the shorter one is 1 unless it is given."""
    least, most = properties.whole(shortest, 1, 1), properties.whole(longest, usual, 1)
    if least > most:
        raise UsageError(f"property {shortest}={least}: it must be at most {longest}={most}")
    return least, most


def _requests(properties: Properties) -> dict[str, Any]:
    kind = properties.choice(
        "requestdistribution", "uniform", ("uniform", "zipfian", "latest", "hotspot", "sequential", "exponential")
    )
    numbers = {
        "hotspot": [properties.number("hotspotdatafraction", 0.2), properties.number("hotspotopnfraction", 0.8)],
        "exponential": [properties.number("exponential.percentile", 95), properties.number("exponential.frac", 6 / 7)],
    }
    shortest, longest = _span(properties, "minscanlength", "maxscanlength", 1000)
    return {
        "request": ":".join([kind, *(f"{number:.10g}" for number in numbers.get(kind, ()))]),
        "read_all_fields": properties.flag("readallfields", default=True),
        "write_all_fields": properties.flag("writeallfields", default=False),
        "scan_length_min": shortest,
        "scan_length_max": longest,
        "scan_length_distribution": properties.choice("scanlengthdistribution", "uniform", _LENGTHS),
    }
