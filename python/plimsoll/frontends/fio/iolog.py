"""fio's iologs: what a job replays, and the log that it leaves (`write_iolog`), in version 3 (fio 3.33, `iolog.c`)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from plimsoll.errors import UsageError
from plimsoll.frontends.fio.jobs import Job
from plimsoll.frontends.fio.recorded import KINDS, MOVES, Log
from plimsoll.frontends.results import open_result
from plimsoll.run.outcome import Outcome
from plimsoll.units import MICROSECOND


def replay(job: Job, log: Log) -> dict[str, Any]:
    """The core's parameter: offsets of the region, which lies over all files one behind the other."""
    begins = [0]
    for part in job.region.parts:
        begins.append(begins[-1] + part)
    return {
        "operations": [
            [line.at_ns, line.kind, begins[line.file] + (line.offset if line.kind in MOVES or len(begins) == 2 else 0),
             line.length]
            for line in log.lines
        ],
        "timed": not job.words.on("replay_no_stall"),
    }  # fmt: skip


class IoLogWriter:
    """The log that a job leaves (`write_iolog`). `see` takes what a progress or an outcome tells."""

    HEADER = "fio version 3 iolog"

    def __init__(self, job: Job) -> None:
        self._names = [str(path) for path in job.paths]
        self._begins = begins(job)
        self._lines: list[tuple[int, str]] = []
        self.add("add", 0)
        self.add("open", 0)

    def add(self, action: str, at_ns: int) -> None:
        """Something is done with all files."""
        self._lines += [(at_ns, f"{name} {action}") for name in self._names]

    def see(self, record: Mapping[str, Any]) -> None:
        """Takes operations that were not told before."""
        for kind, start_ns, _, offset, length, *_ in record.get("trace", ()):
            if kind in KINDS:
                file, within = in_file(self._begins, offset)
                # As with fio, a sync is one of the whole file.
                place = f"{within} {length}" if length else "0 0"
                self._lines.append((start_ns, f"{self._names[file]} {kind} {place}"))

    def text(self) -> Iterator[str]:
        """The whole log, by start."""
        last_ns = max((at_ns for at_ns, _ in self._lines), default=0)
        self.add("close", last_ns)
        yield f"{self.HEADER}\n"
        yield from (f"{at_ns // MICROSECOND} {text}\n" for at_ns, text in sorted(self._lines, key=lambda each: each[0]))


def begins(job: Job) -> list[tuple[int, int, int]]:
    """For each of several files the byte of the region that is its first, its number, and what that byte is in it."""
    if len(job.paths) == 1:
        return [(0, 0, 0)]
    firsts = [0, *accumulate(job.region.parts)][:-1]
    parts = zip(firsts, job.region.parts, strict=True)
    return [(first, number, job.region.offset) for number, (first, part) in enumerate(parts) if part]


def in_file(places: Sequence[tuple[int, int, int]], offset: int) -> tuple[int, int]:
    """The file that an offset of the region is in, and the offset in it."""
    first, number, begin = places[bisect_right(places, (offset, 2**63, 0)) - 1]
    return number, offset - first + begin


def kept(job: Job) -> IoLogWriter | None:
    """What a job is to leave; nothing where it has no `write_iolog`."""
    return IoLogWriter(job) if job.words.given("write_iolog") and job.moves else None


def paths(jobs: Sequence[Job]) -> Iterator[tuple[str, Path]]:
    """The options that leave a log, and the log."""
    for job in jobs:
        if job.words.given("write_iolog"):
            yield "write_iolog", Path(job.words.text("write_iolog") or "iolog")


def leave(job: Job, log: IoLogWriter | None, outcome: Outcome) -> None:
    """Writes the log of a job that has ended. Raises UsageError where it cannot."""
    if log is None:
        return
    log.see(outcome)
    name = job.words.text("write_iolog") or "iolog"
    try:
        with open_result(Path(name)) as file:
            file.writelines(log.text())
    except OSError as error:
        raise UsageError(f"{job.section.where}: write_iolog: cannot write {name}: {error.strerror}") from None
