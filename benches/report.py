"""Time and size of the largest usual report: 20 tests, 5 targets, 12 blocks, 60 intervals each. Budget: 2 s, 3 MB.

python -m benches.report
"""

from __future__ import annotations

import tempfile
import time
from importlib import import_module
from pathlib import Path

from tests.factories import make_study, many_cases

from plimsoll.report import Evidence, build_document, formats, render, write_charts

SECONDS, MEGABYTES = 2.0, 3.0
TARGETS = ("nvme", "gp3", "io2", "raid0", "share")
RATIOS = {"gp3": 0.31, "raid0": 1.6, "share": 0.05}


def main() -> None:
    # Sets the collector as for any command.
    import_module("plimsoll.cli.entry")
    session, runs = make_study(TARGETS, many_cases(20), 12, RATIOS, failed=8, invalid=8, intervals=60, title="large")
    evidence = Evidence([session], runs, "nvme", 0.10)
    started = time.perf_counter()
    document = build_document(evidence)
    built = time.perf_counter() - started
    print(f"{len(runs):,} runs, {len(evidence.cells)} comparisons, {len(document.charts)} charts")
    print(f"{'document':10} {built:6.2f} s")
    for name in sorted(formats()):
        started = time.perf_counter()
        size = len(render(document, name).encode()) / 1e6
        seconds = time.perf_counter() - started
        print(f"{name:10} {seconds:6.2f} s {size:8.2f} MB")
        if name == "html":
            total = built + seconds
            kept = "within" if total <= SECONDS and size <= MEGABYTES else "OVER"
            print(f"{'':10} {total:6.2f} s with its document: {kept} {SECONDS:g} s and {MEGABYTES:g} MB")
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        files = write_charts(document, Path(folder))
        print(f"{'pictures':10} {time.perf_counter() - started:6.2f} s {len(files):8} files")


if __name__ == "__main__":
    main()
