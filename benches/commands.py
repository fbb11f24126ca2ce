"""How long commands take: `--help`, `compare` over ten thousand stored runs; and the library: its import, and a table
of ten thousand runs. Prints medians and spread.

python benches/commands.py [--json]
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

PLIMSOLL = str(Path(sys.executable).parent / "plimsoll")
REPEATS = 15


def timed(*words: str, repeats: int = REPEATS) -> list[float]:
    """Seconds of each of `repeats` executions, after one that fills the caches."""
    found = []
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        found.append(time.perf_counter() - start)
    return found


def fill_store(runs: int) -> str:
    """A store with so many runs in one session; returns its title."""
    from tests.factories import make_study, many_cases

    from plimsoll.store.opening import open_store

    targets = [f"t{number}" for number in range(5)]
    cases = many_cases(runs // (5 * 20))
    session, records = make_study(targets=targets, cases=cases, blocks=20, seed=1)
    with open_store() as store:
        store.add_session(session)
        for record in records:
            store.add_run(record)
    assert len(records) == runs
    return session.id


def tables(session: str) -> list[float]:
    """Seconds that the table of all scores of a loaded session takes."""
    import plimsoll

    loaded, found = plimsoll.load(session), []
    loaded.to_pandas()  # pandas itself is loaded
    for _ in range(7):
        start = time.perf_counter()
        loaded.to_pandas()
        found.append(time.perf_counter() - start)
    return found


def peak_memory(runtime: str) -> float:
    """Peak resident MiB of a session with one run of this length, at as many operations per second as can be."""
    code = f"""
import resource, subprocess, sys
subprocess.run([{PLIMSOLL!r}, "run", "randread", "--on", "null=.", "--set", "engine=null", "--set", "direct=no",
                "--set", "runtime={runtime}", "--blocks", "1", "-q"],
               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
"""
    return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["PLIMSOLL_HOME"] = home
        os.environ.pop("PLIMSOLL_STORE", None)
        # As an installed package: compiled once, whatever this environment says.
        os.environ["PYTHONPYCACHEPREFIX"] = str(Path(home) / "bytecode")
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        rows = {
            "python -c pass": timed(sys.executable, "-c", "pass"),
            "plimsoll --help": timed(PLIMSOLL, "--help"),
            "import plimsoll, with Python": timed(sys.executable, "-c", "import plimsoll"),
        }
        session = fill_store(10_000)
        rows["plimsoll compare, 10,000 runs"] = timed(PLIMSOLL, "compare", session, repeats=7)
        rows["Session.to_pandas, 10,000 runs"] = tables(session)
        memory = {runtime: peak_memory(runtime) for runtime in ("2s", "20s", "60s")}
    table: dict[str, dict[str, float]] = {
        name: {"median_s": statistics.median(times), "low_s": min(times), "high_s": max(times)}
        for name, times in rows.items()
    }
    if "--json" in sys.argv:
        print(json.dumps({**table, "peak_memory_mib": memory}, indent=2))
        return
    for name, row in table.items():
        print(f"{name:32} {row['median_s']:6.3f} s  ({row['low_s']:.3f}…{row['high_s']:.3f})")
    for runtime, peak_mib in memory.items():
        print(f"{f'peak memory of a {runtime} run':32} {peak_mib:6.1f} MiB")


if __name__ == "__main__":
    main()
