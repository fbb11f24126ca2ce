"""Two built modules of Plimsoll side by side: does this commit cost speed against the one before?

    python benches/modules.py OLD.so [NEW.so] [--rounds N] [--seconds S] [--rows null,tmpfs,...] [--json]

Both must be built with the same profile. Each module lives in a process of its own; every round runs both once, in an
order that alternates. The table gives the ratio new / old: the median over the rounds, the 95 % interval of the mean
log ratio (Student's t over the rounds), and the lowest and highest value. A row is lost where the interval is wholly
below 0.98 (throughput) or above 1.02 (processor time of an operation); the exit code is then 1.
"""

from __future__ import annotations

import argparse
import importlib.machinery
import importlib.util
import json
import math
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

BAND = 0.02
"""What `make bench` may lose before somebody has to say why."""

WORKER = "--worker"


def main() -> int:
    """The exit code."""
    options = _arguments()
    results: dict[str, dict[str, dict[str, float]]] = {}
    with (
        tempfile.TemporaryDirectory(prefix="plimsoll-bench-", dir=options.directory) as disk,
        tempfile.TemporaryDirectory(prefix="plimsoll-bench-", dir=options.memory) as memory,
        _module(options.old) as old,
        _module(options.new) as new,
    ):
        for name, row in _rows(Path(disk).resolve(), Path(memory), options).items():
            results[name] = _ratios(old, new, row, options.rounds)
            if not options.json:
                print(*_lines(name, results[name]), sep="\n", flush=True)
    if options.json:
        print(json.dumps(results, indent=1))
    return int(any(_is_lost(metric, found) for each in results.values() for metric, found in each.items()))


def _rows(disk: Path, memory: Path, options: argparse.Namespace) -> dict[str, tuple[str, dict[str, Any]]]:
    """Per row what starts the job, and its spec."""
    from benches import db, io

    rows: dict[str, tuple[str, dict[str, Any]]] = {}
    for row in io.ROWS:
        place = memory if row.place == "memory" else disk
        size = options.size // 4 if row.place == "memory" else options.size
        rows[row.name] = ("start", io.spec(row, place / "data", size, options.seconds, 1))
    random_writes = {"mode": "randrw", "read_share": 0.5, "compressible": 0.5}
    rows["null-mixed"] = ("start", rows["null"][1] | random_writes)
    request = db.request_for(None, db.ycsb(0.5), 1, options.seconds, "recreate")
    rows["db-null"] = ("db_start", request | {"driver": "null", "data": "keep"})
    wanted = options.rows.split(",") if options.rows else list(rows)
    for name in wanted:
        if rows[name][1].get("engine") not in (None, "null"):
            io.lay_out(Path(rows[name][1]["path"]), rows[name][1]["size"])
    return {name: rows[name] for name in wanted}


def _ratios(old: Module, new: Module, row: tuple[str, dict[str, Any]], rounds: int) -> dict[str, dict[str, float]]:
    logs: dict[str, list[float]] = {}
    for number in range(rounds):
        first, second = (old, new) if number % 2 == 0 else (new, old)
        found = {id(module): module.run(*row) for module in (first, second)}
        for metric, value in found[id(new)].items():
            logs.setdefault(metric, []).append(math.log(value / found[id(old)][metric]))
    return {metric: _summary(values) for metric, values in logs.items()}


def _summary(logs: list[float]) -> dict[str, float]:
    # Not in the processes that carry out the jobs: its threads spin while they wait, which would be counted there.
    from scipy.stats import t

    mean = statistics.fmean(logs)
    half = float(t.ppf(0.975, len(logs) - 1)) * statistics.stdev(logs) / math.sqrt(len(logs))
    figures = {
        "median": statistics.median(logs), "from": mean - half, "to": mean + half, "low": min(logs), "high": max(logs),
    }  # fmt: skip
    return {name: math.exp(value) for name, value in figures.items()}


def _is_lost(metric: str, found: dict[str, float]) -> bool:
    return found["to"] < 1 - BAND if metric == "per_second" else found["from"] > 1 + BAND


def _lines(name: str, found: dict[str, dict[str, float]]) -> Iterator[str]:
    for metric, ratio in found.items():
        interval = f"{ratio['from']:.3f}…{ratio['to']:.3f}"
        spread = f"{ratio['low']:.2f}…{ratio['high']:.2f}"
        lost = "LOST" if _is_lost(metric, ratio) else ""
        yield f"{name:<12}{metric:<12}{ratio['median']:7.3f}  {interval:<16}{spread:<14}{lost}".rstrip()


class Module:
    """A process that has one built module loaded and carries out jobs with it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(self, start: str, spec: dict[str, Any]) -> dict[str, float]:
        """Operations per second, and processor nanoseconds of each."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([start, spec]) + "\n")
        self._process.stdin.flush()
        outcome = json.loads(self._process.stdout.readline() or "{}")
        if outcome.get("status") != "ok":
            raise SystemExit(f"the module did not carry out its job: {outcome.get('error')}")
        if start == "db_start":
            operations = outcome["completed"]
        else:
            operations = sum(each["operations"] for each in outcome["operations"].values())
        cpu_ns = outcome["cpu"]["user_ns"] + outcome["cpu"]["system_ns"]
        return {"per_second": operations / outcome["elapsed_ns"] * 1e9, "cpu_ns": cpu_ns / operations}


@contextmanager
def _module(path: Path) -> Iterator[Module]:
    command = [sys.executable, __file__, WORKER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Module(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()


def _work(path: str) -> int:
    """Jobs from standard input, outcomes on standard output."""
    loader = importlib.machinery.ExtensionFileLoader("_core", path)
    spec = importlib.util.spec_from_file_location("_core", path, loader=loader)
    assert spec is not None
    core = importlib.util.module_from_spec(spec)
    loader.exec_module(core)
    for line in sys.stdin:
        start, request = json.loads(line)
        print(getattr(core, start)(json.dumps(request)).result(None), flush=True)
    return 0


def _arguments() -> argparse.Namespace:
    from plimsoll import _core

    parser = argparse.ArgumentParser(description="two built modules side by side: ratios new / old")
    parser.add_argument("old", type=Path, metavar="OLD.so")
    parser.add_argument("new", type=Path, nargs="?", default=Path(_core.__file__), metavar="NEW.so")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=2.0, help="length of each run")
    parser.add_argument("--directory", type=Path, default=Path(), help="where the file for the direct rows goes")
    parser.add_argument("--memory", type=Path, default=Path("/dev/shm"), help="a directory in tmpfs")
    parser.add_argument("--size", type=int, default=1 << 30, help="bytes on disk; a quarter of it in tmpfs")
    parser.add_argument("--rows", help="only these, with commas between")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    if sys.argv[1:2] == [WORKER]:
        sys.exit(_work(sys.argv[2]))
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    sys.exit(main())
