"""Plimsoll's I/O core side by side with fio on the same file, in interleaved short runs.

    python benches/io.py [--directory DIR] [--rounds N] [--seconds S] [--rows null,tmpfs,...] [--json]

Each round runs both tools once, in an order that alternates. The table gives the ratio plimsoll / fio: the median over
the rounds with its lowest and highest value, because on a shared machine the spread says what the ratio is worth.
Latencies are from submission to completion for both (fio's `lat`); CPU time is that of the thread that does the I/O.
fio runs with its own defaults for everything but the job; `--fio-fixed` also gives it registered file and buffers.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from hdrh.histogram import HdrHistogram

from plimsoll import _core
from plimsoll.parameters import defaults

SECOND_NS = 1_000_000_000
BLOCK = 4096
METRICS = ("iops", "iops_per_cpu_s", "cpu_ns_per_io", "p50_ns", "p99_ns")


@dataclass(frozen=True)
class Row:
    """One comparison; `goals` maps a metric to its bound: at least (iops) or at most (the others)."""

    name: str
    engine: str
    depth: int
    direct: bool
    place: str
    goals: dict[str, float]


DIRECT_GOALS = {"iops": 0.98, "cpu_ns_per_io": 0.9, "p50_ns": 1.05, "p99_ns": 1.05}
ROWS = (
    Row("null", "null", 32, False, "none", {"iops_per_cpu_s": 2.0}),
    Row("tmpfs", "io_uring", 32, False, "memory", {"iops": 1.15}),
    Row("direct-1", "io_uring", 1, True, "disk", DIRECT_GOALS),
    Row("direct-32", "io_uring", 32, True, "disk", DIRECT_GOALS),
    Row("direct-128", "io_uring", 128, True, "disk", DIRECT_GOALS),
)


@dataclass(frozen=True)
class Sample:
    """One run of one tool."""

    iops: float
    iops_per_cpu_s: float
    cpu_ns_per_io: float
    p50_ns: float
    p99_ns: float


def sample(operations: int, elapsed_ns: float, cpu_ns: float, p50_ns: float, p99_ns: float) -> Sample:
    per_io = cpu_ns / operations
    return Sample(operations / elapsed_ns * SECOND_NS, SECOND_NS / per_io, per_io, p50_ns, p99_ns)


def spec(row: Row, path: Path, size: int, seconds: float, seed: int) -> dict[str, object]:
    return {
        **defaults("io"),
        "path": str(path),
        "engine": row.engine,
        "read_share": 1.0,
        "block_size": [[BLOCK, 1.0]],
        "depth": row.depth,
        "size": size,
        "direct": row.direct,
        "runtime": int(seconds * SECOND_NS),
        "warmup": 0,
        "seed": seed,
        "layout": "keep",
        "drop_cache": False,
    }


def run_core(request: dict[str, object]) -> dict[str, object]:
    outcome = json.loads(_core.start(json.dumps(request)).result(None) or "{}")
    if outcome["status"] != "ok":
        raise SystemExit(f"plimsoll: {outcome['error']['message']}")
    return outcome  # type: ignore[no-any-return]


def run_plimsoll(row: Row, path: Path, size: int, seconds: float, seed: int, three: bool) -> Sample:
    # As `plimsoll fio` asks for it: where fio tells submission apart.
    apart = {"submission": True} if three and row.engine not in ("psync", "mmap") else {}
    outcome: dict = run_core(spec(row, path, size, seconds, seed) | apart)  # type: ignore[type-arg]
    latencies = HdrHistogram.decode(outcome["histograms"]["read"])
    cpu_ns = outcome["cpu"]["user_ns"] + outcome["cpu"]["system_ns"]
    quantiles = [float(latencies.get_value_at_percentile(p)) for p in (50, 99)]
    return sample(outcome["operations"]["read"]["operations"], outcome["elapsed_ns"], cpu_ns, *quantiles)


def run_fio(row: Row, path: Path, size: int, seconds: float, seed: int, options: argparse.Namespace) -> Sample:
    command = [
        "fio", "--name=bench", f"--ioengine={row.engine}", "--rw=randread", f"--bs={BLOCK}", f"--iodepth={row.depth}",
        f"--size={size}", f"--direct={int(row.direct)}", "--time_based", f"--runtime={round(seconds * 1000)}ms",
        f"--randseed={seed}", "--thread", "--lat_percentiles=1", "--clat_percentiles=0", "--output-format=json",
    ]  # fmt: skip
    if row.place != "none":
        command.append(f"--filename={path}")
    if options.latencies == "one":
        command += ["--disable_slat=1", "--disable_clat=1"]
    if options.fio_fixed and row.engine == "io_uring":
        command += ["--fixedbufs", "--registerfiles"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"fio: {done.stderr.strip() or done.stdout.strip()}")
    job = json.loads(done.stdout[done.stdout.index("{") :])["jobs"][0]
    read = job["read"]
    elapsed_ns = read["runtime"] * 1e6
    cpu_ns = (job["usr_cpu"] + job["sys_cpu"]) / 100 * job["job_runtime"] * 1e6
    quantiles = read["lat_ns"]["percentile"]
    return sample(read["total_ios"], elapsed_ns, cpu_ns, quantiles["50.000000"], quantiles["99.000000"])


def compare(row: Row, path: Path, size: int, options: argparse.Namespace) -> list[tuple[Sample, Sample]]:
    """Pairs (plimsoll, fio), one per round."""
    pairs = []
    for i in range(options.rounds):
        tools: list[Callable[[], Sample]] = [
            lambda seed=i: run_plimsoll(row, path, size, options.seconds, seed, options.latencies == "three"),  # type: ignore[misc]
            lambda seed=i: run_fio(row, path, size, options.seconds, seed, options),  # type: ignore[misc]
        ]
        first = i % 2
        samples = {first: tools[first](), 1 - first: tools[1 - first]()}
        pairs.append((samples[0], samples[1]))
    return pairs


def ratios(pairs: list[tuple[Sample, Sample]], metric: str) -> dict[str, float]:
    each = [getattr(ours, metric) / getattr(theirs, metric) for ours, theirs in pairs]
    return {"median": statistics.median(each), "low": min(each), "high": max(each)}


def lay_out(path: Path, size: int) -> None:
    request = spec(ROWS[0], path, size, 0.001, 1) | {"engine": "psync", "depth": 1, "layout": "fill"}
    run_core(request)


def facts() -> dict[str, object]:
    fio = subprocess.run(["fio", "--version"], capture_output=True, text=True, check=False).stdout.strip()
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "plimsoll": _core.version,
        "fio": fio,
        "kernel": platform.release(),
        "cpus": os.cpu_count(),
        "load": os.getloadavg()[0],
    }


def describe(name: str, summary: dict[str, dict[str, float]], goals: dict[str, float]) -> list[str]:
    lines = []
    for metric, ratio in summary.items():
        goal = goals.get(metric)
        at_least = metric.startswith("iops")
        met = "" if goal is None else ("ok" if (ratio["median"] >= goal) == at_least else "MISSED")
        bound = "" if goal is None else f"{'≥' if at_least else '≤'} {goal:.2f}"
        spread = f"{ratio['low']:.2f}…{ratio['high']:.2f}"
        lines.append(f"{name:<11} {metric:<15} {ratio['median']:6.2f}  {spread:<14} {bound:<7} {met}".rstrip())
    return lines


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="plimsoll and fio side by side: ratios plimsoll / fio")
    parser.add_argument("--directory", default=".", help="where the file for the direct rows goes")
    parser.add_argument("--memory", default="/dev/shm", help="a directory in tmpfs")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=2.0, help="length of each run")
    parser.add_argument("--size", type=int, default=1 << 30, help="bytes on disk; a quarter of it in tmpfs")
    parser.add_argument("--rows", default=",".join(row.name for row in ROWS))
    parser.add_argument("--fio-fixed", action="store_true", help="give fio registered file and buffers as well")
    parser.add_argument(
        "--latencies",
        choices=("default", "one", "three"),
        default="default",
        help="each as it is by default; both with the whole latency only; both with slat, clat and lat",
    )
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    chosen = set(options.rows.split(","))
    result: dict[str, object] = {"facts": facts(), "rows": {}}
    with (
        tempfile.TemporaryDirectory(prefix="plimsoll-bench-", dir=options.directory) as disk,
        tempfile.TemporaryDirectory(prefix="plimsoll-bench-", dir=options.memory) as memory,
    ):
        places = {"none": (Path(disk) / "none", 1 << 30), "disk": (Path(disk) / "file", options.size)}
        places["memory"] = (Path(memory) / "file", options.size // 4)
        print(f"{'row':<11} {'metric':<15} {'ratio':>6}  {'low…high':<14} goal", file=sys.stderr)
        for row in ROWS:
            if row.name not in chosen:
                continue
            path, size = places[row.place]
            if row.place != "none" and not path.exists():
                lay_out(path, size)
            pairs = compare(row, path, size, options)
            summary = {metric: ratios(pairs, metric) for metric in METRICS}
            runs = [{"plimsoll": asdict(ours), "fio": asdict(theirs)} for ours, theirs in pairs]
            result["rows"][row.name] = {"ratios": summary, "goals": row.goals, "runs": runs}  # type: ignore[index]
            print("\n".join(describe(row.name, summary, row.goals)), file=sys.stderr if options.json else sys.stdout)
    if options.json:
        json.dump(result, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
