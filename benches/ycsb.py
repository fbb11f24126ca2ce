"""YCSB on real servers beside what go-ycsb and Java YCSB did: absolute figures, for neither is in a package registry.

    python -m benches.ycsb [--rounds N] [--operations N] [--clients N]

The published figures are medians of three runs of 200,000 operations by 8 clients on 20,000 records, on a machine of
the kind that CI has (two processors), with the same durability: Redis without persistence, PostgreSQL with
synchronous_commit=off, MariaDB with innodb_flush_log_at_trx_commit=2. They were not interleaved with ours, so
that how busy the machine is counts in full; `make bench-db` has the ratios that hold on any machine.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benches.db import Row, Sample, prepared, request_for, run_core, ycsb

LONGEST_S = 600.0


@dataclass(frozen=True)
class Published:
    """Operations per second of others, and how many times the better of the two is our goal."""

    server: str
    workload: str
    read: float
    go_ycsb: float
    java_ycsb: float
    times: float

    @property
    def goal(self) -> float:
        return self.times * max(self.go_ycsb, self.java_ycsb)


ROWS = (
    Published("redis", "a", 0.5, 80_900, 70_300, 1.3),
    Published("redis", "c", 1.0, 73_100, 77_600, 1.3),
    Published("postgresql", "a", 0.5, 35_100, 34_600, 1.25),
    Published("postgresql", "c", 1.0, 49_500, 45_400, 1.25),
    Published("mariadb", "a", 0.5, 29_400, 32_500, 1.25),
    Published("mariadb", "c", 1.0, 36_300, 41_500, 1.25),
)


def measure(row: Published, folder: Path, options: argparse.Namespace) -> list[Sample]:
    """One server with its data, and so many runs."""
    workload = ycsb(row.read)
    place = folder / row.workload
    place.mkdir(mode=0o755, exist_ok=True)
    with prepared(Row(row.server, row.server, "", workload, None, None, None), place, options.clients) as server:
        return [
            run_core(request_for(server, workload, options.clients, LONGEST_S, "keep", options.operations))
            for _ in range(options.rounds)
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description="YCSB beside published figures of go-ycsb and Java YCSB")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--operations", type=int, default=200_000)
    parser.add_argument("--clients", type=int, default=8)
    options = parser.parse_args()
    print(f"{'row':<14}{'median/s':>10}  {'lowest…highest':<18}{'client CPU':>10}  {'go-ycsb':>8}  {'Java':>8}  goal")
    with tempfile.TemporaryDirectory(prefix="plimsoll-bench-") as name:
        Path(name).chmod(0o755)
        for row in ROWS:
            samples = measure(row, Path(name), options)
            rates = [each.per_second for each in samples]
            middle, cpu = statistics.median(rates), statistics.median(each.cpu_ns for each in samples) / 1000
            spread = f"{min(rates):,.0f}…{max(rates):,.0f}"
            met = "met" if middle >= row.goal else "MISSED"
            print(
                f"{row.server + ' ' + row.workload:<14}{middle:>10,.0f}  {spread:<18}{cpu:>7.1f} µs  "
                f"{row.go_ycsb:>8,.0f}  {row.java_ycsb:>8,.0f}  {row.goal:,.0f}: {met}",
                flush=True,
            )


if __name__ == "__main__":
    main()
