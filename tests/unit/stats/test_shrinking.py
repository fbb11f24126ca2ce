"""How sure a comparison was at each look, and when it will be as sure as is wanted."""

from __future__ import annotations

import math
import random

import pytest

from plimsoll.model import RunStatus
from plimsoll.stats.carryover import Neighbours
from plimsoll.stats.paired import Cell, ScoreRow, cells
from plimsoll.stats.policy import PLAN
from plimsoll.stats.shrinking import at_each_look, blocks_until, noise_of
from plimsoll.stats.verdict import Answer, judge


def compared(differences: list[float], other: Neighbours | None = None) -> Cell:
    """A comparison with these log ratios."""
    rows = []
    for block, difference in enumerate(differences):
        for name, value in (("a", 100.0), ("b", 100.0 * math.exp(difference))):
            ok = RunStatus.OK.value
            around = None if other is None else Neighbours(0.0, 0.0) if name == "a" else other
            rows.append(
                ScoreRow("s", "randread", "iops", "1/s", "higher", name, block, 0, 0, ok, value, "p", None, around)
            )
    (found,) = cells(rows, "a")
    return found


def test_the_last_look_is_the_verdict_and_earlier_ones_are_those_of_its_first_blocks() -> None:
    chance = random.Random(1)
    cell = compared([chance.gauss(0.02, 0.06) for _ in range(9)])
    looks = at_each_look(cell)
    assert [each.blocks_used for each in looks] == [3, 4, 5, 6, 8]
    assert (looks[-1].low, looks[-1].high) == (cell.verdict.low, cell.verdict.high)
    first = judge([pair.difference for pair in cell.pairs[:3]])
    assert (looks[0].low, looks[0].high) == (first.low, first.high)


def test_too_few_blocks_have_no_look() -> None:
    assert at_each_look(compared([0.1, 0.1])) == []


def test_no_look_has_an_answer_that_slices_after_own_ones_withhold() -> None:
    clear = [0.30, 0.31, 0.29, 0.30]
    assert at_each_look(compared(clear))[-1].answer is Answer.BETTER
    # Right after an own slice the other target is no faster: all of the difference is what the other one leaves behind.
    gone = Neighbours(after_other=0.3, after_own=-0.3)
    assert {each.answer for each in at_each_look(compared(clear, gone))} == {Answer.UNKNOWN}


@pytest.mark.parametrize("noise", [0.02, 0.05])
def test_the_expected_look_is_the_usual_one(noise: float) -> None:
    chance = random.Random(7)
    said = blocks_until(noise, 0.10)
    assert said is not None
    taken = []
    for _ in range(300):
        found = [chance.gauss(0, noise) for _ in range(32)]
        looks = (look.blocks for look in PLAN if judge(found[: look.blocks]).half_width <= math.log(1.10))
        taken.append(next(looks))
    usual = sorted(taken)[len(taken) // 2]
    near = [look.blocks for look in PLAN]
    assert abs(near.index(usual) - near.index(said)) <= 1


def test_what_no_look_reaches_is_not_promised() -> None:
    assert blocks_until(3.0, 0.03) is None
    assert noise_of([0.1, 0.2]) is None
    assert blocks_until(0.0, 0.10) == 3
