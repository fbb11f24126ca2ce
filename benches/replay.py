"""A trace replayed by Plimsoll and by fio's `read_iolog`, in turns: how late each issues it, and how long it takes.

    python benches/replay.py [--directory DIR] [--rate 5000] [--seconds 60] [--rounds 3] [--only plimsoll|fio]
                             [--before-others] [--json] [--figures]

An hour of both is --seconds 3600 --rounds 1, two to four hours; --seconds 300 --rounds 3 less than one. Where other
programs work beside it, --before-others (root) lets the threads of a replay go before theirs.
With --figures the rows for docs/data/figures.toml are printed: median, least and most of the rounds.

Both replay the same random reads of 4 KiB, which arrive at random times at the mean rate, on one file. What counts:
how much longer than recorded a replay takes, and how late I/Os are issued: of ours the lateness that each run reports,
of fio the difference between its latency log's times, which are whole milliseconds, and the record's.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plimsoll import _core
from plimsoll.parameters import io_defaults, read_values
from plimsoll.run.workers.local import job_spec
from plimsoll.stats.histogram import decode
from plimsoll.traces import replay
from plimsoll.units import SECOND

BLOCK = 4096
FILE_BYTES = 256 << 20
DEPTH = 256


def write_log(folder: Path, rate: int, seconds: int) -> tuple[Path, array[int]]:
    """fio's log of version 3, the same as the text of blkparse beside it, and when each read arrives, in µs."""
    draw, at_s, arrivals = random.Random(1), 0.0, array("q")
    path = folder / "load.log"
    with path.open("w") as log, path.with_suffix(".txt").open("w") as text:
        log.write("fio version 3 iolog\n0 data add\n0 data open\n")
        while (at_s := at_s + draw.expovariate(rate)) < seconds:
            arrivals.append(round(at_s * 1e6))
            offset = draw.randrange(FILE_BYTES // BLOCK) * BLOCK
            log.write(f"{arrivals[-1]} data read {offset} {BLOCK}\n")
            text.write(blkparse(arrivals[-1], offset))
        log.write(f"{arrivals[-1]} data close\n")
    return path, arrivals


def blkparse(at_us: int, offset: int) -> str:
    """A read that arrives, and that took no time."""
    seconds, rest = divmod(at_us, 1_000_000)
    return f"8,0 1 1 {seconds}.{rest:06}000 7 Q R {offset // 512} + {BLOCK // 512} [bench]\n"


def ours(folder: Path, log: Path) -> dict[str, float]:
    """One replay of ours."""
    load = replay.look_through(log.with_suffix(".txt"))
    replay.keep(load)
    given = replay.parameters(load, None, replay.How(reads_only=True, region=FILE_BYTES))
    values: Any = {**io_defaults(), **read_values("io", {**given, "layout": "keep"}, "replay"), "depth": DEPTH}
    values["warmup"] = 0
    outcome = json.loads(_core.start(json.dumps(job_spec(values, folder / "data"))).result(None) or "{}")
    if outcome["status"] != "ok":
        sys.exit(f"the replay failed: {outcome['error']}")
    late = decode(base64.b64decode(outcome["histograms"]["lateness"]))
    took_s = outcome["elapsed_ns"] / SECOND
    return {"took_s": took_s, **{f"late_p{p:g}_us": (late.percentile(p) or 0) / 1000 for p in (50.0, 99.0, 99.9)}}


def fios(folder: Path, log: Path, arrivals: array[int]) -> dict[str, float]:
    """One replay of fio's."""
    begun = time.monotonic()
    words = ["fio", "--name=r", f"--read_iolog={log}", "--ioengine=libaio", "--direct=1", f"--iodepth={DEPTH}"]
    words += [f"--write_lat_log={folder / 'fio'}", "--log_avg_msec=0", "--output-format=json"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"fio failed: {done.stderr}")
    took_s = time.monotonic() - begun
    # Time in milliseconds of each completion, latency in nanoseconds: what it began at, less when it was to begin.
    rows = [line.split(",") for line in (folder / "fio_lat.1.log").read_text().splitlines()]
    started = sorted(float(row[0]) * 1000 - float(row[1]) / 1000 for row in rows)
    behind = [begin - due for begin, due in zip(started, arrivals, strict=False)]
    # Its clock began when it began; the earliest of the first reads counts as in time.
    first = min(behind[:100])
    late = sorted(max(0.0, each - first) for each in behind)
    at = {p: late[min(len(late) - 1, int(len(late) * p / 100))] for p in (50.0, 99.0, 99.9)}
    return {"took_s": took_s, **{f"late_p{p:g}_us": value for p, value in at.items()}}


def shown(row: dict[str, float]) -> str:
    """One line."""
    return "  ".join(f"{key} {value:,.1f}" for key, value in row.items())


def figures(rounds: dict[str, list[dict[str, float]]], rate: int, seconds: int) -> list[str]:
    """Rows of the table `traces` of docs/data/figures.toml, without their date and place."""

    def row(name: str, tool: str, key: str, scale: float) -> Iterator[str]:
        if tool not in rounds:
            return
        values = [each[key] * scale for each in rounds[tool]]
        figure = ", ".join(f"{value:.3g}" for value in (statistics.median(values), min(values), max(values)))
        yield f'    {{ row = "{name}", measured = [{figure}] }},'

    return [
        *row(f"replay of {seconds} s at {rate:,}/s, s", "plimsoll", "took_s", 1),
        *row("the same by fio's `read_iolog`, s", "fio", "took_s", 1),
        *row("lateness of the replay at p99, ms", "plimsoll", "late_p99_us", 0.001),
        *row("the same of fio, ms", "fio", "late_p99_us", 0.001),
    ]


def main() -> None:
    """Replays in turns, and prints the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--directory", default=".")
    parser.add_argument("--rate", type=int, default=5000)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=("plimsoll", "fio"))
    parser.add_argument("--before-others", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--figures", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.directory) as name:
        folder = Path(name)
        os.environ["PLIMSOLL_HOME"] = str(folder / "home")
        (folder / "data").write_bytes(random.Random(2).randbytes(1 << 20) * (FILE_BYTES >> 20))
        log, arrivals = write_log(folder, asked.rate, asked.seconds)
        tools = (asked.only,) if asked.only else ("plimsoll", "fio")
        rounds: dict[str, list[dict[str, float]]] = {tool: [] for tool in tools}
        if asked.before_others:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(20))
        for number in range(asked.rounds):
            order = list(rounds) if number % 2 == 0 else list(reversed(rounds))
            for tool in order:
                row = ours(folder, log) if tool == "plimsoll" else fios(folder, log, arrivals)
                rounds[tool].append(row)
                print(f"round {number + 1}, {tool}: {shown(row)}", file=sys.stderr, flush=True)
    found = {
        tool: {key: statistics.median(each[key] for each in made) for key in made[0]} for tool, made in rounds.items()
    }
    if asked.json:
        print(json.dumps({"rate": asked.rate, "seconds": asked.seconds, "rounds": rounds, "median": found}))
        return
    if asked.figures:
        print("\n".join(figures(rounds, asked.rate, asked.seconds)))
        return
    print(f"{len(arrivals):,} reads at {asked.rate:,}/s, recorded over {asked.seconds} s; medians of {asked.rounds}")
    for tool, row in found.items():
        print(f"{tool:9} {shown(row)}")


if __name__ == "__main__":
    main()
