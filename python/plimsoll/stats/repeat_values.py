"""Regenerates the critical values of `repeats` by simulation: `python -m plimsoll.stats.repeat_values`.

Independent values are drawn from a normal, a uniform and a heavy-tailed (Student t, 3 degrees of freedom) distribution;
the value that each statistic exceeds with probability 1 % is taken for each of them, and the largest counts. So a
statement about repeated runs is false at most once in a hundred series whatever of these their noise is like.
"""

from __future__ import annotations

import argparse

import numpy as np

from plimsoll.stats.repeats import LEVEL, SIZES, serial_share, split_share
from plimsoll.stats.student_t import FloatArray

SERIES = 200_000
CHUNK = 20_000


def simulate(size: int, series: int, seed: int) -> tuple[float, float, float]:
    """Critical values for series of `size` values: share of a step, share of two groups, serial share."""
    rows = []
    for law in range(3):
        random = np.random.default_rng((seed, size, law))
        found: list[list[FloatArray]] = [[], [], []]
        for start in range(0, series, CHUNK):
            shape = (min(CHUNK, series - start), size)
            drawn = (random.standard_normal(shape), random.random(shape), random.standard_t(3, shape))[law]
            for values, share in zip(found, _shares(drawn), strict=True):
                values.append(share)
        levels = (1 - LEVEL, 1 - LEVEL, LEVEL)
        rows.append([float(np.quantile(np.concatenate(each), at)) for each, at in zip(found, levels, strict=True)])
    steps, groups, serials = zip(*rows, strict=True)
    return max(steps), max(groups), min(serials)


def _shares(drawn: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    return split_share(drawn)[0], split_share(np.sort(drawn, axis=1))[0], serial_share(drawn)


def main() -> None:
    """Prints the constants of `repeats` as Python."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--series", type=int, default=SERIES)
    parser.add_argument("--seed", type=int, default=4242)
    arguments = parser.parse_args()
    print("CRITICAL = {")
    for size in SIZES:
        step, groups, serial = simulate(size, arguments.series, arguments.seed)
        print(f"    {size}: Critical(step={step:.4f}, groups={groups:.4f}, serial={serial:.4f}),")
    print("}")


if __name__ == "__main__":
    main()
