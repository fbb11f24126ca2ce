import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from plimsoll.stats.multiplicity import (
    benjamini_hochberg,
    footer,
    p_value,
    sequential_p,
    surviving,
)
from plimsoll.stats.policy import STANDARD
from plimsoll.stats.verdict import judge, judge_many


@settings(max_examples=30)
@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_the_correction_is_that_of_statsmodels(p: list[float]) -> None:
    assert benjamini_hochberg(p) == pytest.approx(multipletests(p, method="fdr_bh")[1], abs=1e-9)


@given(st.floats(1e-14, 1), st.floats(1e-14, 1), st.booleans())
def test_sequential_p_pays_for_the_peeking(a: float, b: float, direction: bool) -> None:
    low, high = sorted((a, b))
    assert low <= sequential_p(low, direction=direction) <= sequential_p(high, direction=direction) <= 1


def test_no_comparison_is_no_correction() -> None:
    assert benjamini_hochberg([]) == []


def test_only_what_survives_may_be_summarised() -> None:
    random = np.random.default_rng(1)
    clear = [judge((0.5 + random.normal(0, 0.01, 6)).tolist()) for _ in range(5)]
    nothing = [judge(random.normal(0, 0.5, 6).tolist()) for _ in range(45)]
    kept = surviving([*clear, *nothing])
    assert kept[:5] == [True] * 5
    assert sum(kept[5:]) <= 1
    assert all(p_value(verdict) <= 0.05 for verdict in clear)


def test_family_wise_error_under_nothing() -> None:
    families, size = 300, 20
    paths = np.random.default_rng(2).normal(0, 0.6, (families * size, 20))
    verdicts = judge_many(paths, band=0.1, mode=STANDARD, directions=["higher"] * len(paths))
    p = np.array([p_value(verdict) for verdict in verdicts]).reshape(families, size)
    hits = sum(size * family.min() <= 0.05 for family in p)
    assert hits / families <= 0.09


def test_the_footer_counts() -> None:
    clear = judge([0.5, 0.51, 0.49])
    assert "at most 1.0 false" in footer([clear] * 20)
    assert footer([clear]) == "The verdict is false with probability at most 5 %."
    # Nothing is claimed, so that nothing can be false.
    noisy = judge([0.6, -0.5, 0.1])
    assert footer([noisy]) == "No comparison is decided."
    assert footer([noisy] * 14) == "0 of 14 comparisons decided."
    weak = judge([0.2, 0.22, 0.24])
    assert "; it does not stay significant after correction for 14 comparisons" in footer([weak, *[noisy] * 13])
    assert "correction" not in footer([weak, *[noisy] * 13], corrected=False)
    assert "; none stays significant after correction for 32 comparisons" in footer([weak, weak, *[noisy] * 30])
