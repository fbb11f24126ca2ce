"""Means with a spread and without their runs: what may be claimed, and what must not be."""

from __future__ import annotations

import math

import numpy as np
import pytest

from plimsoll.model import Direction
from plimsoll.stats.paired import Cell, ScoreRow, cells
from plimsoll.stats.sentences import sentence
from plimsoll.stats.stated import ASSUMPTION, REACH, Stated, judge_stated, stated_in
from plimsoll.stats.verdict import Answer


def judged(a: Stated, b: Stated, direction: Direction = "lower") -> tuple[Answer, str]:
    verdict, apart = judge_stated(a, b, band=0.10, direction=direction)
    return verdict.answer, apart.stated


def test_ranges_that_touch_are_no_difference() -> None:
    assert judged(Stated(1234.69, 286.56), Stated(1469.18, 2.64)) == (Answer.UNKNOWN, "touch")
    assert judged(Stated(100, 1), Stated(100 + 2 * REACH - 0.01, 1)) == (Answer.UNKNOWN, "touch")


def test_ranges_apart_are_a_difference_in_the_right_direction() -> None:
    assert judged(Stated(156.35, 3.04), Stated(75.76, 0.52)) == (Answer.BETTER, "ranges")
    assert judged(Stated(156.35, 3.04), Stated(75.76, 0.52), "higher") == (Answer.WORSE, "ranges")


def test_nothing_is_the_same_and_nothing_inside_the_band_differs_without_the_number_of_runs() -> None:
    assert judged(Stated(100, 0.01), Stated(100, 0.01)) == (Answer.UNKNOWN, "touch")
    assert judged(Stated(100, 0.01), Stated(104, 0.01)) == (Answer.UNKNOWN, "inside")


def test_with_the_number_of_runs_both_claims_are_made() -> None:
    assert judged(Stated(100, 1, 10), Stated(100.5, 1, 10)) == (Answer.SAME, "known")
    assert judged(Stated(100, 1, 10), Stated(150, 1, 10)) == (Answer.WORSE, "known")
    assert judged(Stated(100, 1, 2), Stated(150, 1, 10)) == (Answer.UNKNOWN, "known")
    assert judged(Stated(100, 40, 3), Stated(150, 40, 3)) == (Answer.UNKNOWN, "known")


def test_one_number_of_two_is_not_enough() -> None:
    assert judged(Stated(100, 0.1, 10), Stated(100, 0.1)) == (Answer.UNKNOWN, "touch")


def test_a_standard_error_is_that_of_three_runs_at_least() -> None:
    assert judged(Stated(100, 3), Stated(120, 1)) == (Answer.WORSE, "ranges")
    assert judged(Stated(100, 3, of_mean=True), Stated(120, 3, of_mean=True)) == (Answer.UNKNOWN, "touch")
    assert Stated(1, 2, 9, of_mean=True).deviation == 6


def test_a_spread_wider_than_its_mean_claims_nothing() -> None:
    assert judged(Stated(100, 90), Stated(1000, 1)) == (Answer.WORSE, "ranges")
    assert judged(Stated(1000, 1), Stated(100, 900)) == (Answer.UNKNOWN, "touch")


@pytest.mark.parametrize("other", [1.0, 0.3, 0.0])
def test_at_most_one_claim_in_twenty_is_false(other: float) -> None:
    rng = np.random.default_rng(20)
    draws = 4000
    sets = [100 + noise * rng.standard_normal((draws, 3)) for noise in (1.0, other)]
    means, spreads = ([each.mean(1) for each in sets], [each.std(1, ddof=1) for each in sets])
    apart = np.abs(means[0] - means[1]) > REACH * (spreads[0] + spreads[1])
    # 4.94 % is the exact value of the worst case; three standard errors of 4,000 draws are 1 %.
    assert apart.mean() <= 0.0494 + 0.01


def row(target: str, mean: float, stated: Stated | None) -> ScoreRow:
    return ScoreRow("s", "c", "time", "ns", "lower", target, 0 if target == "a" else 1, 0, 0, "ok", mean, "p", stated)


def compared(a: Stated | None, b: Stated | None, *, policy: int = 3) -> Cell:
    rows = [row("a", 1e9, a), row("b", 2e9, b)]
    (cell,) = cells(rows, "a", apart={"s": False}, policy=policy)
    return cell


def test_sentences() -> None:
    told = sentence(compared(Stated(1e9, 1e7), Stated(2e9, 1e7)))
    assert told == "b is 2.00× slower than a (1.93…2.08), 2.000 ± 0.010 s against 1.000 ± 0.010 s"
    assert sentence(compared(Stated(1e9, 3e8), Stated(2e9, 3e8))).startswith(
        "no significant difference: b is 0.50× as fast as a ("
    )
    inside = Stated(2e9, 1e5)
    cell = cells([row("a", 1.98e9, Stated(1.98e9, 1e5)), row("b", 2e9, inside)], "a", apart={"s": False})[0]
    assert "cannot be claimed without the number of runs" in sentence(cell)
    assert sentence(compared(Stated(1e9, 1e7, 4), Stated(2e9, 1e7, 5))).endswith(
        "2.000 ± 0.010 s of 5 runs against 1.000 ± 0.010 s of 4 runs"
    )


def test_the_assumption_is_told_where_it_is_made_and_only_there() -> None:
    told = {note.text for note in compared(Stated(1e9, 1e7), Stated(2e9, 1e7)).notes}
    assert ASSUMPTION in told
    assert ASSUMPTION not in {note.text for note in compared(Stated(1e9, 1e7, 4), Stated(2e9, 1e7, 5)).notes}
    assert ASSUMPTION not in {note.text for note in compared(None, None).notes}


def test_a_mean_without_spread_or_an_older_policy_gives_a_ratio_alone() -> None:
    assert sentence(compared(Stated(1e9, 1e7), None)).startswith("ratio, no verdict")
    assert sentence(compared(Stated(1e9, 1e7), Stated(2e9, 1e7), policy=2)).startswith("ratio, no verdict")


@pytest.mark.parametrize("spread", [None, True, "1", -1, math.inf, math.nan, [1]])
def test_a_spread_that_is_none_is_not_taken(spread: object) -> None:
    assert stated_in({"spread": {"m": spread}}, "m", 1.0) is None
    assert stated_in({"spread": spread}, "m", 1.0) is None


def test_the_facts_of_a_run() -> None:
    facts = {"spread": {"m": 2}, "spread_runs": {"m": 5}, "standard_errors": ["m"]}
    assert stated_in(facts, "m", 10.0) == Stated(10.0, 2.0, 5, True)
    assert stated_in(facts, "m", 0.0) is None
