"""A small /sys and /proc of a machine that the test describes, in the layout of a real one."""

from __future__ import annotations

import os
from pathlib import Path

QUEUE = {
    "logical_block_size": "512",
    "physical_block_size": "4096",
    "optimal_io_size": "0",
    "max_sectors_kb": "1280",
    "rotational": "0",
    "scheduler": "[none] mq-deadline kyber",
    "write_cache": "write back",
    "fua": "1",
    "nr_requests": "255",
    "read_ahead_kb": "128",
    "iostats": "1",
}


class Machine:
    """Block devices are added from the bottom up."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write("sys/class/block/.keep", "")
        self.write("proc/self/mountinfo", "")
        self.write("proc/swaps", "Filename\t\tType\t\tSize\tUsed\tPriority\n")
        (root / "dev").mkdir()

    def write(self, path: str, text: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text if not text or text.endswith("\n") else f"{text}\n", encoding="latin-1")

    def disk(self, name: str, number: str, size_mib: int = 1024, **files: str) -> None:
        """A whole device; `files` are further files of its folder, `__` for `/`."""
        place = f"sys/devices/virtual/block/{name}"
        self._device(place, name, number, size_mib)
        for file, text in {**{f"queue/{key}": value for key, value in QUEUE.items()}, "removable": "0"}.items():
            self.write(f"{place}/{file}", text)
        for file, text in files.items():
            self.write(f"{place}/{file.replace('__', '/')}", text)

    def partition(self, disk: str, index: int, number: str, start: int = 2048, size_mib: int = 512) -> str:
        name = f"{disk}p{index}" if disk[-1].isdigit() else f"{disk}{index}"
        place = f"sys/devices/virtual/block/{disk}/{name}"
        self._device(place, name, number, size_mib)
        self.write(f"{place}/partition", str(index))
        self.write(f"{place}/start", str(start))
        return name

    def stack(self, upper: str, *lower: str) -> None:
        """`upper` is made of `lower`."""
        for name in lower:
            slaves = (self.root / "sys/class/block" / upper).resolve() / "slaves"
            holders = (self.root / "sys/class/block" / name).resolve() / "holders"
            for folder, link in ((slaves, name), (holders, upper)):
                folder.mkdir(exist_ok=True)
                (folder / link).write_text("")

    def mount(self, number: str, point: str, file_system: str, source: str, options: str = "rw") -> None:
        line = f"30 1 {number} / {point} rw,relatime shared:1 - {file_system} {source} {options}\n"
        path = self.root / "proc/self/mountinfo"
        path.write_text(path.read_text() + line)

    def _device(self, place: str, name: str, number: str, size_mib: int) -> None:
        self.write(f"{place}/dev", number)
        self.write(f"{place}/size", str(size_mib * 2048))
        self.write(f"{place}/ro", "0")
        self.write(f"{place}/alignment_offset", "0")
        self.write(f"dev/{name}", "")
        for link in (f"sys/class/block/{name}", f"sys/dev/block/{number}"):
            path = self.root / link
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(os.path.relpath(self.root / place, path.parent))
