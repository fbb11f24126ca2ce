"""Less memory than the machine has, for what runs meanwhile: a memory cgroup, version 2 or 1, that this process enters.

The pages of files count where they are first touched, so a group has to stay for as long as its files are used: whoever
leaves it and comes back finds what it had in memory, and no more.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from plimsoll.targets.host import cgroup_folders

LEAST_BYTES = 128 << 20
"""Below this, this process itself would be ended for want of memory."""
_LIMITS = ("memory.max", "memory.limit_in_bytes")


@dataclass(frozen=True)
class SmallMemory:
    """A group with a bound, or the reason why there is none."""

    size_bytes: int
    folder: Path | None
    home: Path | None
    """Where this process comes from and goes back to."""
    why_not: str = ""

    @contextmanager
    def entered(self) -> Iterator[None]:
        """This process and all that it starts, inside; nothing where there is no group."""
        if self.folder is None or self.home is None:
            yield
            return
        _enter(self.folder)
        try:
            yield
        finally:
            _enter(self.home)


@contextmanager
def small_memory(name: str, size_bytes: int, root: Path = Path("/")) -> Iterator[SmallMemory]:
    """A group of this name that holds at most `size_bytes`, taken away at the end."""
    made = _make(name, size_bytes, root)
    try:
        yield made
    finally:
        if made.folder is not None:
            # What it still holds goes to the group above it.
            made.folder.rmdir()


def _make(name: str, size_bytes: int, root: Path) -> SmallMemory:
    reasons = []
    homes = [each for each in cgroup_folders("memory", root) if (each / "cgroup.procs").exists()]
    for above in homes:
        _sweep(above)
        folder = above / f"plimsoll-{os.getpid()}-{name}"
        try:
            folder.mkdir()
        except OSError as error:
            reasons.append(f"{above}: {error.strerror}")
            continue
        try:
            limit = next((folder / each for each in _LIMITS if (folder / each).exists()), None)
            if limit is None:
                raise OSError(0, "no memory controller in it")
            limit.write_text(str(size_bytes))
            _enter(folder)
            _enter(homes[0])
        except OSError as error:
            folder.rmdir()
            reasons.append(f"{above}: {error.strerror}")
            continue
        return SmallMemory(size_bytes, folder, homes[0])
    return SmallMemory(size_bytes, None, None, "; ".join(reasons) or "this host has no memory cgroups")


def _sweep(above: Path) -> None:
    """Remove the empty groups that killed processes left."""
    for folder in above.glob("plimsoll-*-*"):
        owner = folder.name.split("-")[1]
        if owner.isdigit() and not Path(f"/proc/{owner}").exists():
            with suppress(OSError):
                folder.rmdir()


def _enter(folder: Path) -> None:
    (folder / "cgroup.procs").write_text(str(os.getpid()))
