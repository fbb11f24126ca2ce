"""What one target takes from the next slice of another is no speed: verdicts must hold after own slices, too."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benches.slices import PLACES, Place, verdict

from plimsoll.stats.after_own import certain, still_certain
from plimsoll.stats.carryover import Neighbours, neighbours_in
from plimsoll.stats.paired import Pair, after_own
from plimsoll.stats.policy import MODES
from plimsoll.stats.verdict import Answer, StopReason, judge

QUICK = MODES["quick"]
BAND = math.log(1.10)


def near(centre: float, count: int, noise: float = 0.005, seed: int = 1) -> list[float]:
    return (math.log(centre) + np.random.default_rng(seed).normal(0, noise, count)).tolist()


def test_whole_blocks_are_not_asked() -> None:
    faster = judge(near(1.5, 4), mode=QUICK)
    assert still_certain(faster, [], QUICK) is faster


def in_turn(differences: list[float], neighbours: list[Neighbours | None]) -> list[Pair]:
    """The blocks of one session; `neighbours` are those of the other target, none of a whole block."""
    still = Neighbours(0.0, 0.0)
    return [
        Pair("s", block, 1.0, math.exp(each), each, True, (None if own is None else still, own))
        for block, (each, own) in enumerate(zip(differences, neighbours, strict=True))
    ]


def test_blocks_after_slices_were_given_up_count_as_they_are() -> None:
    """Before: two blocks in slices withheld the answer of a session for ever, for two are too few to be certain of.

    "not enough data: many is 10.4× as fast as one (9.5…11.3) after 12 blocks; about 4 more blocks", again and again.
    """
    differences = near(1.5, 8)
    slower = Neighbours(0.1, -0.1)
    mixed = after_own(in_turn(differences, [slower, slower, *[None] * 6]))
    assert mixed == pytest.approx([each - 0.1 for each in differences[:2]] + differences[2:])
    verdict = judge(differences, mode=QUICK)
    assert still_certain(verdict, mixed, QUICK).answer is Answer.BETTER
    # Those in slices are still held against their neighbours, and whole ones are asked nothing.
    assert after_own(in_turn(differences, [slower] * 8)) == pytest.approx([each - 0.1 for each in differences])
    assert after_own(in_turn(differences, [None] * 8)) == []


def test_slices_without_an_operation_tell_nothing() -> None:
    unknown = neighbours_in({"slices": {"after_other": None, "after_own": None}})
    assert unknown is not None
    differences = near(1.5, 4)
    told = Neighbours(0.0, 0.0)
    assert after_own(in_turn(differences, [unknown, told, told, None])) == pytest.approx(differences[1:])
    assert neighbours_in({"slices": {"shared_by": 2}}) is None, "made before anybody looked"


@pytest.mark.parametrize("centre", [0.5, 1.0, 1.5])
def test_what_holds_after_own_slices_stays(centre: float) -> None:
    verdict = judge(near(centre, 4), mode=QUICK)
    kept = still_certain(verdict, near(centre, 4, seed=2), QUICK)
    assert kept.answer is verdict.answer
    assert kept.stop is StopReason.DECIDED


@pytest.mark.parametrize(("centre", "own"), [(1.2, 1.0), (0.8, 1.0), (1.0, 1.2), (1.3, 0.8)])
def test_what_does_not_is_open_until_the_next_look(centre: float, own: float) -> None:
    verdict = judge(near(centre, 4), mode=QUICK)
    kept = still_certain(verdict, near(own, 4, 0.01, seed=2), QUICK)
    assert verdict.decided
    assert (kept.answer, kept.stop, kept.blocks_needed) == (Answer.UNKNOWN, None, 5)
    assert (kept.p_direction, kept.p_same) == (1.0, 1.0), "it takes no part in the correction for many comparisons"
    assert kept.ratio == verdict.ratio


def test_at_the_limit_it_stays_open() -> None:
    kept = still_certain(judge(near(1.2, 6), mode=QUICK), near(1.0, 6, 0.01), QUICK)
    assert (kept.answer, kept.stop, kept.blocks_needed) == (Answer.UNKNOWN, StopReason.CAP, 8)
    last = still_certain(judge(near(1.2, 540), mode=QUICK), near(1.0, 540, 0.01), QUICK)
    assert (last.stop, last.blocks_needed) == (StopReason.CAP, 541)


def test_a_direction_inside_the_band_needs_its_own_certainty() -> None:
    verdict = judge(near(1.03, 6, 0.002), mode=QUICK)
    assert (verdict.answer, verdict.ahead) == (Answer.SAME, 1)
    kept = still_certain(verdict, near(1.0, 6, 0.01), QUICK)
    assert (kept.answer, kept.ahead) == (Answer.SAME, 0)


def test_certainty_of_a_few() -> None:
    assert certain([0.5, 0.5], BAND) == (0, False), "two blocks are none"
    assert certain([0.2, 0.21, 0.19], BAND) == (1, False)
    assert certain([-0.2, -0.21, -0.19], BAND) == (-1, False)
    assert certain([0.001, -0.001, 0.0], BAND) == (0, True)
    assert certain([0.02, 0.021, 0.019], BAND) == (1, True)
    assert certain([0.3, -0.3, 0.1, 0.0], BAND) == (0, False)
    assert certain([0.0] * 9 + [5.0], BAND) == (0, True), "one block is far from the others"


def test_late_looks_spend_as_little_of_it_as_of_all_levels() -> None:
    differences = [0.1] * 9 + [-0.02] * 7
    assert certain(differences, BAND) == (1, True)
    assert certain(differences, BAND, 0.08) == (0, False)


def _false(place: Place, truth: float, *, after_own: bool) -> int:
    """Of 40 simulated sessions in turns as they are really taken, how many end with what is not so."""
    random = np.random.default_rng(7)
    ends = [verdict(place, math.log(truth), random, after_own=after_own) for _ in range(40)]
    same = abs(math.log(truth)) < BAND - 1e-12
    return sum(
        not same if end.answer is Answer.SAME else end.decided and end.ahead * math.log(truth) <= 0 for end in ends
    )


def test_one_sided_leftovers_would_be_called_speed_and_are_not() -> None:
    lossy = next(place for place in PLACES if place.lost == (0.0, 0.10))
    assert _false(lossy, 1.10, after_own=False) > 8
    assert _false(lossy, 1.10, after_own=True) <= 5


@pytest.mark.parametrize("period_ms", [125, 250, 500])
def test_what_beats_in_step_with_the_slices_favours_nobody(period_ms: int) -> None:
    place = next(place for place in PLACES if place.name == f"−33 % every {period_ms} ms")
    assert _false(place, 1.0, after_own=True) <= 4
