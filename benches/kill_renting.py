"""Kills sessions that rent, with -9, before and after each of their calls: nothing may stay, nor a stranger's thing go.

    python benches/kill_renting.py [--kills 600 [--first 0]] [--seed 7] [--only "several 64 before next"]

The account is moto's, behind the proxy of the tests; `tests/clouds/kills.py` says what is rented, and what ends the
rest. Without `--kills` all points are taken, else so many from the `--first` on, in an order that the seed gives. Every
point that is wrong is printed with the words that repeat it; exit code 1.
"""

from __future__ import annotations

import argparse
import logging
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.clouds import kills  # noqa: E402

REPORT_EVERY = 50


def main(arguments: argparse.Namespace) -> int:
    """Kill at all chosen points; the exit code."""
    logging.getLogger("plimsoll").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory(prefix="plimsoll-kills-") as folder, kills.place(Path(folder)) as place:
        counted = {scenario: kills.calls(place, scenario) for scenario in kills.SCENARIOS}
        print(", ".join(f"{scenario}: {number} calls" for scenario, number in counted.items()), flush=True)
        points = kills.points(counted)
        if arguments.only:
            points = [point for point in points if point.text == arguments.only]
        elif arguments.kills:
            random.Random(arguments.seed).shuffle(points)
            points = points[arguments.first : arguments.first + arguments.kills]
        endings: Counter[str] = Counter()
        bad, begun = 0, time.monotonic()
        for number, point in enumerate(points, 1):
            if wrong := kills.kill(place, point):
                bad += 1
                print(f'--only "{point.text}": {"; ".join(wrong)}', flush=True)
            endings[point.ending] += 1
            if number % REPORT_EVERY == 0:
                print(f"{number} kills, {bad} wrong, {time.monotonic() - begun:,.0f} s", flush=True)
        told = ", ".join(f"{number} {ending}" for ending, number in sorted(endings.items()))
        print(f"{len(points)} kills ({told}): {bad} left something or touched a stranger's")
    return 1 if bad or not points else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, help="so many points that follow from the seed; default: all")
    parser.add_argument("--first", type=int, default=0, help="of these points, so that they can be taken in slices")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--only", help="one point, as it is printed")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main(_arguments()))
