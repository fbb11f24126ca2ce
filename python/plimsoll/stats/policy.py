"""The fixed numbers behind every verdict. Changing one of them means a new `plimsoll.model.POLICY_VERSION`.

`python -m plimsoll.stats.critical_values` regenerates them; METHODOLOGY.md explains them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from plimsoll.errors import UnknownName
from plimsoll.model import POLICY_VERSION
from plimsoll.units import SECOND

ALPHA = 0.05
"""Largest probability of a false verdict in one comparison, over all looks together."""

OLDEST, UNPAIRED_FROM, FACTS_FROM, LEVELS_FROM, PLAN_FROM = 1, 2, 3, 3, 4
"""Versions of these rules that can still be applied.

From 2 on, imported sets that were not interleaved are judged. From 3 on, so are own sessions that were run apart;
cases are told apart by their parameters and places by their facts, a verdict says whether it outlives the correction
for many comparisons and whether it is of a burst, and runs with two levels have no common score. From 4 on looks go on
after 20 blocks, so that an undecided session can be extended; looks after 12 blocks are stricter for it.
"""

DEFAULT_BAND = 0.10
"""Ratios from 1/(1 + band) to 1 + band count as the same."""

RESOLUTION = 0.001
"""Smallest standard error that is believed: equal scores must not create certainty."""

LOOKS = (3, 4, 5, 6, 8, 10, 12, 16, 20)
"""Numbers of blocks after which a verdict may be given: all of them up to version 3, later those of every mode."""

P2, P1 = 0.0058, 0.0071
"""Nominal levels per look: two-sided for the direction, one-sided for each side of sameness."""

SHARES = {16: 0.6, 20: 0.6} | dict.fromkeys((32, 48, 72, 108, 160, 240, 360, 540), 0.08)
"""Looks after more than 12 blocks, and the part of the nominal levels that is spent at each.

What the first twelve blocks leave of ALPHA pays for these. Extending costs little there, because few of the many
degrees of freedom are missing; a session that ends within 12 blocks pays nothing for what it could have become.
"""

SHORT_RUN_NS = SECOND
"""Runs of targets that alternate are short up to here: a mode makes more of their blocks."""

TRIM_FROM = 6
"""With fewer blocks there is nothing to trim: the trimmed mean is the mean."""


def trim_count(blocks: int) -> int:
    """Values cut from each end for the 20 % trimmed mean."""
    return blocks // 5 if blocks >= TRIM_FROM else 0


@dataclass(frozen=True, slots=True)
class Boundary:
    """Critical values at one look: c for the mean, y for the trimmed mean; 2 for direction, 1 for sameness."""

    blocks: int
    c2: float
    y2: float
    c1: float
    y1: float
    share: float = 1.0
    """Part of the nominal levels that is spent here."""

    @property
    def trim(self) -> int:
        """Values cut from each end."""
        return trim_count(self.blocks)

    @property
    def degrees(self) -> int:
        """Degrees of freedom of the mean."""
        return self.blocks - 1

    @property
    def trimmed_degrees(self) -> int:
        """Degrees of freedom of the trimmed mean (Yuen 1974)."""
        return self.blocks - 2 * self.trim - 1


BOUNDARIES = (
    Boundary(3, c2=13.073, y2=13.073, c1=8.302, y1=8.302),
    Boundary(4, c2=7.078, y2=7.078, c1=5.149, y1=5.149),
    Boundary(5, c2=5.372, y2=5.372, c1=4.155, y1=4.155),
    Boundary(6, c2=4.608, y2=7.078, c1=3.686, y1=5.149),
    Boundary(8, c2=3.913, y2=4.608, c1=3.243, y1=3.686),
    Boundary(10, c2=3.594, y2=4.608, c1=3.032, y1=3.686),
    Boundary(12, c2=3.412, y2=3.913, c1=2.910, y1=3.243),
    Boundary(16, c2=3.214, y2=3.594, c1=2.773, y1=3.032),
    Boundary(20, c2=3.107, y2=3.412, c1=2.700, y1=2.910),
)

LATE = (
    Boundary(16, c2=3.463, y2=3.926, c1=3.025, y1=3.350, share=0.6),
    Boundary(20, c2=3.335, y2=3.704, c1=2.934, y1=3.196, share=0.6),
    Boundary(32, c2=3.914, y2=4.220, c1=3.586, y1=3.828, share=0.08),
    Boundary(48, c2=3.764, y2=3.945, c1=3.467, y1=3.611, share=0.08),
    Boundary(72, c2=3.671, y2=3.790, c1=3.392, y1=3.488, share=0.08),
    Boundary(108, c2=3.612, y2=3.688, c1=3.345, y1=3.406, share=0.08),
    Boundary(160, c2=3.575, y2=3.627, c1=3.315, y1=3.357, share=0.08),
    Boundary(240, c2=3.550, y2=3.584, c1=3.294, y1=3.322, share=0.08),
    Boundary(360, c2=3.533, y2=3.555, c1=3.281, y1=3.299, share=0.08),
    Boundary(540, c2=3.522, y2=3.537, c1=3.272, y1=3.284, share=0.08),
)
"""The looks of `SHARES`."""

PLAN = (*(boundary for boundary in BOUNDARIES if boundary.blocks not in SHARES), *LATE)
"""The whole plan of looks, of which a mode uses the beginning and an extension the rest."""

LAST = 540
"""Blocks of the last look: further ones do not count."""

ADJUSTED_LEVELS = (
    (0.000625, 3.5e-5, 3.8e-5),
    (0.001, 6.0e-5, 6.9e-5),
    (0.005, 0.00039, 0.00042),
    (0.01, 0.00085, 0.00098),
    (0.025, 0.00254, 0.00295),
    (0.05, 0.0059, 0.0071),
    (0.1, 0.0141, 0.0176),
    (0.2, 0.0352, 0.0463),
)
"""Rows (α, p2, p1): if nothing is there, the smallest p over all looks is below p2 (p1) with probability α.

