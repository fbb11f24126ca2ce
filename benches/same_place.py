"""A/A: one directory under two names, again and again. Every answer but "same" or "not enough data" is a false one.

python benches/same_place.py [--directory DIR] [--sessions 20] [--tests randread,commit] [--runtime 2s] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

PLIMSOLL = str(Path(sys.executable).parent / "plimsoll")


def session(directory: str, tests: list[str], runtime: str, home: str) -> list[dict[str, object]]:
    """The verdicts of one A/A session in mode standard."""
    environment = {**os.environ, "PLIMSOLL_HOME": home}
    places = ["--on", f"a={directory}", "--on", f"b={directory}", "--same-place", "--noisy-host"]
    settings = ["--set", f"runtime={runtime}", "--set", "warmup=300ms", "--set", "size=256MiB"]
    subprocess.run(
        [PLIMSOLL, "run", *tests, *places, *settings, "--mode", "standard", "-q"],
        env=environment, check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    shown = subprocess.run([PLIMSOLL, "compare", "--json"], env=environment, check=True, capture_output=True, text=True)
    rows: list[dict[str, object]] = json.loads(shown.stdout)
    return rows


def main() -> int:
    """Run the sessions and count the answers; 1 if any of them claims a difference."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--directory", default=".")
    options.add_argument("--sessions", type=int, default=20)
    options.add_argument("--tests", default="randread,commit")
    options.add_argument("--runtime", default="2s")
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    counts: dict[str, Counter[str]] = {}
    with tempfile.TemporaryDirectory() as home:
        for number in range(chosen.sessions):
            for row in session(chosen.directory, chosen.tests.split(","), chosen.runtime, home):
                counts.setdefault(f"{row['test']}, {row['metric']}", Counter())[str(row["answer"])] += 1
                print(f"{number + 1:3} {row['test']}, {row['metric']}: {row['sentence']}", file=sys.stderr)
    if chosen.json:
        print(json.dumps(counts, indent=2))
    else:
        for name, answers in counts.items():
            print(f"{name:28} " + ", ".join(f"{answer} {count}" for answer, count in sorted(answers.items())))
    return 1 if any(answers["better"] or answers["worse"] for answers in counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
