"""sysbench 1.0: its file I/O test; the files are made by its `prepare`, which is not measured."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from plimsoll.declared import SysbenchParameters
from plimsoll.model import Run
from plimsoll.run.originals import phase
from plimsoll.run.originals._requests import run_length_ns, score_of
from plimsoll.run.outcome import Found
from plimsoll.units import MIB, MILLISECOND, SECOND

NAME = "sysbench"
PROGRAM = "sysbench"
PACKAGE = "sysbench"
VERSIONS = ("1.0",)
ASK_VERSION = ()
FORMAT = "sysbench"

PREPARE = "prepare.txt"


def problem(values: SysbenchParameters) -> str | None:
    """It takes whole seconds."""
    if not values["events"] and values["runtime"] % SECOND:
        return "sysbench takes whole seconds: change runtime, or set events"
    return None


def command(values: SysbenchParameters, place: Path) -> list[str]:  # noqa: ARG001 (it works where it is started)
    """Two calls with the same words; what the first one says matters only if it fails."""
    words = shlex.join([PROGRAM, "fileio", *_options(values)])
    return ["sh", "-c", f"{words} prepare >{PREPARE} || {{ cat {PREPARE}; exit 1; }}; exec {words} run"]


def _options(values: SysbenchParameters) -> Iterator[str]:
    yield f"--file-num={values['files']}"
    yield f"--file-total-size={values['total_size']}"
    yield f"--file-block-size={values['block']}"
    yield f"--file-test-mode={values['test']}"
    yield f"--file-rw-ratio={values['ratio']:g}"
    yield f"--file-fsync-freq={values['fsync_every']}"
    for option, asked in (("all", values["fsync_each"]), ("end", values["fsync_end"])):
        yield f"--file-fsync-{option}={'on' if asked else 'off'}"
    yield f"--file-fsync-mode={'fdatasync' if values['fdatasync'] else 'fsync'}"
    if values["open"] != "none":
        yield f"--file-extra-flags={values['open']}"
    yield f"--threads={values['threads']}"
    yield f"--rand-seed={values['seed']}"
    yield f"--events={values['events']}"
    # 0: the number of events alone decides.
    yield f"--time={0 if values['events'] else values['runtime'] // SECOND}"


def outcome(run: Run, values: SysbenchParameters, elapsed_ns: int) -> Found:
    """Rates of reads, writes and syncs, and the mean time of all of them."""
    mean_ns = score_of(run, "operation_mean")

    def mib(metric: str) -> float | None:
        value = score_of(run, metric)
        return None if value is None else value / MIB

    reads, writes = values["test"] in ("seqrd", "rndrd", "rndrw"), values["test"] not in ("seqrd", "rndrd")
    length_ns = run_length_ns(run, elapsed_ns)
    run_phase = phase(
        "run",
        length_ns,
        ("requests", score_of(run, "iops"), "requests/s", "higher"),
        ("reads", score_of(run, "read_iops") if reads else None, "reads/s", "higher"),
        ("writes", score_of(run, "write_iops") if writes else None, "writes/s", "higher"),
        ("fsyncs", score_of(run, "sync_rate") or None, "fsyncs/s", "higher"),
        ("read_throughput", mib("read_throughput") if reads else None, "MiB/s", "higher"),
        ("write_throughput", mib("write_throughput") if writes else None, "MiB/s", "higher"),
        ("event_mean", None if mean_ns is None else mean_ns / MILLISECOND, "ms", "lower"),
    )
    return {"elapsed_ns": length_ns, "results": [run_phase]}
