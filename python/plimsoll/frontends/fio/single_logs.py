"""fio's logs without `log_avg_msec`: a line for every operation, written while the job runs.

A line is `time_ms, value, direction, block size, priority`, in the order of completion: of a latency its ns, of the
bandwidth the operation's bytes per ms, of IOPS always 1. The core tells kind, start and latency of each operation; its
size is known where a direction has one block size.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import values
from plimsoll.frontends.fio.jobs import Job
from plimsoll.outgoing import open_output
from plimsoll.units import MILLISECOND

KINDS = {"write_bw_log": ("bw",), "write_iops_log": ("iops",), "write_lat_log": ("slat", "clat", "lat")}
DIRECTIONS = {"read": 0, "write": 1, "trim": 2}


def log_path(job: Job, option: str, kind: str) -> Path:
    """Where a log of a job goes."""
    prefix = job.words.text(option) or job.name
    return Path(f"{prefix}_{kind}.{job.number}.log" if job.words.on("per_job_logs") else f"{prefix}_{kind}.log")


def opened(job: Job, path: Path) -> TextIO:
    """Logs of one job are written anew; those that jobs share are added to, by each job as it ends, as with fio."""
    return open_output(path, "w" if job.words.on("per_job_logs") else "a")


def wanted(job: Job) -> bool:
    """Whether every operation of a job is logged."""
    return any(map(job.words.given, KINDS)) and not job.words.read("log_avg_msec", values.whole)


def check(job: Job) -> None:
    """Refuse what cannot be told of single operations."""
    if not wanted(job):
        return
    if len(job.block_sizes) > 1 or len(job.write_block_sizes or []) > 1:
        raise UsageError(
            f"{job.section.where}: a log of every operation needs one block size for each direction; add "
            "log_avg_msec=1000"
        )
    if job.words.on("ramp_time"):
        raise UsageError(f"{job.section.where}: a log of every operation begins at once; leave out ramp_time")


class SingleLogs:
    """The logs of one job. `see` takes what a progress or an outcome tells."""

    def __init__(self, job: Job) -> None:
        """Opens the files. Raises OSError."""
        reads, writes = job.block_sizes[0][0], (job.write_block_sizes or job.block_sizes)[0][0]
        self._bytes = {"read": reads, "write": writes, "trim": reads}
        self._stack = ExitStack()
        names = [(option, kind) for option, kinds in KINDS.items() if job.words.given(option) for kind in kinds]
        self._files: dict[str, TextIO] = {
            kind: self._stack.enter_context(opened(job, log_path(job, option, kind))) for option, kind in names
        }
        self._shared = not job.words.on("per_job_logs")
        self._kept: list[tuple[str, int, int]] = []
        self._begin_ns: int | None = None if job.words.on("log_unix_epoch") else 0

    def see(self, record: Mapping[str, Any]) -> None:
        """Writes the operations that were not told before."""
        done = [each for each in record.get("trace", ()) if each[0] in DIRECTIONS]
        if self._begin_ns is None:
            self._begin_ns = _begin_ns(record)
        self._kept += done
        if self._begin_ns is not None and not self._shared:
            self._write(self._kept)
            self._kept = []

    def _write(self, done: Sequence[tuple[str, int, int]]) -> None:
        for name, file in self._files.items():
            if name != "slat":
                file.writelines(self._line(name, *each) for each in done)

    def _line(self, name: str, kind: str, start_ns: int, latency_ns: int) -> str:
        size = self._bytes[kind]
        value = {"iops": 1, "bw": size * MILLISECOND // max(1, latency_ns)}.get(name, latency_ns)
        end_ns = (self._begin_ns or 0) + start_ns + latency_ns
        return f"{end_ns // MILLISECOND}, {value}, {DIRECTIONS[kind]}, {size}, 0\n"

    def close(self) -> None:
        """No more operations come."""
        self._write(self._kept)
        self._stack.close()


def _begin_ns(record: Mapping[str, Any]) -> int | None:
    """When the measured part began, since 1970; nothing while it has not."""
    if "started_ns" in record:
        return int(record["started_ns"])
    return time.time_ns() - int(record["elapsed_ns"]) if record.get("phase") == "measure" else None
