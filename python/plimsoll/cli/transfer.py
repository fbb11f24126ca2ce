"""A bar with the time left while a file is sent; nothing where standard error is no terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import PurePath

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from plimsoll.cli.output import harmless, say
from plimsoll.units import MIB, SECOND, format_duration, format_size

LONG_BYTES = 256 * MIB
"""A file that is read in less than a second or two needs no bar."""

_TELL_EVERY_S = 10


@contextmanager
def transfer(name: str) -> Iterator[Callable[[int, int], None] | None]:
    """What to call with the bytes that are done and the bytes in all."""
    if not sys.stderr.isatty():
        yield None
        return
    words = TextColumn("{task.description}", markup=False)
    columns = (words, BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(harmless(name))
        yield lambda done, total: shown.update(task, completed=done, total=total)


@contextmanager
def reading(name: str, size: int) -> Iterator[Callable[[int, int], None] | None]:
    """What to call while a file of so many bytes is read: a bar on a terminal, a line now and then elsewhere."""
    short = PurePath(name).name
    if size < LONG_BYTES:
        yield None
    elif sys.stderr.isatty():
        with transfer(short) as tell:
            yield tell
    else:
        yield _lines(short)


def _lines(name: str) -> Callable[[int, int], None]:
    begun = last = time.monotonic()

    def tell(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _TELL_EVERY_S and done:
            last = now
            left = round((now - begun) * (total - done) / done) * SECOND
            say(f"{name}: {format_size(done)} of {format_size(total)}, about {format_duration(left)} left")

    return tell
