"""The parameters of tests: name, how its text is read, default, and what it means.

One table per workload. Profiles, suites, studies, target options and the reference page all read this table; a plan
holds every parameter of its workload in base units (bytes, ns, shares 0…1, operations).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from plimsoll.errors import UnknownName, UsageError
from plimsoll.units import SECOND, format_duration, format_size, parse_count, parse_duration, parse_share, parse_size

Reader = Callable[[Any], Any]


@dataclass(frozen=True)
class Parameter:
    """One parameter: `read` turns text or a TOML value into base units."""

    name: str
    default: Any
    read: Reader
    help: str
    choices: tuple[str, ...] = ()


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    words = {"yes": True, "true": True, "1": True, "on": True, "no": False, "false": False, "0": False, "off": False}
    if str(value).lower() not in words:
        raise UsageError(f"{value!r} is neither yes nor no")
    return words[str(value).lower()]


def _text(value: Any) -> str:
    return str(value).strip().lower()


def _optional(read: Reader) -> Reader:
    return lambda value: None if value is None or value == "" or _text(value) == "none" else read(value)


def _positive_count(value: Any) -> int:
    count = parse_count(value)
    if count < 1:
        raise UsageError(f"{value!r} must be at least 1")
    return count


def _size_mix(value: Any) -> list[list[float]]:
    """`4KiB`, or a mix `4KiB:60 16KiB:40` of size:weight, as [[bytes, weight], …]."""
    if isinstance(value, list):
        return [[parse_size(size), float(weight)] for size, weight in value]
    mix: list[list[float]] = []
    for part in str(value).split():
        size, _, weight = part.partition(":")
        try:
            mix.append([parse_size(size), float(weight or 1)])
        except ValueError:
            raise UsageError(f"{part!r} is no size:weight; write a mix like '4KiB:60 16KiB:40'") from None
    if not mix or any(size < 1 or weight <= 0 for size, weight in mix):
        raise UsageError(f"{value!r} is no block size; write 4KiB, or a mix like '4KiB:60 16KiB:40'")
    return mix


def _distribution(value: Any) -> dict[str, Any]:
    """`once`, `uniform`, `zipf:1.1` or `pareto:0.2`."""
    if isinstance(value, dict):
        return value
    kind, _, number = _text(value).partition(":")
    try:
        match kind:
            case "once" | "uniform" if not number:
                return {"kind": kind}
            case "zipf":
                return {"kind": kind, "theta": float(number or 1.1)}
            case "pareto":
                return {"kind": kind, "h": float(number or 0.2)}
    except ValueError:
        pass
    raise UsageError(f"{value!r} is no access distribution; write once, uniform, zipf:1.1 or pareto:0.2")


def _rate(value: Any) -> dict[str, Any]:
    """`1000/s` operations or `10MiB/s` bytes."""
    if isinstance(value, dict):
        return value
    number = str(value).strip().removesuffix("/s").strip()
    if number.replace(".", "", 1).isdigit():
        rate: dict[str, Any] = {"per_second": float(number), "unit": "operations"}
    else:
        rate = {"per_second": float(parse_size(number)), "unit": "bytes"}
    if rate["per_second"] <= 0:
        raise UsageError(f"{value!r}: a rate must be above zero; leave it out for as fast as possible")
    return rate


def _cpus(value: Any) -> list[int]:
    if isinstance(value, list):
        return [int(cpu) for cpu in value]
    try:
        return [int(cpu) for cpu in str(value).replace("+", " ").split()]
    except ValueError:
        raise UsageError(f"{value!r} is no list of CPUs; write them like 0+1") from None


MODES = ("read", "write", "randread", "randwrite", "rw", "randrw", "trim", "randtrim")

IO_PARAMETERS = (
    Parameter("engine", "io_uring", _text, "how I/O is issued; see `plimsoll list engines`"),
    Parameter("mode", "randread", _text, "kind and order of the operations", MODES),
    Parameter("read_share", 0.5, parse_share, "share of reads in rw and randrw"),
    Parameter("block_size", [[4096, 1.0]], _size_mix, "size of one operation, or a mix `4KiB:60 16KiB:40` by weight"),
    Parameter("write_block_size", None, _optional(_size_mix), "size of writes, where it differs from that of reads"),
    Parameter("alternate", False, _flag, "rw and randrw: write and read in turns instead of by chance"),
    Parameter("depth", 1, _positive_count, "operations in flight per thread"),
    Parameter("threads", 1, _positive_count, "threads that issue I/O"),
    Parameter("size", 2**30, parse_size, "length of the region that is used"),
    Parameter("offset", 0, parse_size, "start of the region"),
    Parameter("direct", True, _flag, "bypass the page cache (O_DIRECT)"),
    Parameter("sync", "none", _text, "how writes are made durable", ("none", "fsync", "fdatasync", "dsync", "sync")),
    Parameter("sync_every", 1, _positive_count, "writes of a thread between two fsync or fdatasync"),
    Parameter("sync_at_end", False, _flag, "one fsync after the last write, inside the measured time"),
    Parameter("runtime", 10 * SECOND, parse_duration, "longest measured time"),
    Parameter("max_bytes", None, _optional(parse_size), "stop after this many bytes"),
    Parameter("max_operations", None, _optional(parse_count), "stop after this many operations"),
    Parameter("warmup", SECOND, parse_duration, "load before anything is counted"),
    Parameter("rate", None, _optional(_rate), "open loop at `1000/s` or `10MiB/s`; latency from the intended start"),
    Parameter("arrival", "even", _text, "spacing of the operations of a rate", ("even", "poisson")),
    Parameter("think_time", 0, parse_duration, "pause after every think_every operations"),
    Parameter("think_every", 1, _positive_count, "operations between two pauses"),
    Parameter("think_from", "end", _text, "the pause counts from the last start, or from its end", ("end", "start")),
    Parameter("distribution", {"kind": "once"}, _distribution, "random places: once, uniform, zipf:θ, pareto:h"),
    Parameter("random_share", 1.0, parse_share, "share of random operations that jump; the others follow the last one"),
    Parameter("seed", 1, parse_count, "start of all random streams"),
    Parameter("content", "random", _text, "what is written", ("random", "zero")),
    Parameter("compressible", 0.0, parse_share, "share of each written chunk that compresses away"),
    Parameter("layout", "fill", _text, "state of the file before measuring", ("keep", "fill", "refill", "random")),
    Parameter("drop_cache", True, _flag, "drop the file from the page cache before measuring"),
    Parameter("drop_each", False, _flag, "drop the pages of each operation from the page cache right before it"),
    Parameter("verify", False, _flag, "write checksums and read everything back"),
    Parameter("cpus", [], _cpus, "CPUs to pin threads to, such as 0+1"),
    Parameter("count_errors", False, _flag, "go on after a failed operation and count it"),
    Parameter("interval", None, _optional(parse_duration), "length of one interval of the time series"),
    Parameter("sqpoll", False, _flag, "io_uring: a kernel thread submits"),
    Parameter("iopoll", False, _flag, "io_uring: poll for completions"),
)

WORKLOADS: dict[str, tuple[Parameter, ...]] = {"io": IO_PARAMETERS}

MAX_INTERVALS = 3600
"""Longest time series of one run, so that memory does not grow with run time."""


def read_values(workload: str, values: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The given parameters of `workload` in base units; `where` names their origin in errors.

    Raises UnknownName for a parameter that does not exist and UsageError for a value that cannot be read.
    """
    table = {parameter.name: parameter for parameter in WORKLOADS[workload]}
    read: dict[str, Any] = {}
    for name, value in values.items():
        if name not in table:
            raise UnknownName("parameter", name, table, where)
        try:
            read[name] = table[name].read(value)
        except (UsageError, TypeError, ValueError) as error:
            raise UsageError(f"{where}: {name}: {error}") from None
        if table[name].choices and read[name] not in table[name].choices:
            raise UnknownName(f"value for {name}", str(read[name]), table[name].choices, where)
    return read


