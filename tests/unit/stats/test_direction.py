"""Ratios say their direction: nobody has to know whether less is better."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.stats.test_sentences import cell

from plimsoll.stats.direction import Ends, decided, difference, directed, directed_ends, manner, relation
from plimsoll.stats.paired import Cell
from plimsoll.stats.verdict import Answer


def rate(*ratios: float) -> Cell:
    return cell(list(ratios))


def time(*ratios: float) -> Cell:
    return cell(list(ratios), metric="read_p99", unit="ns", direction="lower")


def size(*ratios: float) -> Cell:
    return cell(list(ratios), metric="size", unit="B", direction="lower")


@pytest.mark.parametrize(
    ("found", "ratio", "text"),
    [
        (rate(1.0), 1.8, "1.80× faster"),
        (rate(1.0), 0.5, "2.00× slower"),
        (rate(1.0), 1.0, "1.00× faster"),
        (time(1.0), 5.1, "5.10× slower"),
        (time(1.0), 0.2, "5.00× faster"),
        (time(1.0), 1 / 31, "31.0× faster"),
        (size(1.0), 2.0, "2.00× higher"),
        (size(1.0), 0.5, "2.00× lower"),
    ],
)
def test_a_ratio_in_words(found: Cell, ratio: float, text: str) -> None:
    assert directed(found, ratio) == text


@given(st.sampled_from((rate, time, size)), st.floats(0.01, 100))
def test_a_ratio_with_its_direction_is_never_below_one(kind: Callable[[float], Cell], ratio: float) -> None:
    assert float(directed(kind(1.0), ratio).split("×")[0].replace(",", "")) >= 1


@given(st.sampled_from((rate, time)), st.floats(0.01, 100).filter(lambda ratio: abs(math.log(ratio)) > 0.1))
def test_what_is_better_is_faster(kind: Callable[..., Cell], ratio: float) -> None:
    found = kind(*[ratio * noise for noise in (1.0, 1.001, 0.999, 1.0)])
    better = found.verdict.answer is Answer.BETTER
    assert decided(found)[1] == ("faster" if better else "slower")
    assert (" faster than " in difference(found)) is better


def test_the_interval_is_turned_over_with_the_ratio() -> None:
    for slower in (rate(0.5, 0.51, 0.49), time(2.0, 2.02, 1.98)):
        low, middle, high = directed_ends(slower)
        assert low is not None
        assert high is not None
        assert 1 < low < middle < high
        assert middle == pytest.approx(2, rel=0.01)
    faster = rate(2.0, 2.02, 1.98).verdict
    assert directed_ends(rate(2.0, 2.02, 1.98)) == (faster.ratio_low, faster.ratio, faster.ratio_high)


def test_an_end_of_zero_is_turned_over_to_infinity() -> None:
    assert Ends(0.0, 2.0, None).inverted == (None, 0.5, math.inf)
    assert Ends(None, 2.0, math.inf).inverted == (0.0, 0.5, None)


def test_levels_in_place_of_a_ratio_are_said_with_their_direction() -> None:
    steps = [3.0, 3.02, 2.98, 3.01, 2.99, 3.0, 1.5, 1.51, 1.49, 1.5, 1.52, 1.48]
    assert difference(rate(*steps)).startswith("gp3 is faster than nvme: 3.00× as fast until block 6, 1.50× from")
    assert difference(time(*steps)).startswith("gp3 is slower than nvme: 0.33× as fast until block 6, 0.67× from")
    assert difference(size(*steps)).startswith("gp3 is higher than nvme: 3.00× as high until block 6, 1.50× from")
    fallen = time(*(1 / ratio for ratio in steps))
    assert fallen.verdict.answer is Answer.BETTER
    assert difference(fallen).startswith("gp3 is faster than nvme: 3.00× as fast until block 6")
    assert difference(rate(*(1 / ratio for ratio in steps))).startswith("gp3 is slower than nvme: 0.33× as fast until")
    assert difference(size(*(1 / ratio for ratio in steps))).startswith("gp3 is lower than nvme: 0.33× as high until")


def test_what_is_open_claims_no_direction() -> None:
    assert relation(rate(1.1, 1.3, 0.9, 1.2)).startswith("gp3 is 1.1× as fast as nvme (")
    assert relation(time(1.1, 1.3, 0.9, 1.2)).startswith("gp3 is 0.90× as fast as nvme (")


def test_a_word_for_all_kinds_of_metrics_together() -> None:
    assert manner([rate(1.0), time(1.0)]) == ("faster", "slower")
    assert manner([rate(1.0), size(1.0)]) == ("better", "worse")
