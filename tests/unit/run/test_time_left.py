"""The time left is told as one number only where it is known."""

from __future__ import annotations

import pytest

from plimsoll.run.time_left import TimeLeft
from plimsoll.units import MINUTE, SECOND


@pytest.mark.parametrize(
    ("least_ns", "most_ns", "text"),
    [
        (40 * SECOND, 40 * SECOND, "about 40 s left"),
        (40 * SECOND, 46 * SECOND, "about 45 s left"),
        (3.43 * SECOND, 3.43 * SECOND, "about 3 s left"),
        (89 * SECOND, 356 * SECOND, "90 s to 6 min left"),
        (131 * MINUTE, 133 * MINUTE, "about 2 h 10 min left"),
        (40 * SECOND, 300 * SECOND, "40 s to 5 min left"),
        (0, 0, "about 0 s left"),
    ],
)
def test_its_words(least_ns: float, most_ns: float, text: str) -> None:
    assert TimeLeft(least_ns, most_ns).text() == text


def test_time_passes_and_a_bound_holds() -> None:
    left = TimeLeft(MINUTE, 5 * MINUTE)
    assert left.passed(2 * MINUTE) == TimeLeft(0, 3 * MINUTE)
    assert left.within(2 * MINUTE) == TimeLeft(MINUTE, 2 * MINUTE)
    assert left.within(-1) == TimeLeft(0, 0)
