"""How long `plimsoll import` takes for many small result files of five formats, in one command and into an empty
store, and how much processor time that is. Prints medians and spread.

python benches/imports.py [--json]
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
FIXTURES = ROOT / "tests" / "unit" / "importers"
PLIMSOLL = str(Path(sys.executable).parent / "plimsoll")
FILES = 1_600
REPEATS = 5

VARIED = {
    "fio_json/fixtures/fio3.json": ('"iodepth"', '"note" : "file {}",\n      "iodepth"'),
    "fio_text/fixtures/v3_lat_percentiles.txt": ("fio-3", "file {}\nfio-3"),
    "ycsb/fixtures/status_and_summary.txt": ("[OVERALL]", "file {}\n[OVERALL]"),
    "sysbench/fixtures/oltp_1.1.txt": ("sysbench 1.1", "file {}\nsysbench 1.1"),
    "pgbench/fixtures/v15_progress.txt": ("transaction type", "file {}\ntransaction type"),
}
"""Files of each format, and where each copy is made another file."""


def fill(folder: Path, files: int = FILES) -> None:
    """So many files, each with content of its own."""
    for index, (place, (mark, put)) in enumerate(VARIED.items()):
        text = (FIXTURES / place).read_text(encoding="utf-8")
        assert mark in text, f"{place} has no {mark}"
        for number in range(index, files, len(VARIED)):
            copy = text.replace(mark, put.format(number), 1)
            (folder / f"{number:04}-{Path(place).name}").write_text(copy, encoding="utf-8")


def timed(folder: Path) -> tuple[float, float]:
    """Seconds of one import into an empty store, and those of a processor."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "PLIMSOLL_HOME": home}
        environment.pop("PLIMSOLL_STORE", None)
        start, before = time.perf_counter(), _processor_s()
        subprocess.run([PLIMSOLL, "import", *sorted(map(str, folder.iterdir()))], check=True, env=environment,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        return time.perf_counter() - start, _processor_s() - before


def _processor_s() -> float:
    """Seconds that processors worked for all that was started and has ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        fill(Path(folder))
        times = [timed(Path(folder)) for _ in range(REPEATS)]
    names = (f"plimsoll import, {FILES:,} small files", "its processor time")
    rows = {
        name: {"median_s": statistics.median(each), "low_s": min(each), "high_s": max(each)}
        for name, each in zip(names, zip(*times, strict=True), strict=True)
    }
    if "--json" in sys.argv:
        print(json.dumps(rows, indent=2))
        return
    for name, row in rows.items():
        print(f"{name:38} {row['median_s']:6.3f} s  ({row['low_s']:.3f}…{row['high_s']:.3f})")


if __name__ == "__main__":
    main()