A p counts divided by the share of its look. The rows hold for both plans: at 200,000 paths they cannot be told apart.
"""


@dataclass(frozen=True, slots=True)
class Mode:
    """How much certainty is bought. Widths are relative half-widths of 95 % intervals."""

    name: str
    cap: int
    """Blocks at most."""
    short_cap: int
    """Blocks at most of a case whose targets alternate in short runs."""
    verdict_width: float | None
    """Comparisons go on until the interval of the ratio is at most this wide."""
    score_width: float | None
    """Scores of a single target go on until their intervals are at most this wide; None stops at the first look."""
    patient: bool = False
    """Whether it goes on to its cap however many blocks are projected: for an extension, which somebody asked for."""

    def most_blocks(self, runtime_ns: object, *, alternating: bool) -> int:
        """Blocks at most of a case whose runs are so long; what an imported record says may be anything."""
        short = alternating and isinstance(runtime_ns, int) and runtime_ns <= SHORT_RUN_NS
        return self.short_cap if short else self.cap


MODES = {
    "quick": Mode("quick", cap=6, short_cap=12, verdict_width=None, score_width=None),
    "standard": Mode("standard", cap=12, short_cap=20, verdict_width=None, score_width=0.10),
    "publish": Mode("publish", cap=20, short_cap=32, verdict_width=0.10, score_width=0.05),
}
STANDARD = MODES["standard"]


def mode(name: str) -> Mode:
    """The mode of that name."""
    if name not in MODES:
        raise UnknownName("mode", name, MODES)
    return MODES[name]


def plan_of(policy: int = POLICY_VERSION) -> tuple[Boundary, ...]:
    """Every look of the rules of this version, first to last."""
    return PLAN if policy >= PLAN_FROM else BOUNDARIES


def looks_until(blocks: int, policy: int = POLICY_VERSION) -> tuple[Boundary, ...]:
    """The looks that `blocks` blocks allow, first to last."""
    return tuple(boundary for boundary in plan_of(policy) if boundary.blocks <= blocks)


def next_look(blocks: int, policy: int = POLICY_VERSION) -> int | None:
    """The first scheduled number of blocks above `blocks`, or None after the last."""
    return next((boundary.blocks for boundary in plan_of(policy) if boundary.blocks > blocks), None)


def share_of(blocks: int) -> float:
    """The part of the nominal levels that a look after so many blocks may spend."""
    return SHARES.get(blocks, 1.0)


def log_width(relative: float) -> float:
    """A relative half-width as a half-width of a log ratio: 10 % is ln 1.10."""
    return math.log1p(relative)
