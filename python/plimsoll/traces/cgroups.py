"""How much of what a device counts is one cgroup's: the kernel counts I/O of each, for everybody to read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from plimsoll.targets.blockdev import text_of
from plimsoll.targets.host import cgroup_folders
from plimsoll.traces.notes import LeftOut
from plimsoll.units import format_percent

KINDS = ("read", "written", "discarded")
MENTIONED = 0.01
"""Of the bytes that a device counted: less is not worth a sentence."""
_VERSION_2, _VERSION_1 = "io.stat", "blkio.throttle.io_service_bytes_recursive"
"""Of a group with those below it; kernel documentation: cgroup-v2 and cgroup-v1/blkio-controller."""
_NAMES = {"rbytes": 0, "wbytes": 1, "dbytes": 2, "Read": 0, "Write": 1, "Discard": 2}


@dataclass(frozen=True)
class Group:
    """A cgroup with counters of its own."""

    pid: int
    """The process that it was asked for."""
    file: Path
    """What the kernel counts of it, a line or more a device."""
    path: str
    """Its place in the hierarchy."""

    @property
    def misses_writeback(self) -> bool:
        """Whether what is written through the page cache counts as the root's."""
        return self.file.name == _VERSION_1


def group_of(pid: int, root: Path = Path("/")) -> Group | None:
    """The cgroup of a process; None where it is that of the whole system, or has no counters that can be seen."""
    for folder in cgroup_folders("blkio", root, str(pid)):
        for name in (_VERSION_2, _VERSION_1):
            # At the top all processes are counted, those of other containers as well.
            if (folder / name).exists() and (path := _below_the_top(folder, root)):
                return Group(pid, folder / name, path)
    return None


def _below_the_top(folder: Path, root: Path) -> str:
    inside = folder.relative_to(root / "sys/fs/cgroup")
    tops = ("unified", "blkio", "blkio,io", "io,blkio")
    parts = inside.parts[1:] if inside.parts and inside.parts[0] in tops else inside.parts
    return "/" + "/".join(parts) if parts else ""


def read_bytes(group: Group, number: str) -> tuple[int, int, int] | None:
    """What the group has read, written and discarded so far of the device `major:minor`; None where nobody counts.

    Version 2 leaves out what is 0. Version 1 has lines of devices with a limit for some cgroup, and of no others.
    """
    text = text_of(group.file)
    lines = [rest for device, _, rest in (line.partition(" ") for line in text.splitlines()) if device == number]
    if not lines and (group.misses_writeback or not group.file.exists()):
        return None
    found = [0, 0, 0]
    for name, value in re.findall(r"(\w+)[= ](\d+)", " ".join(lines)):
        if name in _NAMES:
            found[_NAMES[name]] = int(value)
    return found[0], found[1], found[2]


def of_others(group: Group, device: str, asked: Sequence[int], counted: Sequence[int]) -> list[LeftOut]:
    """What is said if the device counted more bytes than the group asked for meanwhile: by kind, as `KINDS`."""
    total = sum(counted[: len(KINDS)])
    others = [max(0, all_of_it - own) for all_of_it, own in zip(counted, asked, strict=False)]
    if sum(others) <= MENTIONED * total:
        return []
    shares = ", ".join(
        f"{format_percent(other / all_of_it)} of the bytes {kind}"
        for kind, other, all_of_it in zip(KINDS, others, counted, strict=False)
        if other > MENTIONED * total
    )
    why = f"I/Os of {device} that are not of process {group.pid} or of others in its cgroup {group.path}: {shares}"
    if group.misses_writeback:
        why += " (cgroups of version 1 do not count what a process writes through the page cache)"
    return [{"what": "others", "count": sum(others), "why": f"{why}; they count like its own"}]
