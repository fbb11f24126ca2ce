"""A bar with the time left while a file is sent; nothing where standard error is no terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from plimsoll.cli.output import harmless


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
