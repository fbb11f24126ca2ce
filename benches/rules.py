"""How often a comparison on this disk is wrong, and after how long: ours, fio by hand, and Phoronix Test Suite's rule.

python -m benches.rules [--directory DIR] [--minutes 30] [--json]

Each round has, in random order: sessions of one file under two names (every claim of a difference is wrong) and of two
depths of it (a claim of the wrong direction is wrong), by Plimsoll as it comes and with one target after the other; and
the same by fio, all runs of one side and then all of the other, from which two rules draw their conclusion: the means
of the first five, and the means of as many as Phoronix Test Suite's rule wants (3 to 12, until the standard deviation
is below 3.5 %). A difference is one beyond 10 %, as for Plimsoll; the time of fio's rules is that of the runs they use.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

PLIMSOLL = str(Path(sys.executable).parent / "plimsoll")
BAND = 1.10
SLOW, FAST = 16, 24
"""Depths of the sides of a real difference."""
RUNS, BY_HAND, ENOUGH = 12, 5, 0.035


@dataclass
class Tally:
    """What one rule has said."""

    answers: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    wrong: int = 0
    seconds: list[float] = field(default_factory=list)

    def add(self, answer: str, seconds: float, *, real: bool) -> None:
        """One conclusion; with a real difference only a wrong direction is wrong."""
        self.answers[answer] += 1
        self.wrong += answer == "worse" if real else answer in ("better", "worse")
        self.seconds.append(seconds)

    def told(self) -> str:
        """As a line."""
        said = ", ".join(f"{answer} {count}" for answer, count in sorted(self.answers.items()))
        return f"{len(self.seconds)}: {said}; wrong {self.wrong}; median {statistics.median(self.seconds):.1f} s"


def by_plimsoll(directory: str, real: bool, *words: str) -> tuple[str, float]:
    """The answer on IOPS of the second target, and how long it took."""
    depths = (SLOW, FAST) if real else (64, 64)
    places = [
        word for name, depth in zip("ab", depths, strict=True) for word in ("--on", f"{name}={directory},depth={depth}")
    ]
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "PLIMSOLL_HOME": home}
        began = time.monotonic()
        command = [PLIMSOLL, "run", "randrw", *places, "--same-place", "--noisy-host", "-q", *words]
        subprocess.run(command, env=environment, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        seconds = time.monotonic() - began
        shown = subprocess.run([PLIMSOLL, "compare", "--json"], env=environment, check=True, capture_output=True)
    answers = {row["metric"]: str(row["answer"]) for row in json.loads(shown.stdout)}
    return answers.get("iops", "unknown"), seconds


def fio(file: Path, depth: int) -> tuple[float, float]:
    """Operations per second of one run, and how long it took."""
    words = ["--name=x", f"--filename={file}", "--rw=randrw", "--rwmixread=75", "--bs=4k", f"--iodepth={depth}"]
    words += ["--ioengine=io_uring", "--direct=1", "--size=1g", "--time_based", "--runtime=2", "--output-format=json"]
    began = time.monotonic()
    done = subprocess.run(["fio", *words], check=True, capture_output=True)
    (job,) = json.loads(done.stdout)["jobs"]
    return job["read"]["iops"] + job["write"]["iops"], time.monotonic() - began


def by_hand(runs: Sequence[float]) -> int:
    """Five, whatever they are."""
    return min(BY_HAND, len(runs))


def by_deviation(runs: Sequence[float]) -> int:
    """As many as it takes until the relative standard deviation is small; one more than there are if it is not yet."""
    for count in range(3, len(runs) + 1):
        if statistics.stdev(runs[:count]) / statistics.mean(runs[:count]) < ENOUGH:
            return count
    return len(runs) + 1


RULES: dict[str, Callable[[Sequence[float]], int]] = {"fio, five runs each": by_hand, "fio, PTS's rule": by_deviation}


def by_fio(file: Path, real: bool, tallies: dict[tuple[str, bool], Tally]) -> None:
    """Both rules on one series of each side."""
    sides: list[list[tuple[float, float]]] = [[], []]
    for side, depth in zip(sides, (SLOW, FAST) if real else (64, 64), strict=True):
        while len(side) < RUNS and (len(side) < BY_HAND or by_deviation([rate for rate, _ in side]) > len(side)):
            side.append(fio(file, depth))
    for name, rule in RULES.items():
        used = [side[: rule([rate for rate, _ in side])] for side in sides]
        one, other = (statistics.mean(rate for rate, _ in side) for side in used)
        answer = "better" if other > BAND * one else "worse" if one > BAND * other else "same"
        tallies[name, real].add(answer, sum(seconds for side in used for _, seconds in side), real=real)


def main() -> int:
    """Rounds until the time is up."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--directory", default=".")
    options.add_argument("--minutes", type=float, default=30)
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    tallies: dict[tuple[str, bool], Tally] = defaultdict(Tally)
    until = time.monotonic() + 60 * chosen.minutes
    blocks = ("--interleave", "blocks", "--set", "runtime=2s", "--set", "warmup=500ms")
    with tempfile.TemporaryDirectory(dir=chosen.directory) as place:
        file = Path(place) / "fio"
        fio(file, 1)

        def plimsoll(name: str, real: bool, *words: str) -> None:
            tallies[name, real].add(*by_plimsoll(place, real, *words), real=real)

        work: list[Callable[[], None]] = [
            *(lambda real=real: plimsoll("Plimsoll", real) for real in (False, False, True)),  # type: ignore[misc]
            *(lambda real=real: plimsoll("Plimsoll, blocks", real, *blocks) for real in (False,)),  # type: ignore[misc]
            *(lambda real=real: by_fio(file, real, tallies) for real in (False, True)),  # type: ignore[misc]
        ]
        while time.monotonic() < until:
            for each in random.sample(work, len(work)):
                if time.monotonic() < until:
                    each()
            print(
                *(f"{name}{', real' * real}: {each.told()}" for (name, real), each in sorted(tallies.items())),
                sep="\n",
                file=sys.stderr,
                flush=True,
            )
            print(file=sys.stderr)
    if chosen.json:
        print(json.dumps([{"rule": name, "real": real, **vars(each)} for (name, real), each in tallies.items()]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
