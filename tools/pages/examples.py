"""Inputs of the gallery that no measurement of a minute could give: invented from a seed, or simulated; labelled so."""

from __future__ import annotations

import csv
import itertools
import math
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

Plimsoll = Callable[[str], None]
"""Runs a command line without its first word."""

TESTS = {
    "s": ("unpack an archive", "compile", "compress", "inserts, one by one", "inserts, batched", "copy a tree",
          "delete a tree", "start a server"),
    "1/s": ("small files", "mail server", "file server", "web server", "random reads", "random writes", "commits",
            "transactions"),
    "MB/s": ("sequential reads", "sequential writes", "stream, 8 readers", "backup"),
}  # fmt: skip
"""By the unit of their results."""
VOLUMES = {"A": (1.0, 1.0), "B": (1.03, 0.98), "C": (1.45, 1.02), "D": (2.1, 1.3), "E": (3.2, 0.8)}
"""Speed of what waits for the volume, and of what moves much data, as multiples of A's."""
REPEATS, SEED = 4, 20
SIZES_GIB = (50, 100, 150, 200, 300, 400, 500, 750, 1000)
RUNS, RUN_SECONDS = 100, 20
STARTED = datetime(2026, 1, 1, tzinfo=UTC)


def invented_table(folder: Path, plimsoll: Plimsoll) -> None:
    """20 tests on 5 targets, 4 runs each, drawn from a seed: numbers that nobody measured."""
    del plimsoll
    draw = random.Random(SEED)
    with (folder / "invented-20-tests-5-volumes.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(("test", "target", "unit", "better", "value", "run"))
        for index, (test, unit) in enumerate((test, unit) for unit, tests in TESTS.items() for test in tests):
            share = index % 5 / 4
            usual = math.exp(draw.uniform(math.log(20), math.log(2000)))
            for (volume, (waiting, moving)), run in itertools.product(VOLUMES.items(), range(1, REPEATS + 1)):
                speed = waiting ** (1 - share) * moving**share * math.exp(draw.gauss(0, 0.02))
                better, value = ("lower", usual / speed) if unit == "s" else ("higher", usual * speed)
                table.writerow((test, f"volume-{volume}", unit, better, f"{value:.4g}", run))


def simulated_bursts(folder: Path, plimsoll: Plimsoll) -> None:
    """Random reads on nine sizes of gp2 until the credits of most are gone: 100 runs of 20 s each, by the model."""
    volumes = " ".join(f"--volume gp2,size={size}GiB,credits=0.3" for size in SIZES_GIB)
    plimsoll(f"simulate {volumes} --job randread,depth=16 --duration {RUNS * RUN_SECONDS}s -o seconds.csv")
    with (
        (folder / "seconds.csv").open(newline="") as seconds,
        (folder / "simulated-bursts.csv").open("w", newline="") as file,
    ):
        table = csv.writer(file)
        table.writerow(("test", "target", "metric", "unit", "better", "value", "run", "time"))
        for size, run, iops in _runs(csv.DictReader(seconds)):
            begun = STARTED + timedelta(seconds=RUN_SECONDS * run)
            target = f"gp2-{size}GiB"
            table.writerow(("random reads", target, "iops", "1/s", "higher", f"{iops:g}", run + 1, begun.isoformat()))


def _runs(seconds: Iterator[dict[str, str]]) -> Iterator[tuple[int, int, float]]:
    """Size, number of the run and its rate, from operations in each second of each volume in their order."""
    for size, (_, of_volume) in zip(SIZES_GIB, itertools.groupby(seconds, lambda row: row["volume"]), strict=True):
        counts = [int(row["operations"]) for row in of_volume]
        for run in range(RUNS):
            part = counts[run * RUN_SECONDS : (run + 1) * RUN_SECONDS]
            yield size, run, sum(part) / RUN_SECONDS
