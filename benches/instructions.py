"""Instructions of an operation in a built module, counted by Valgrind: the same whatever else the machine does.

    python benches/instructions.py [MODULE.so …] [--rows null,null-mixed,db-null] [--json]

Every row is carried out twice, with few operations and with many; the difference is what an operation costs, without
starting the job. With two modules or more, the last column is the ratio to the first one. The rows: random reads from
the engine that answers at once, reads and writes of compressible blocks from it, and YCSB's workload A from the
driver that answers at once. Needs `valgrind`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

FEW, MANY = 20_000, 420_000
HOUR_NS = 3_600_000_000_000
ROWS = ("null", "null-mixed", "db-null")


def main() -> int:
    """The exit code."""
    options = _arguments()
    found = {row: [_instructions(module, row) for module in options.modules] for row in options.rows.split(",")}
    if options.json:
        print(json.dumps({row: dict(zip(map(str, options.modules), each, strict=True)) for row, each in found.items()}))
        return 0
    for row, counts in found.items():
        ratios = [f"{count:9.1f} ({count / counts[0]:.3f})" for count in counts]
        print(f"{row:<12}", *ratios)
    return 0


def _instructions(module: Path, row: str) -> float:
    few, many = (_counted(module, *_job(row, operations)) for operations in (FEW, MANY))
    return (many - few) / (MANY - FEW)


def _job(row: str, operations: int) -> tuple[str, dict[str, Any]]:
    """What starts the job, and its spec."""
    from benches import db, io

    if row == "db-null":
        # The client must not end by time: under Valgrind it takes fifty times as long.
        request = db.request_for(None, db.ycsb(0.5), 1, 600, "keep", operations)
        return "db_start", request | {"driver": "null", "warmup": 0, "interval": HOUR_NS}
    null = next(each for each in io.ROWS if each.name == "null")
    spec = io.spec(null, Path("/none"), 1 << 30, 600, 1)
    spec["max_operations"] = operations
    # How many intervals end meanwhile depends on the machine, and each costs as much as thousands of operations.
    spec["interval"] = HOUR_NS
    if row == "null-mixed":
        spec |= {"mode": "randrw", "read_share": 0.5, "compressible": 0.5}
    return "start", spec


def _counted(module: Path, start: str, spec: dict[str, Any]) -> int:
    """Instructions of a process that loads the module and carries out one job."""
    worker = [sys.executable, str(Path(__file__).with_name("modules.py")), "--worker", str(module)]
    with tempfile.NamedTemporaryFile(prefix="plimsoll-bench-") as profile:
        tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile.name}"]
        # The order of Python's own tables changes what starting it costs.
        environment = os.environ | {"PYTHONHASHSEED": "0"}
        request = json.dumps([start, spec]) + "\n"
        done = subprocess.run(
            [*tool, *worker], input=request, capture_output=True, text=True, check=True, env=environment
        )
    outcome = json.loads(done.stdout)
    if outcome["status"] != "ok":
        raise SystemExit(f"the module did not carry out its job: {outcome['error']}")
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if collected is None:
        raise SystemExit(f"valgrind counted nothing: {done.stderr.strip()}")
    return int(collected[1])


def _arguments() -> argparse.Namespace:
    from plimsoll import _core

    parser = argparse.ArgumentParser(description="instructions of an operation, counted by Valgrind")
    parser.add_argument("modules", type=Path, nargs="*", metavar="MODULE.so", default=[Path(_core.__file__)])
    parser.add_argument("--rows", default=",".join(ROWS))
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    sys.exit(main())
