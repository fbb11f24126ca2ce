"""Regenerates the critical values of `policy` by simulation: `python -m plimsoll.stats.critical_values`.

Under "nothing is there" many paths of standard normal differences are drawn; along each path the smallest nominal p
over all looks and both estimators is taken; its 5 % quantile is the nominal level that may be spent at every look.
Monte-Carlo error with 400,000 paths: about 2 % of the level.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from plimsoll.stats.looks import estimate
from plimsoll.stats.policy import ADJUSTED_LEVELS, ALPHA, BOUNDARIES, LOOKS, SHARES, Boundary, trim_count
from plimsoll.stats.student_t import FloatArray, quantile, upper_tail

PATHS = 400_000
CHUNK = 50_000


@dataclass(frozen=True, slots=True)
class Smallest:
    """The smallest nominal p of each simulated path, two-sided and one-sided, sorted."""

    two_sided: FloatArray
    one_sided: FloatArray

    def levels(self, alpha: float) -> tuple[float, float]:
        """Nominal levels (p2, p1) that are undercut on a share `alpha` of the paths."""
        return float(np.quantile(self.two_sided, alpha)), float(np.quantile(self.one_sided, alpha))


def simulate(paths: int, seed: int, plan: tuple[Boundary, ...] = BOUNDARIES) -> Smallest:
    """`paths` series of standard normal differences, looked at on schedule; a p counts divided by its share."""
    random = np.random.default_rng(seed)
    two_sided, one_sided = [], []
    length = plan[-1].blocks
    chunk = CHUNK * LOOKS[-1] // length
    for start in range(0, paths, chunk):
        both = _smallest(random.standard_normal((min(chunk, paths - start), length)), plan)
        two_sided.append(both[0])
        one_sided.append(both[1])
    return Smallest(np.sort(np.concatenate(two_sided)), np.sort(np.concatenate(one_sided)))


def _smallest(differences: FloatArray, plan: tuple[Boundary, ...]) -> tuple[FloatArray, FloatArray]:
    two_sided = np.ones(len(differences))
    one_sided = np.ones(len(differences))
    for boundary in plan:
        found = estimate(differences[:, : boundary.blocks])
        for value, degrees in (
            (found.mean / found.mean_error, boundary.degrees),
            (found.trimmed / found.trimmed_error, boundary.trimmed_degrees),
        ):
            tail = upper_tail(value, degrees)
            one_sided = np.minimum(one_sided, tail / boundary.share)
            two_sided = np.minimum(two_sided, 2.0 * np.minimum(tail, 1.0 - tail) / boundary.share)
    return two_sided, one_sided


def boundaries(p2: float, p1: float) -> tuple[Boundary, ...]:
    """The critical values of every look for nominal levels p2 (two-sided) and p1 (one-sided), to 3 decimals."""

    return tuple(_boundary(blocks, p2, p1, 1.0) for blocks in LOOKS)


def late_boundaries(p2: float, p1: float) -> tuple[Boundary, ...]:
    """The same for the looks of `policy.SHARES`, at which only a part of the levels is spent."""
    return tuple(_boundary(blocks, p2, p1, share) for blocks, share in SHARES.items())


def _boundary(blocks: int, p2: float, p1: float, share: float) -> Boundary:
    full, trimmed = blocks - 1, blocks - 2 * trim_count(blocks) - 1
    two, one = p2 * share / 2, p1 * share
    c2, y2, c1, y1 = (round(quantile(1.0 - p, degrees), 3) for p in (two, one) for degrees in (full, trimmed))
    return Boundary(blocks, c2, y2, c1, y1, share)


def main() -> None:
    """Prints the constants of `policy` as Python."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--paths", type=int, default=PATHS)
    parser.add_argument("--seed", type=int, default=4242)
    arguments = parser.parse_args()
    smallest = simulate(arguments.paths, arguments.seed)
    p2, p1 = (round(level, 4) for level in smallest.levels(ALPHA))
    print(f"P2, P1 = {p2}, {p1}\nBOUNDARIES = (")
    for row in boundaries(p2, p1):
        print(f"    Boundary({row.blocks}, c2={row.c2:.3f}, y2={row.y2:.3f}, c1={row.c1:.3f}, y1={row.y1:.3f}),")
    print(")\nLATE = (")
    for row in late_boundaries(p2, p1):
        levels = f"c2={row.c2:.3f}, y2={row.y2:.3f}, c1={row.c1:.3f}, y1={row.y1:.3f}"
        print(f"    Boundary({row.blocks}, {levels}, share={row.share}),")
    print(")\nADJUSTED_LEVELS = (")
    for alpha, _, _ in ADJUSTED_LEVELS:
        level2, level1 = smallest.levels(alpha)
        print(f"    ({alpha}, {level2:.2g}, {level1:.2g}),")
    print(")")


if __name__ == "__main__":
    main()
