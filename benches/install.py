"""From a wheel to the first measurement: installing from a local index, then `plimsoll run` with one short run.

python -m benches.install [--json]

The index is filled first (`make wheel` before). A run starts to measure before it is written, so the second figure is
an upper bound.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

from tools.wheel.index import fill

ROUNDS = 5
SHORT = "--set size=4MiB --set runtime=100ms --set warmup=10ms --blocks 1 --noisy-host --quiet"


def once(index: Path) -> tuple[float, float]:
    """Seconds of the installation into a new environment, and of the first command."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        venv.create(home / "env", with_pip=True)
        env = {"PATH": "/usr/bin:/bin", "HOME": name}
        start = time.perf_counter()
        install = ["install", "--quiet", "--no-index", "--find-links", index, "plimsoll"]
        subprocess.run([home / "env/bin/pip", *install], check=True, env=env)
        installed = time.perf_counter()
        words = [home / "env/bin/plimsoll", "run", "randread", *SHORT.split()]
        subprocess.run(words, check=True, env=env, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return installed - start, time.perf_counter() - installed


def main() -> None:
    """Measure and print."""
    index = fill(pythons=[f"{sys.version_info[0]}.{sys.version_info[1]}"])
    found = [once(index) for _ in range(ROUNDS)]
    names = ("install from a local index", "plimsoll run, first run written")
    rows = {name: [each[place] for each in found] for place, name in enumerate(names)}
    if "--json" in sys.argv:
        print(json.dumps({**rows, "load": os.getloadavg()}, indent=2))
        return
    for name, times in rows.items():
        print(f"{name:32} {statistics.median(times):6.2f} s  ({min(times):.2f}…{max(times):.2f})")


if __name__ == "__main__":
    main()