def defaults(workload: str) -> dict[str, Any]:
    """Every parameter of `workload` with its default, in base units."""
    return {parameter.name: parameter.default for parameter in WORKLOADS[workload]}


def interval_length_ns(runtime_ns: int) -> int:
    """One second, or more where a run would have over MAX_INTERVALS of them."""
    seconds = max(1, -(-runtime_ns // (MAX_INTERVALS * SECOND)))
    return int(seconds) * SECOND


def interval_of(values: Mapping[str, Any]) -> int:
    """Length of one interval of a plan with these parameters, in ns."""
    return int(values.get("interval") or interval_length_ns(values["runtime"]))


def value_text(parameter: Parameter, value: Any) -> str:
    """A value in base units as people write it, so that the parameter's reader would read it back."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if parameter.read is parse_size:
        return format_size(value)
    if parameter.read is parse_duration:
        return format_duration(value)
    if parameter.read is parse_share:
        return f"{value * 100:.10g}%"
    if parameter.read is _size_mix:
        sizes = [(format_size(size).replace(" ", ""), weight) for size, weight in value]
        return sizes[0][0] if len(sizes) == 1 else " ".join(f"{size}:{weight:g}" for size, weight in sizes)
    if parameter.read is _distribution:
        return ":".join(f"{part:g}" if isinstance(part, float) else part for part in value.values())
    if parameter.read is _cpus:
        return "+".join(str(cpu) for cpu in value) or "any"
    if isinstance(value, dict):
        return f"{format_size(value['per_second'])}/s" if value["unit"] == "bytes" else f"{value['per_second']:g}/s"
    return str(value)


def parameter(workload: str, name: str) -> Parameter:
    """The parameter of that name."""
    return next(each for each in WORKLOADS[workload] if each.name == name)
