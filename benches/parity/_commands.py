"""Pairs of command lines: the original's and ours with the same words, interleaved, their output read the same way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

PLIMSOLL = Path(sys.executable).parent / "plimsoll"
LOW, HIGH = 0.95, 1.05
"""Ratios of scores within this are parity."""


@dataclass(frozen=True)
class Line:
    """One command line."""

    tool: str
    words: tuple[str, ...]
    blocks: int = 5

    def compare(self) -> Iterator[str]:
        """One line per figure: ours over the original's, block by block."""
        figures: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        yield f"{self.tool} {' '.join(self.words)}"
        with tempfile.TemporaryDirectory(dir=".", prefix="parity-") as folder:
            for block in range(self.blocks):
                # Two files of one name would be two layouts: both work on the same one.
                order = ("native", "original") if block % 2 else ("original", "native")
                for side in order:
                    for name, value in self._measure(side, Path(folder)).items():
                        figures[name][side].append(value)
        for name, sides in figures.items():
            if len(sides["native"]) == len(sides["original"]) == self.blocks:
                yield line(name, sides["native"], sides["original"])

    def _measure(self, side: str, folder: Path) -> dict[str, float]:
        ours = [PLIMSOLL, self.tool] if side == "native" else [self.tool]
        # Only our own front end asks before it writes over a file of the other.
        extra = ["--destroy=parity.data", "--destroy=parity.wal"] if side == "native" and self.tool == "fio" else []
        form = ["--output-format=json"] if self.tool == "fio" else ["-B" if "-R" in self.words else "-J", "."]
        done = subprocess.run(
            [*map(str, ours), *self.words, *extra, *form],
            cwd=folder,
            env={**os.environ, "PLIMSOLL_HOME": str(folder.resolve() / "state")},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            timeout=120,
        )
        return _fio(done.stdout) if self.tool == "fio" else _ioping(done.stdout)


def _fio(text: str) -> dict[str, float]:
    (job,) = json.loads(text)["jobs"]
    found = {"processor share, %": job["usr_cpu"] + job["sys_cpu"]}
    for kind in ("read", "write"):
        flow = job[kind]
        if flow["total_ios"]:
            found[f"{kind} IOPS"] = flow["iops"]
            found[f"{kind} mean, ns"] = flow["lat_ns"]["mean"]
            found[f"{kind} p99, ns"] = flow["clat_ns"]["percentile"]["99.000000"]
    if job["sync"]["lat_ns"]["N"]:
        found["sync p99, ns"] = job["sync"]["lat_ns"]["percentile"]["99.000000"]
    return found


def _ioping(text: str) -> dict[str, float]:
    if not text.startswith("["):
        numbers = [int(word) for word in text.split()]
        return {"IOPS by service time": numbers[2], "mean, ns": numbers[5]}
    requests = [each["io"] for each in json.loads(text) if "io" in each]
    times = sorted(each["time"] for each in requests if not each["ignored"])
    return {
        "mean, ns": sum(times) / len(times),
        "p50, ns": times[len(times) // 2],
        "p99, ns": times[int(len(times) * 0.99)],
    }


def line(name: str, native: Sequence[float], original: Sequence[float]) -> str:
    """Medians, ours over theirs block by block (middle, smallest, largest), and what that means."""
    ratios = [ours / theirs for ours, theirs in zip(native, original, strict=True) if theirs > 0 and ours > 0]
    if not ratios:
        return f"  {name:36} nothing to compare"
    ratio = median(ratios)
    spread = f"{min(ratios):.2f}…{max(ratios):.2f}"
    return f"  {name:36} {median(native):16,.0f}  {median(original):16,.0f}  {ratio:6.2f}× ({spread}) {_said(ratios)}"


def _said(ratios: Sequence[float]) -> str:
    """Parity by the median; what is beside it in some blocks and within it in others only scatters."""
    if LOW <= median(ratios) <= HIGH:
        return "parity"
    return "differs" if min(ratios) > HIGH or max(ratios) < LOW else "scatters"
