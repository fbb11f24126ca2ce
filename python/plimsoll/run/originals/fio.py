"""fio 3: the same plan as its command line, on the test file that the native test also uses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from plimsoll.declared import IoParameters
from plimsoll.model import Run
from plimsoll.run.originals._requests import Requests, outcome_of, run_length_ns, score_of
from plimsoll.run.outcome import Found
from plimsoll.units import MICROSECOND, MILLISECOND

NAME = "io"
PROGRAM = "fio"
PACKAGE = "fio"
VERSIONS = ("fio-3.",)
ASK_VERSION = ()
FORMAT = "fio_json"

_WRITING = ("write", "randwrite", "rw", "randrw")


def problem(values: IoParameters) -> str | None:
    """Whole percentages and milliseconds, no open loop, nothing read back."""
    return _problem_of_kind(values) or _problem_of_numbers(values)


def _problem_of_kind(values: IoParameters) -> str | None:
    """What fio does not do, or does otherwise."""
    if "trim" in values["mode"] or values["engine"] == "null":
        return "fio is run beside tests that read and write: choose another mode or engine, or leave out implementation"
    if values["verify"] or values["alternate"] or values["drop_each"] == "operation":
        return "fio does this test without verify, alternate and drop_each=operation: leave them out"
    if values["rate"]:
        return "fio counts latency from the actual start, not from the intended one: leave out rate"
    if values["think_time"] and (values["think_from"] == "start" or values["think_time"] % MICROSECOND):
        return "fio pauses from the end of a request, for whole microseconds: set think_from=end"
    return None


def _problem_of_numbers(values: IoParameters) -> str | None:
    """Numbers that its options cannot hold."""
    if values["warmup"] % MILLISECOND or values["runtime"] % MILLISECOND or not values["runtime"]:
        return "fio takes whole milliseconds: change warmup or runtime"
    shares = [values["read_share"], values["random_share"], values["compressible"]]
    if any(abs(share * 100 - round(share * 100)) > 1e-9 for share in shares):
        return "fio takes whole percentages: change read_share, random_share or compressible"
    if values["write_block_size"] and len(values["block_size"]) + len(values["write_block_size"]) > 2:
        return "fio is given one size for reads and one for writes, or one mix for both: change write_block_size"
    limits = (values["max_bytes"], values["max_operations"])
    if any(limit % values["threads"] for limit in limits if limit):
        return "fio counts the limit of each thread on its own: make max_bytes or max_operations a multiple of threads"
    return None


def command(values: IoParameters, place: Path) -> list[str]:
    """One job, cloned for each thread. json+ has the whole histogram, of latencies from the begin of a request."""
    options = [f"--{name}={value}" for name, value in _options(values, place)]
    return [PROGRAM, *options, "--lat_percentiles=1", "--clat_percentiles=0", "--output-format=json+", "--eta=never"]


def _options(values: IoParameters, place: Path) -> Iterator[tuple[str, object]]:
    yield "name", "original"
    yield "filename", str(place).replace(":", "\\:")
    yield "ioengine", values["engine"]
    yield "rw", values["mode"]
    yield "direct", int(values["direct"])
    yield "invalidate", int(values["drop_cache"])
    yield "iodepth", values["depth"]
    yield from _sizes(values)
    yield from _region(values)
    yield from _times(values)
    yield from _random(values)
    yield from _writes(values)
    if values["think_time"]:
        yield "thinktime", values["think_time"] // MICROSECOND
        yield "thinktime_blocks", values["think_every"]
    if values["cpus"]:
        yield "cpus_allowed", ",".join(str(cpu) for cpu in values["cpus"])
        yield "cpus_allowed_policy", "split"
    if values["count_errors"]:
        yield "continue_on_error", "io"
    for name, asked in (("sqthread_poll", values["sqpoll"]), ("hipri", values["iopoll"])):
        if asked:
            yield name, 1


def _sizes(values: IoParameters) -> Iterator[tuple[str, object]]:
    mix, writes = values["block_size"], values["write_block_size"]
    if len(mix) == 1:
        size = int(mix[0][0])
        yield "bs", f"{size},{int(writes[0][0])}" if writes else size
        return
    total = sum(weight for _, weight in mix)
    yield "bssplit", ":".join(f"{int(size)}/{round(100 * weight / total)}" for size, weight in mix)


def _region(values: IoParameters) -> Iterator[tuple[str, object]]:
    """In order, each thread has a part of its own; at random they share the whole."""
    threads, size = values["threads"], values["size"]
    yield "offset", values["offset"]
    if values["mode"].startswith("rand") or threads == 1:
        yield "size", size
    else:
        unit = min(int(block) for block, _ in (*values["block_size"], *(values["write_block_size"] or [])))
        part = size // threads // unit * unit
        yield "size", part
        yield "offset_increment", part
    yield "numjobs", threads


def _times(values: IoParameters) -> Iterator[tuple[str, object]]:
    yield "runtime", f"{values['runtime'] // MILLISECOND}ms"
    if values["warmup"]:
        yield "ramp_time", f"{values['warmup'] // MILLISECOND}ms"
    largest = max(int(size) for size, _ in (*values["block_size"], *(values["write_block_size"] or [])))
    if values["max_operations"]:
        each = values["max_operations"] // values["threads"]
        yield "number_ios", each
        yield "io_size", min(each * largest, values["max_bytes"] or each * largest)
    elif values["max_bytes"]:
        yield "io_size", values["max_bytes"] // values["threads"]
    else:
        yield "time_based", 1


def _random(values: IoParameters) -> Iterator[tuple[str, object]]:
    yield "randseed", values["seed"] + 1
    if values["mode"] in ("rw", "randrw"):
        yield "rwmixread", round(values["read_share"] * 100)
    match values["distribution"]:
        case {"kind": "uniform"}:
            yield "norandommap", 1
        case {"kind": "zipf" | "pareto" | "normal" as kind, **numbers}:
            centre = f":{numbers.pop('centre'):g}" if "centre" in numbers else ""
            number = next(float(str(each)) for each in numbers.values())
            yield "random_distribution", f"{kind}:{number * (100 if kind == 'normal' else 1):g}{centre}"
    if values["random_share"] < 1:
        yield "percentage_random", round(values["random_share"] * 100)


def _writes(values: IoParameters) -> Iterator[tuple[str, object]]:
    if values["mode"] not in _WRITING:
        return
    if values["sync"] in ("fsync", "fdatasync"):
        yield values["sync"], values["sync_every"]
    elif values["sync"] != "none":
        yield "sync", values["sync"]
    if values["sync_at_end"]:
        yield "end_fsync", 1
    if values["content"] == "zero":
        yield "zero_buffers", 1
    elif values["compressible"]:
        yield "buffer_compress_percentage", round(values["compressible"] * 100)
        yield "refill_buffers", 1


def outcome(run: Run, values: IoParameters, elapsed_ns: int) -> Found:
    """Reads, writes and syncs. A write and its sync are told apart, so that there is no latency of a commit."""
    found = {}
    for kind, operations in run.facts.get("operations", {}).items():
        found[kind] = Requests(
            operations=int(operations),
            moved_bytes=int(run.facts["bytes"][kind]),
            mean_ns=score_of(run, f"{kind}_mean"),
            histogram=run.histograms.get(kind),
        )
    length_ns = run_length_ns(run, elapsed_ns)
    if values["sync"] in ("fsync", "fdatasync") and "write" in found:
        every = values["sync_every"]
        found["sync"] = Requests(
            operations=found["write"].operations // every,
            moved_bytes=0,
            mean_ns=score_of(run, "sync_mean"),
            histogram=run.histograms.get("sync"),
        )
        found["commit"] = Requests(
            operations=found["write"].operations // every, moved_bytes=found["write"].moved_bytes
        )
    return outcome_of(found, length_ns, blocking=("read", "write", "sync"))
