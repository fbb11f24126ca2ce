"""The parameters of tests: name, how its text is read, default, and what it means.

One table per workload. Profiles, suites, studies, target options and the reference page all read this table; a plan
holds every parameter of its workload in base units (bytes, ns, shares 0…1, operations).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from plimsoll import plugins
from plimsoll.db_parameters import DB_WORKLOADS
from plimsoll.declared import FILES
from plimsoll.errors import UnknownName
from plimsoll.model import Plan
from plimsoll.parameter import (
    Optional,
    Parameter,
    parameters_in,
    read_cpus,
    read_distribution,
    read_flag,
    read_positive_count,
    read_rate,
    read_size_mix,
    read_text,
    value_text,
)
from plimsoll.plugins import Plugin
from plimsoll.units import (
    MINUTE,
    SECOND,
    exact_duration,
    exact_size,
    parse_count,
    parse_duration,
    parse_share,
    parse_size,
    plain_text,
)

MODES = ("read", "write", "randread", "randwrite", "rw", "randrw", "trim", "randtrim")

DATALESS_ENGINES = ("falloc", "ftruncate", "filecreate", "filestat", "filedelete", "cpuio")
"""Engines that move no data, but set lengths, work on names or compute: for fio's command line, as in fio."""

IMPLEMENTATION = Parameter(
    "implementation",
    "native",
    read_text,
    "original: run the original tool in place of Plimsoll's test",
    ("native", "original"),
)
"""Of every test that may have an original."""

IO_PARAMETERS = (
    Parameter("engine", "io_uring", read_text, "how I/O is issued; see `plimsoll list engines`"),
    Parameter("mode", "randread", read_text, "kind and order of the operations", MODES),
    Parameter("read_share", 0.5, parse_share, "share of reads in rw and randrw"),
    Parameter(
        "block_size", [[4096, 1.0]], read_size_mix, "size of an operation, or a mix `4KiB:60 16KiB:40` by weight"
    ),
    Parameter("write_block_size", None, Optional(read_size_mix), "size of writes, where it differs from that of reads"),
    Parameter("alternate", False, read_flag, "rw and randrw: write and read in turns instead of by chance"),
    Parameter("depth", 1, read_positive_count, "operations in flight per thread"),
    Parameter("threads", 1, read_positive_count, "threads that issue I/O"),
    Parameter("size", 2**30, parse_size, "length of the region that is used"),
    Parameter("offset", 0, parse_size, "start of the region"),
    Parameter("direct", True, read_flag, "bypass the page cache (O_DIRECT)"),
    Parameter(
        "sync", "none", read_text, "how writes are made durable", ("none", "fsync", "fdatasync", "dsync", "sync")
    ),
    Parameter("sync_every", 1, read_positive_count, "writes of a thread between two fsync or fdatasync"),
    Parameter("sync_at_end", False, read_flag, "one fsync after the last write, inside the measured time"),
    Parameter("runtime", 10 * SECOND, parse_duration, "longest measured time"),
    Parameter("max_bytes", None, Optional(parse_size), "stop after this many bytes"),
    Parameter("max_operations", None, Optional(parse_count), "stop after this many operations"),
    Parameter("warmup", SECOND, parse_duration, "load before anything is counted"),
    Parameter("rate", None, Optional(read_rate), "open loop at `1000/s` or `10MiB/s`; latency from the intended start"),
    Parameter("arrival", "even", read_text, "spacing of the operations of a rate", ("even", "poisson")),
    Parameter("think_time", 0, parse_duration, "pause after every think_every operations"),
    Parameter("think_every", 1, read_positive_count, "operations between two pauses"),
    Parameter("think_from", "end", read_text, "a pause counts from the last start, or from its end", ("end", "start")),
    Parameter(
        "distribution", {"kind": "once"}, read_distribution, "random places: once, uniform, zipf:θ, pareto:h, normal:d"
    ),
    Parameter("random_share", 1.0, parse_share, "share of random operations that jump; the others follow the last one"),
    Parameter("seed", 1, parse_count, "start of all random streams"),
    Parameter("content", "random", read_text, "what is written", ("random", "zero")),
    Parameter("compressible", 0.0, parse_share, "share of each written chunk that compresses away"),
    Parameter("layout", "fill", read_text, "state of the file before measuring", ("keep", "fill", "refill", "random")),
    Parameter("drop_cache", True, read_flag, "drop the file from the page cache before measuring"),
    Parameter(
        "drop_each",
        "never",
        read_text,
        "what to drop from the page cache while measuring: each operation's pages, or all after each pass; "
        "files makes the files anew after each pass",
        ("never", "operation", "pass", "files"),
    ),
    Parameter("verify", False, read_flag, "write checksums and read everything back"),
    Parameter("cpus", [], read_cpus, "CPUs to pin threads to, such as 0+1"),
    Parameter("count_errors", False, read_flag, "go on after a failed operation and count it"),
    Parameter("interval", None, Optional(parse_duration), "length of one interval of the time series"),
    Parameter("sqpoll", False, read_flag, "io_uring: a kernel thread submits"),
    Parameter("iopoll", False, read_flag, "io_uring: poll for completions"),
    IMPLEMENTATION,
)

