"""The kernel's tracing, in an instance of our own: whoever traces beside us keeps his events, filters and buffers.

An instance is a folder in tracefs named after this process. Whatever kills the process, the next recording removes it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from plimsoll.errors import TargetError
from plimsoll.targets.mounts import read_mounts
from plimsoll.targets.owner import start_ticks

POINTS = (
    "block_bio_queue",
    "block_split",
    "block_rq_issue",
    "block_rq_requeue",
    "block_bio_complete",
    "block_rq_complete",
)
ARRIVALS = ("block_bio_queue", "block_split", "block_rq_issue", "block_rq_requeue")
BUFFER_KB = 8192
"""Of each processor: more than half a second of 100,000 IOPS."""
PAGE_KB = 64
"""Read at once, where the kernel can hand out more than its own pages."""
SET_UP_S = 60.0
"""A recording reads its instance long before."""
_NAME = "plimsoll-"


class NoTracing(TargetError):
    """The kernel's tracing cannot be used; says why."""


def tracing_folder() -> Path:
    """Where tracefs is. Raises NoTracing."""
    for mount in read_mounts():
        if mount.file_system == "tracefs":
            return Path(mount.point)
    folder = Path("/sys/kernel/tracing")
    # The kernel mounts it there by itself on the first look.
    debug = Path("/sys/kernel/debug/tracing")
    for place in (folder, debug):
        with suppress(OSError):
            if (place / "instances").is_dir():
                return place
    if os.geteuid() != 0:
        raise NoTracing("tracing is for root, or needs the rights to /sys/kernel/tracing")
    raise NoTracing("tracefs is not mounted (mount -t tracefs nodev /sys/kernel/tracing)")


class Instance:
    """Tracing of some devices, under way."""

    def __init__(self, folder: Path) -> None:
        """`folder` is that of the instance, which exists."""
        self.folder = folder
        self.processors = sorted((folder / "per_cpu").iterdir(), key=lambda path: int(path.name[3:]))
        self.pipes: list[int] = []
        self.page_bytes = os.sysconf("SC_PAGE_SIZE")

    def set_up(self, devices: Sequence[int]) -> None:
        """Says what is recorded, in time of CLOCK_MONOTONIC; `devices` are numbers as the kernel has them inside."""
        with suppress(OSError):
            self._write("buffer_subbuf_size_kb", str(PAGE_KB))
            self.page_bytes = PAGE_KB << 10
        self._write("buffer_size_kb", str(BUFFER_KB))
        self._write("trace_clock", "mono")
        wanted = " || ".join(f"dev == {device}" for device in devices)
        for point in POINTS:
            self._write(f"events/block/{point}/filter", wanted)
        for processor in self.processors:
            self.pipes.append(os.open(processor / "trace_pipe_raw", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))

    def enable(self, points: Sequence[str], *, on: bool) -> None:
        """Turns tracepoints on or off."""
        for point in points:
            self._write(f"events/block/{point}/enable", "1" if on else "0")

    def formats(self) -> dict[str, str]:
        """The layout of each record, as this kernel has it."""
        return {point: (self.folder / "events/block" / point / "format").read_text() for point in POINTS}

    def pages(self) -> Iterator[bytes]:
        """What is in the buffers of all processors now, page by page."""
        page = bytearray(self.page_bytes)
        for pipe in self.pipes:
            while True:
                try:
                    length = os.readv(pipe, [page])
                except BlockingIOError:
                    break
                if length == 0:
                    break
                yield bytes(memoryview(page)[:length])

    def lost(self) -> int:
        """Records for which there was no place."""
        found = 0
        for processor in self.processors:
            for line in (processor / "stats").read_text().splitlines():
                name, _, count = line.partition(":")
                if name in ("overrun", "dropped events", "commit overrun"):
                    found += int(count)
        return found

    def close(self) -> None:
        """Ends the recording and removes the instance."""
        with suppress(OSError):
            self.enable(POINTS, on=False)
        for pipe in self.pipes:
            os.close(pipe)
        self.pipes = []
        with suppress(OSError):
            os.rmdir(self.folder)

    def _write(self, name: str, text: str) -> None:
        path = self.folder / name
        descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)


@contextmanager
def instance(devices: Sequence[int]) -> Iterator[Instance]:
    """An instance that records these devices, once it is enabled. Raises NoTracing."""
    root = tracing_folder()
    sweep(root)
    folder = root / "instances" / f"{_NAME}{os.getpid()}-{start_ticks(os.getpid())}-{_namespace()}"
    try:
        folder.mkdir()
    except OSError as error:
        raise NoTracing(f"{folder} cannot be made ({error.strerror}): tracing is for root") from None
    made = None
    try:
        made = Instance(folder)
        made.set_up(devices)
        yield made
    except OSError as error:
        if made is not None and made.pipes:
            raise
        raise NoTracing(
            f"this kernel does not trace block I/O ({error.strerror}: {error.filename or folder})"
        ) from None
    finally:
        if made is not None:
            made.close()
        else:
            with suppress(OSError):
                folder.rmdir()


def sweep(root: Path) -> None:
    """Removes the instances of recordings that were killed.

    All containers share one tracefs, and the numbers of their processes say nothing here. So nothing is turned off
    before: the kernel refuses to remove what somebody reads, and else turns it off by itself.
    """
    for folder in (root / "instances").glob(f"{_NAME}*"):
        with suppress(OSError):
            if _is_left(folder):
                folder.rmdir()


def _is_left(folder: Path) -> bool:
    """Whether nobody is about to read an instance."""
    pid, begun, space = (folder.name.removeprefix(_NAME).split("-") + [""] * 3)[:3]
    if space == _namespace() and pid.isdecimal():
        return str(start_ticks(int(pid))) != begun
    return time.time() - folder.stat().st_mtime > SET_UP_S


def _namespace() -> str:
    """Of this process' number."""
    return str(Path("/proc/self/ns/pid").stat().st_ino)
