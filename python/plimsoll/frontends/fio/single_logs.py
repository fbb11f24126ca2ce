"""fio's logs without `log_avg_msec`: a line for every operation, written while the job runs.

A line is `time_ms, value, direction, block size, priority`, in the order of completion: of a latency its ns, of the
bandwidth the operation's bytes per ms, of IOPS always 1. With `log_offset` the offset stands before the priority, with
`log_issue_time` behind it when the kernel had the operation, in ns.
"""

from __future__ import annotations

import gzip
import io
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO

from plimsoll.errors import TargetError, UsageError
from plimsoll.frontends.fio import iolog, priorities, values
from plimsoll.frontends.fio.jobs import Job
from plimsoll.frontends.results import open_result
from plimsoll.units import MILLISECOND

KINDS = {"write_bw_log": ("bw",), "write_iops_log": ("iops",), "write_lat_log": ("slat", "clat", "lat")}
DIRECTIONS = {"read": 0, "write": 1, "trim": 2}
COMPRESSED = ".fz"

Single = tuple[str, int, int, int, int, int, int]
"""An operation as the core tells it (`Traced` in `crates/core/src/outcome.rs`)."""


class _Compressed(io.TextIOWrapper):
    """A log with `log_store_compressed`: the text, as gzip has it."""

    def __init__(self, file: io.TextIOWrapper) -> None:
        self._file = file
        # Of the same content each time.
        packed = gzip.GzipFile(filename="", mode="wb", fileobj=file.buffer, mtime=0)
        super().__init__(packed, encoding="utf-8")

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._file.close()


def log_path(job: Job, option: str, kind: str) -> Path:
    """Where a log of a job goes."""
    prefix = job.words.text(option) or job.name
    number = f".{job.number}" if job.words.on("per_job_logs") else ""
    return Path(f"{prefix}_{kind}{number}.log{COMPRESSED if job.words.on('log_store_compressed') else ''}")


def opened(job: Job, path: Path) -> TextIO:
    """Logs of one job are written anew; those that jobs share are added to, by each job as it ends, as with fio."""
    file = open_result(path, "w" if job.words.on("per_job_logs") else "a")
    return _Compressed(file) if path.suffix == COMPRESSED else file


def wanted(job: Job) -> bool:
    """Whether every operation of a job is logged."""
    return any(map(job.words.given, KINDS)) and not job.words.read("log_avg_msec", values.whole)


def check(job: Job) -> None:
    """Refuse what cannot be told of single operations."""
    if not wanted(job):
        return
    if job.words.on("ramp_time"):
        raise UsageError(f"{job.section.where}: a log of every operation begins at once; leave out ramp_time")


class SingleLogs:
    """The logs of one job. `see` takes what a progress or an outcome tells."""

    def __init__(self, job: Job) -> None:
        """Opens the files. Raises OSError."""
        self._priority, self._numbers = priority(job), job.words.on("log_prio")
        self._begins = iolog.begins(job) if job.words.on("log_offset") else None
        # Without a window there is nothing that a maximum is of.
        self._maximum = ", 0" if job.words.text("log_window_value") == "both" else ""
        self._issued = job.words.on("log_issue_time")
        self._stack = ExitStack()
        self._where = job.section.where
        names = [(option, kind) for option, kinds in KINDS.items() if job.words.given(option) for kind in kinds]
        self._paths = {kind: log_path(job, option, kind) for option, kind in names}
        self._files: dict[str, TextIO] = {
            kind: self._stack.enter_context(opened(job, path)) for kind, path in self._paths.items()
        }
        self._shared = not job.words.on("per_job_logs")
        self._kept: list[Single] = []
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

    def _write(self, done: Sequence[Single]) -> None:
        for name, file in self._files.items():
            # An engine that waits for each operation has no time of submission.
            lines = (self._line(name, each) for each in done if name != "slat" or each[5])
            try:
                file.writelines(lines)
                file.flush()
            except OSError as error:
                raise self._unwritten(name, error) from None

    def _unwritten(self, name: str, error: OSError) -> TargetError:
        return TargetError(
            f"{self._where}: cannot write the log {self._paths[name]}: {error.strerror}; free some space, or put it "
            "elsewhere"
        )

    def _line(self, name: str, one: Single) -> str:
        kind, start_ns, lat_ns, offset, size, slat_ns, number = one
        value = {
            "iops": 1,
            "bw": size * MILLISECOND // max(1, lat_ns),
            "slat": slat_ns,
            "clat": lat_ns - slat_ns,
        }.get(name, lat_ns)
        end_ns = (self._begin_ns or 0) + start_ns + lat_ns
        place = "" if self._begins is None else f", {iolog.in_file(self._begins, offset)[1]}"
        issued = ""
        if self._issued:
            issued = f", {start_ns + slat_ns if name in ('slat', 'clat') else 0}"
        own = _priority(number, whole=self._numbers) if number else self._priority
        return f"{end_ns // MILLISECOND}, {value}{self._maximum}, {DIRECTIONS[kind]}, {size}{place}, {own}{issued}\n"

    def close(self) -> None:
        """No more operations come."""
        self._write(self._kept)
        self._stack.close()


def inflated(path: str) -> Iterator[str]:
    """The lines of a log that `log_store_compressed` left. Raises UsageError."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            yield from file
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "`plimsoll fio` did not leave it"
        raise UsageError(f"--inflate-log: cannot read {path}: {reason}; fio itself reads what fio left") from None


def priority(job: Job) -> str:
    """What stands for the priority of the operations of a job, where they have none of their own."""
    return _priority(priorities.of_job(job.words) or 0, whole=job.words.on("log_prio"))


def _priority(number: int, *, whole: bool) -> str:
    """With `log_prio` the kernel's number, otherwise whether it is of the real-time class."""
    return f"0x{number:04x}" if whole else f"{int(number >> priorities.CLASS_SHIFT == priorities.REAL_TIME)}"


def _begin_ns(record: Mapping[str, Any]) -> int | None:
    """When the measured part began, since 1970; nothing while it has not."""
    if "started_ns" in record:
        return int(record["started_ns"])
    return time.time_ns() - int(record["elapsed_ns"]) if record.get("phase") == "measure" else None
