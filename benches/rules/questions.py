"""What is asked on this disk, and which answers would be wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

SAME, SLOWER, NOT_SLOWER, NOBODY_KNOWS = "same", "slower", "not slower", "nobody knows"
"""What the second side of a question really is."""

WRONG: Mapping[str, frozenset[str]] = {
    SAME: frozenset({"better", "worse"}),
    SLOWER: frozenset({"better", "same"}),
    NOT_SLOWER: frozenset({"worse"}),
    NOBODY_KNOWS: frozenset(),
}
"""The answers that are false."""


@dataclass(frozen=True)
class Question:
    """Two sides of one test."""

    name: str
    title: str
    truth: str
    band: float
    """Where a difference is really there, well below it, so that "same" is false."""
    wanted: Mapping[str, int]
    """Sessions of each way."""
    mode: str = "standard"
    test: str = "randrw"
    both: Mapping[str, str] = field(default_factory=dict)
    """Parameters of either side."""
    sides: Sequence[Mapping[str, str]] = ({}, {})
    """Parameters of one side each."""
    slower: Sequence[float] = ()
    """Each side lies on a served volume whose answers take this many times as long as the type's."""

    def parameters(self, side: int) -> dict[str, str]:
        """Of one side."""
        return {**self.both, **self.sides[side]}


_EXTENDED = {"slices-on": 10, "blocks-on": 10, "long-on": 3}
_SAME = {"slices": 60, "blocks": 60, "fio": 20, **_EXTENDED}
_REAL = {"slices": 20, "blocks": 10, "fio": 10, **_EXTENDED}
BASE = 8.0
"""Makes the latency of a served disk about 1.5 ms, beside which that of this disk and of the way there is small."""


def _served(percent: int, band: float) -> Question:
    return Question(
        name=f"served-{percent}",
        title=f"served volume, latency +{percent} %",
        truth=SLOWER,
        band=band,
        wanted=_REAL,
        test="randread",
        both={"depth": "4", "size": "256MiB"},
        slower=(BASE, BASE * (1 + percent / 100)),
    )


def _depths(one: int, other: int, band: float) -> Question:
    return Question(
        name=f"depth-{one}-{other}",
        title=f"depth {other} against {one}",
        truth=NOT_SLOWER,
        band=band,
        wanted=_REAL,
        sides=({"depth": str(one)}, {"depth": str(other)}),
    )


QUESTIONS = {
    each.name: each
    for each in (
        Question("aa", "one file under two names", SAME, 0.10, _SAME, mode="quick"),
        _served(5, 0.02),
        _served(10, 0.05),
        _served(20, 0.10),
        _depths(8, 9, 0.03),
        _depths(16, 20, 0.05),
        Question(
            "engines",
            "libaio against io_uring",
            NOBODY_KNOWS,
            0.03,
            _REAL,
            both={"depth": "16"},
            sides=({"engine": "io_uring"}, {"engine": "libaio"}),
        ),
    )
}
