import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from plimsoll.errors import UsageError
from plimsoll.stats.summary import Series, split, splits, suite_score, summaries, summarise

scores = st.lists(st.floats(1, 1e9), min_size=1, max_size=20)


def test_interval_is_that_of_scipy() -> None:
    logs = np.random.default_rng(1).normal(5, 0.1, 5)
    summary = summarise(np.exp(logs).tolist(), "higher")
    low, high = stats.t.interval(0.95, 4, loc=logs.mean(), scale=stats.sem(logs))
    assert (math.log(summary.low), math.log(summary.high)) == pytest.approx((low, high), abs=1e-9)
    assert math.log(summary.value) == pytest.approx(logs.mean(), abs=1e-9)
    assert summary.variation == pytest.approx(logs.std(ddof=1))


@given(scores, st.sampled_from(["higher", "lower"]), st.floats(1e-3, 1e3))
def test_the_unit_does_not_matter(values: list[float], direction, factor: float) -> None:
    first, second = summarise(values, direction), summarise([value * factor for value in values], direction)
    assert second.value == pytest.approx(first.value * factor, rel=1e-9)
    assert second.worst_share == pytest.approx(first.worst_share, rel=1e-9)
    assert second.half_width == pytest.approx(first.half_width, rel=1e-6, abs=1e-9)


@given(scores)
def test_the_value_lies_between_the_extremes(values: list[float]) -> None:
    summary = summarise(values, "higher")
    assert summary.minimum * (1 - 1e-9) <= summary.value <= summary.maximum * (1 + 1e-9)


def test_one_run_has_no_interval() -> None:
    summary = summarise([7.0], "higher")
    assert (summary.value, summary.low, summary.variation) == (pytest.approx(7.0), None, None)
    assert summary.half_width == math.inf


def test_coverage_of_the_interval() -> None:
    random = np.random.default_rng(3)
    for runs in (3, 6, 12):
        hits = 0
        for _ in range(800):
            summary = summarise(np.exp(random.normal(0, 0.1, runs)).tolist(), "higher")
            hits += summary.low <= 1.0 <= summary.high
        assert 0.925 <= hits / 800 <= 0.975


@pytest.mark.parametrize(
    ("values", "direction", "unstable"),
    [
        ([100, 101, 99, 100], "higher", False),
        ([100, 101, 99, 70], "higher", True),
        ([100, 101, 99, 140], "higher", False),
        ([100, 101, 99, 140], "lower", True),
        ([100, 101, 99, 100, 102, 98, 100, 101, 85, 86, 87, 100], "higher", True),
        ([100, 101, 99, 100, 102, 98, 100, 101, 99, 98, 102, 85], "higher", False),
    ],
)
def test_bad_tails_are_not_hidden(values: list[float], direction, unstable: bool) -> None:
    assert summarise(values, direction).unstable is unstable


def test_normal_runs_are_seldom_called_unstable() -> None:
    samples = np.exp(np.random.default_rng(4).normal(0, 0.05, (1000, 12)))
    assert np.mean([summarise(sample.tolist(), "higher").unstable for sample in samples]) < 0.02


@pytest.mark.parametrize("values", [[], [0.0], [-1.0, 2.0], [math.nan], [math.inf]])
def test_scores_without_a_logarithm_are_refused(values: list[float]) -> None:
    with pytest.raises(UsageError, match="above zero"):
        summarise(values, "higher")


def test_suite_score_is_the_geometric_mean() -> None:
    ratios = [1.0, 2.0, 4.0]
    logs = [math.log(ratio) for ratio in ratios]
    score = suite_score(logs, [0.03, 0.03, 0.03], [1000, 1000, 1000])
    assert score.ratio == pytest.approx(stats.gmean(ratios))
    assert math.log(score.high / score.ratio) == pytest.approx(1.96 * 0.03 / math.sqrt(3), rel=1e-3)
    # Welch and Satterthwaite: three tests of three blocks have six degrees of freedom together, t = 2.447.
    few = suite_score(logs, [0.03, 0.03, 0.03], [2, 2, 2])
    assert math.log(few.high / few.ratio) == pytest.approx(stats.t.ppf(0.975, 6) * 0.03 / math.sqrt(3), rel=1e-6)
    with pytest.raises(UsageError):
        suite_score([], [], [])


STRANGE = {
    "a step": [1000.0] * 8 + [700.0] * 8,
    "a trend": [1000 * 0.97**run for run in range(16)],
    "two groups": [1000.0, 700.0] * 8,
    "a first run": [400.0] + [1000.0] * 15,
    "neighbours": [1000 * math.exp(0.2 * math.sin(run / 2)) for run in range(16)],
    "nothing": [1000.0] * 16,
    "few": [1000.0, 700.0],
    "one": [1000.0],
    "none": [],
}


def noisy(values: list[float], seed: int) -> list[float]:
    noise = np.random.default_rng(seed).normal(0, 0.01, len(values))
    return (np.array(values) * np.exp(noise)).tolist()


@pytest.mark.parametrize("ordered", [True, False])
def test_many_series_are_split_as_each_alone(ordered: bool) -> None:
    series = [Series(noisy(values, seed), ordered, "1/s") for values in STRANGE.values() for seed in range(8)]
    expected = [split(values, ordered=ordered, unit=unit) if values else None for values, _, unit in series]
    assert splits(series) == expected
    assert len({each.kind for each in expected if each}) == (5 if ordered else 1)


@given(st.lists(st.tuples(scores, st.sampled_from(["higher", "lower"])), max_size=12))
def test_many_summaries_are_those_of_each_alone(series) -> None:
    assert summaries(series) == [summarise(values, direction) for values, direction in series]
