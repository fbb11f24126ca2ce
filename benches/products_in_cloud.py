"""Rents two products from the emulated cloud again and again: how often a product's interval covers the truth.

    python benches/products_in_cloud.py [--repetitions 20] [--jobs 3] [--minutes M] [--seed 7] [--results FILE]

Each repetition is one `plimsoll run randread --on gp3=aws:gp3,… --on gp2=aws:gp2,… --allocations 5` with a store of its
own. What a rented volume really gives is drawn for each allocation: 5 % (log-normal) around its product's rate, which
nobody but this program knows. The rates are low, so that any machine reaches them. Every second repetition has equal
products. What FILE has already is not done again. Exit code 1: fewer than 85 % are covered, a verdict is wrong, or
something is left.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.clouds.emulated import Emulated, emulated  # noqa: E402

SPREAD = 0.05
"""Standard deviation of the logarithm of a volume's rate between allocations."""
RATE_IOPS = 400.0
"""What gp3 gives, whatever it is sold with."""
RATIOS = (1.0, 1.3)
"""What gp2 gives in terms of that, in turn."""
SIZES = {"gp3": 20, "gp2": 1000}
"""GiB, and one more in each further repetition: from its size a volume's repetition is known."""
BAND = 0.10
ENOUGH = 0.85
BRIEF = ("size=16MiB", "runtime=1s", "warmup=1s", "depth=4")
TERMS = ("--instance", "m7i.xlarge", "--repeats", "3", "--allocations", "5", "--budget", "5USD", "--noisy-host", "-q")


@dataclass(frozen=True)
class Result:
    """One repetition."""

    repetition: int
    seed: int
    truth: float
    ratio: float
    low: float
    high: float
    between: float | None
    answer: str
    allocations: int
    took_s: float

    @property
    def covered(self) -> bool:
        """Whether the interval has the truth."""
        return self.low <= self.truth <= self.high

    @property
    def verdict(self) -> str:
        """Right, wrong or undecided."""
        if self.answer == "unknown":
            return "undecided"
        true = "same" if abs(math.log(self.truth)) <= math.log(1 + BAND) else "better"
        return "right" if self.answer == true else "wrong"

    @property
    def text(self) -> str:
        """A line of progress."""
        held = "covers" if self.covered else "MISSES"
        return (
            f"repetition {self.repetition}: {self.low:.3g}…{self.high:.3g} {held} {self.truth:g}, {self.verdict}, "
            f"{self.allocations} allocations, {self.took_s:,.0f} s"
        )


class Rates:
    """What the next allocation of each volume gives: the same in every run of a seed."""

    def __init__(self, seed: int) -> None:
        self._seed, self._seen, self._lock = seed, Counter[tuple[str, str]](), threading.Lock()

    def __call__(self, shape: dict[str, str]) -> dict[str, str]:
        """The volume that is got for the one that was rented."""
        kind, size = shape["type"], shape["size"]
        with self._lock:
            number = self._seen[kind, size]
            self._seen[kind, size] += 1
        repetition = int(size.removesuffix("GiB")) - SIZES[kind]
        rate = RATE_IOPS * (truth(repetition) if kind == "gp2" else 1)
        rate *= random.Random(f"{self._seed} {kind} {repetition} {number}").lognormvariate(0, SPREAD)
        return {**shape, "model": f"iops:{rate:.0f}"}


def truth(repetition: int) -> float:
    """How many times as fast as gp3 gp2 is."""
    return RATIOS[repetition % len(RATIOS)]


def repeat(cloud: Emulated, repetition: int, seed: int, folder: Path, deadline: float) -> Result | None:
    """One: from the command line to the comparison of products; None where it is too late to begin."""
    if (begun := time.monotonic()) > deadline:
        return None
    own = cloud.at_home(folder / f"repetition-{repetition}")
    sizes = {kind: f"{size + repetition}GiB" for kind, size in SIZES.items()}
    targets = [word for kind, size in sizes.items() for word in ("--on", f"{kind}=aws:{kind},size={size}")]
    own.plimsoll("run", "randread", *targets, *(word for each in BRIEF for word in ("--set", each)), *TERMS)
    took_s = time.monotonic() - begun
    sessions = [row["session"] for row in json.loads(own.plimsoll("list", "sessions", "--json"))]
    rows = json.loads(own.plimsoll("compare", "--products", *sessions, "--json"))
    row = next(row for row in rows if row["metric"] == "iops")
    return Result(
        repetition, seed, truth(repetition), row["ratio"], row["ratio_low"], row["ratio_high"], row["between"],
        row["answer"], row["allocations"], took_s,
    )  # fmt: skip


def main(arguments: argparse.Namespace) -> int:
    """All that are not done yet; the exit code."""
    done, deadline = _read(arguments.results, arguments.seed), time.monotonic() + 60 * arguments.minutes
    todo = [each for each in range(arguments.repetitions) if each not in {one.repetition for one in done}]
    begun, new = time.monotonic(), 0
    with (
        tempfile.TemporaryDirectory(prefix="plimsoll-products-") as name,
        emulated(Path(name), ROOT / "target" / "wheelhouses", Rates(arguments.seed)) as cloud,
        ThreadPoolExecutor(arguments.jobs) as pool,
    ):
        futures = [pool.submit(repeat, cloud, each, arguments.seed, Path(name), deadline) for each in todo]
        try:
            for future in as_completed(futures):
                if (result := future.result()) is None:
                    continue
                done.append(result)
                new += 1
                with arguments.results.open("a") as file:
                    file.write(json.dumps(asdict(result)) + "\n")
                left_s = (time.monotonic() - begun) / new * (len(todo) - new)
                print(f"{result.text}; {new} of {len(todo)}, about {left_s / 60:,.0f} min left", flush=True)
        finally:
            # After Ctrl-C commands give back what they have; no other begins.
            pool.shutdown(cancel_futures=True)
        left = cloud.left()
    return _told(done, left)


def _told(done: list[Result], left: list[str]) -> int:
    covered, verdicts = sum(each.covered for each in done), Counter(each.verdict for each in done)
    allocations = sum(each.allocations for each in done)
    print(
        f"{len(done)} repetitions, {allocations} allocations of {sum(each.took_s for each in done) / allocations:,.0f} "
        f"s each: the truth is covered in {covered}; verdicts: {verdicts['right']} right, {verdicts['undecided']} "
        f"undecided, {verdicts['wrong']} wrong; left over: {', '.join(left) or 'nothing'}"
    )
    return int(covered < ENOUGH * len(done) or bool(verdicts["wrong"]) or bool(left))


def _read(results: Path, seed: int) -> list[Result]:
    results.parent.mkdir(parents=True, exist_ok=True)
    lines = results.read_text().splitlines() if results.exists() else []
    return [each for each in (Result(**json.loads(line)) for line in lines) if each.seed == seed]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=3, help="so many at a time; default: 3")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin none after so many; default: no limit")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--results", type=Path, default=ROOT / "target" / "products_in_cloud.jsonl", metavar="FILE")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main(_arguments()))
