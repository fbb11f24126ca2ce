import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.weightstats import ttost_paired

from plimsoll.stats.looks import estimate, look
from plimsoll.stats.policy import BOUNDARIES, PLAN, RESOLUTION, Boundary, trim_count

BAND = math.log(1.10)
series = st.lists(st.floats(-2, 2), min_size=20, max_size=20)


@pytest.mark.parametrize("boundary", BOUNDARIES, ids=lambda boundary: str(boundary.blocks))
def test_estimates_are_those_of_scipy(boundary: Boundary) -> None:
    values = np.random.default_rng(boundary.blocks).normal(0.05, 0.08, boundary.blocks)
    found = estimate(values.reshape(1, -1))
    assert found.mean[0] / found.mean_error[0] == pytest.approx(stats.ttest_1samp(values, 0).statistic, rel=1e-9)
    assert found.trimmed[0] == pytest.approx(stats.trim_mean(values, trim_count(len(values)) / len(values)), rel=1e-9)
    trim = trim_count(len(values)) / len(values)
    # Yuen's two-sample test against a constant sample is the one-sample test.
    yuen = stats.ttest_ind(values, np.zeros(len(values)), trim=trim, equal_var=False)
    assert found.trimmed[0] / found.trimmed_error[0] == pytest.approx(yuen.statistic, rel=1e-9)


@pytest.mark.parametrize("truth", [0.0, 0.03, 0.09, 0.3])
def test_sameness_is_the_two_one_sided_tests_of_statsmodels(truth: float) -> None:
    random = np.random.default_rng(5)
    ours = random.normal(10, 0.02, 5)
    theirs = ours + truth + random.normal(0, 0.02, 5)
    # Five blocks: the mean only, so the golden value is exact.
    golden, _, _ = ttost_paired(theirs, ours, -BAND, BAND)
    at = look((theirs - ours).reshape(1, -1), BOUNDARIES[2], BAND)
    assert at.p_same[0] == pytest.approx(golden, abs=1e-9)
    # At this look, sameness is the p-value against the nominal level.
    level = stats.t.sf(BOUNDARIES[2].c1, 4)
    assert bool(at.same[0]) == (golden < level)


@given(series)
def test_the_interval_always_holds_the_estimate(values: list[float]) -> None:
    for boundary in BOUNDARIES:
        at = look(np.array([values]), boundary, BAND)
        assert at.low[0] <= at.estimates.trimmed[0] <= at.high[0]
        assert at.low[0] <= at.same_low[0] <= at.same_high[0] <= at.high[0]


@given(series, st.randoms())
def test_order_within_a_look_does_not_matter(values: list[float], random) -> None:
    shuffled = values.copy()
    random.shuffle(shuffled)
    first, second = (look(np.array([each]), BOUNDARIES[-1], BAND) for each in (values, shuffled))
    assert first.low[0] == pytest.approx(second.low[0], abs=1e-12)
    assert first.p_same[0] == pytest.approx(second.p_same[0], abs=1e-9)


def test_standard_errors_have_a_floor() -> None:
    found = estimate(np.full((1, 20), 0.05))
    assert (found.mean_error[0], found.trimmed_error[0]) == (RESOLUTION, RESOLUTION)


def test_blocks_that_lean_to_one_side_get_the_wider_answer() -> None:
    # A third of the blocks lies far below: with hundreds of them mean and trimmed mean are known to differ.
    random = np.random.default_rng(4)
    values = 0.05 + 0.01 * random.standard_normal((1, 540)) - 0.6 * (random.random((1, 540)) < 0.12)
    boundary = PLAN[-1]
    at = look(values, boundary, BAND)
    found = at.estimates
    assert found.mean[0] + boundary.c2 * found.mean_error[0] < found.trimmed[0] - boundary.y2 * found.trimmed_error[0]
    assert at.low[0] < found.mean[0] < found.trimmed[0] < at.high[0]
    assert at.low[0] < 0 < at.high[0]
    assert at.sign[0] == 0
    assert at.p_direction[0] > 1e-6