FILES_WORKLOADS = {name: parameters_in(record) for name, record in FILES.items()}

WORKLOADS: dict[str, tuple[Parameter, ...]] = {"io": IO_PARAMETERS, **FILES_WORKLOADS, **DB_WORKLOADS}
"""The parameters of each of our workloads that a profile can name."""

TIMEOUT = Parameter("timeout", 10 * MINUTE, parse_duration, "a program that takes longer is ended, and the run fails")
"""What every workload of other packages has beside its own."""


@cache
def programs() -> Mapping[str, Plugin]:
    """The workloads of other packages, each of which runs a program, by name. Those with bad parameters are told."""
    found = {}
    for each in plugins.of_others("workloads"):
        names = [getattr(parameter, "name", None) for parameter in each.module.PARAMETERS]
        if not all(isinstance(parameter, Parameter) for parameter in each.module.PARAMETERS):
            plugins.tell_once(f"{each.label} is left out: something in PARAMETERS is not a Parameter")
        elif len({*names, TIMEOUT.name}) <= len(names):
            plugins.tell_once(f"{each.label} is left out: two of PARAMETERS have one name, or one is named timeout")
        else:
            found[each.name] = each
    return found


def parameters_of(workload: str) -> tuple[Parameter, ...]:
    """The parameters of a workload, ours or another package's. Raises UnknownName."""
    if workload in WORKLOADS:
        return WORKLOADS[workload]
    if workload in programs():
        return (*programs()[workload].module.PARAMETERS, TIMEOUT)
    raise UnknownName(
        "workload", workload, all_workloads(), hint="the package that brings it may not be installed here"
    )


def all_workloads() -> Mapping[str, tuple[Parameter, ...]]:
    """The parameters of all workloads, ours first."""
    return {**WORKLOADS, **{name: parameters_of(name) for name in programs()}}


def kind_of(workload: str) -> str:
    """Kind of a workload: `io`, `files`, `db`, or `program` where another package has it.

    Those of one kind are planned, carried out and scored in one way.
    """
    if workload in FILES_WORKLOADS:
        return "files"
    if workload in DB_WORKLOADS:
        return "db"
    return "program" if workload not in WORKLOADS and workload in programs() else workload


MAX_INTERVALS = 3600
"""Longest time series of one run, so that memory does not grow with run time."""


def read_values(workload: str, values: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The given parameters of `workload` in base units; `where` names their origin in errors.

    Raises UnknownName for a parameter that does not exist and UsageError for a value that cannot be read.
    """
    known = {parameter.name: parameter for parameter in parameters_of(workload)}
    read: dict[str, Any] = {}
    for name, value in values.items():
        if name not in known:
            others = [
                other for other, each in all_workloads().items() if any(name == parameter.name for parameter in each)
            ]
            hint = f"it belongs to other tests: {', '.join(others[:5])}" if others else ""
            raise UnknownName("parameter", name, known, where, hint)
        read[name] = known[name].read_given(value, where)
    return read


def defaults(workload: str) -> dict[str, Any]:
    """Every parameter of `workload` with its default, in base units."""
    return {parameter.name: parameter.default for parameter in parameters_of(workload)}


def interval_length_ns(runtime_ns: int) -> int:
    """One second, or more where a run would have over MAX_INTERVALS of them."""
    seconds = max(1, -(-runtime_ns // (MAX_INTERVALS * SECOND)))
    return int(seconds) * SECOND


def interval_of(values: Mapping[str, Any]) -> int:
    """Length of one interval of a plan with these parameters, in ns."""
    return int(values.get("interval") or interval_length_ns(values["runtime"]))


def written(workload: str, name: str, value: Any) -> str:
    """A value of a plan with its unit, as `value_text` writes it.

    Plans of other tools' runs, and of other versions, have parameters that no table knows: a unit in the name counts.
    """
    has = WORKLOADS.get(workload) or (parameters_of(workload) if workload in programs() else ())
    known = next((each for each in has if each.name == name), None)
    try:
        if known is not None:
            return value_text(known, value)
        if isinstance(value, int) and not isinstance(value, bool):
            unit = next((unit for unit in _NAMED_UNITS if name == unit or name.endswith(f"_{unit}")), None)
            return _NAMED_UNITS[unit](value) if unit else str(value)
    except (TypeError, ValueError, KeyError, AttributeError, ArithmeticError):
        pass  # A record of another version or program may hold anything there.
    return plain_text(value)


def all_written(plan: Plan) -> dict[str, str]:
    """Every parameter of a plan as it is written."""
    return {name: written(plan.workload, name, value) for name, value in plan.parameters.items()}


_NAMED_UNITS: dict[str, Callable[[int], str]] = {
    "ns": exact_duration,
    "s": lambda seconds: exact_duration(seconds * SECOND),
    "bytes": exact_size,
    "block_size": exact_size,
}


def parameter(workload: str, name: str) -> Parameter:
    """The parameter of that name."""
    return next(each for each in parameters_of(workload) if each.name == name)
