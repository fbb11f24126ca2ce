import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from plimsoll.stats.carryover import LEVEL, Neighbours, disturbed, drift, neighbours_in, order_effect
from plimsoll.stats.simulation import BLOCKS, SCENARIOS, Scenario, ordered_differences


@pytest.mark.parametrize("seed", range(40))
def test_a_drift_is_told_exactly_where_scipy_finds_kendalls_tau_significant(seed: int) -> None:
    random = np.random.default_rng(seed)
    blocks = np.arange(10)
    values = 0.1 + random.choice([0.0, 0.03]) * blocks + random.normal(0, 0.05, 10)
    found = drift(values.tolist())
    assert (found is not None) == (stats.kendalltau(blocks, values, method="exact").pvalue <= LEVEL)
    if found is not None:
        assert found == pytest.approx(9 * stats.theilslopes(values, blocks).slope, rel=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_an_order_effect_is_told_exactly_where_scipy_finds_the_rank_sum_significant(seed: int) -> None:
    random = np.random.default_rng(seed)
    first = random.permutation([True] * 5 + [False] * 8)
    values = random.normal(0, 0.05, 13) + random.choice([0.0, 0.1]) * first
    found = order_effect(values.tolist(), first.tolist())
    assert (found is not None) == (stats.mannwhitneyu(values[first], values[~first], method="exact").pvalue <= LEVEL)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
@pytest.mark.parametrize("blocks", [6, 12, BLOCKS])
def test_false_alarms_are_rare_in_every_noise(scenario: Scenario, blocks: int) -> None:
    random = np.random.default_rng(1)
    both = ordered_differences(scenario, math.log(1.2), 600, random)
    paths, first = (each[:, :blocks].tolist() for each in both)
    drifts = [drift(path) is not None for path in paths]
    orders = [order_effect(*each) is not None for each in zip(paths, first, strict=True)]
    assert np.mean(drifts) <= 0.02
    assert np.mean(orders) <= 0.02


def test_one_far_block_is_no_effect() -> None:
    """Seen in a real session: the only block in which the other target ran first."""
    values = [-0.109, 0.011, -1.375, 0.001, 0.030, -0.044]
    assert order_effect(values, [True, True, False, True, True, True]) is None
    assert drift(values) is None
    assert order_effect([*values, *values], [place != 2 for place in range(12)]) is None


@given(st.lists(st.floats(-5, 5), min_size=3, max_size=14), st.sampled_from([0, 1]))
def test_two_blocks_of_one_order_tell_nothing(values: list[float], fewer: int) -> None:
    assert order_effect(values, [place > fewer for place in range(len(values))]) is None


def test_the_order_within_blocks_is_seen() -> None:
    first = [True, False, True, True, False, False, True, False, False, True]
    values = [0.2 if each else -0.2 for each in first]
    assert order_effect(values, first) == pytest.approx(0.4)
    assert order_effect(values, [not each for each in first]) == pytest.approx(-0.4)
    assert order_effect([*values[:-1], -3.0], first) is None
    assert order_effect([0.1 + 0.001 * (i % 3) for i in range(10)], first) is None


def test_a_drift_is_seen_beside_a_far_block() -> None:
    values = [0.03 * block for block in range(12)]
    assert drift([*values[:5], -2.0, *values[6:]]) == pytest.approx(0.33, rel=0.05)
    assert drift(list(reversed(values))) == pytest.approx(-0.33)


def test_what_cannot_be_told_is_not_told() -> None:
    assert drift([]) is None
    assert drift([0.0, 1.0, 2.0, 3.0, 4.0]) is None
    assert drift([0.1] * 10) is None
    assert order_effect([0.0, 1.0] * 4, [True] * 8) is None


def test_effects_too_small_to_matter_are_not_told() -> None:
    assert drift([0.0001 * block for block in range(12)]) is None
    assert order_effect([0.001 * (block % 2) for block in range(20)], [block % 2 == 1 for block in range(20)]) is None


@pytest.mark.parametrize("seed", range(12))
def test_hundreds_of_blocks_are_told_as_by_scipy_and_at_once(seed: int) -> None:
    random = np.random.default_rng(seed)
    differences = random.normal(0, 0.1, 540) + np.linspace(0, 0.012 * seed, 540)
    p = stats.kendalltau(np.arange(540), differences, method="asymptotic").pvalue
    if abs(p - LEVEL) > 0.002:
        assert (drift(differences.tolist()) is not None) == (p < LEVEL)
    late = np.arange(540) >= 400
    p = stats.mannwhitneyu(differences[late], differences[~late], method="asymptotic").pvalue
    if abs(p - LEVEL) > 0.002:
        assert (order_effect(differences.tolist(), late.tolist()) is not None) == (p < LEVEL)


@pytest.mark.parametrize("seed", range(20))
def test_a_disturbance_is_told_exactly_where_scipys_t_test_is_certain_of_more_than_the_least(seed: int) -> None:
    random = np.random.default_rng(seed)
    values = random.choice([0.0, 0.03, -0.06]) + random.normal(0, 0.02, 8)
    test = stats.ttest_1samp(values, 0.02 * np.sign(values.mean()))
    certain = test.pvalue <= LEVEL and abs(values.mean()) > 0.02
    found = disturbed(values.tolist(), 0.02)
    assert found == (pytest.approx(values.mean()) if certain else None)


def test_two_blocks_tell_nothing_and_foreign_facts_are_nothing() -> None:
    assert disturbed([0.5, 0.5], 0.02) is None
    whole = {"after_other": -0.03, "after_own": 0.01}
    assert neighbours_in({"slices": whole}) == Neighbours(-0.03, 0.01)
    for name in whole:
        for value in ("x", math.nan, True, None):
            unknown = neighbours_in({"slices": {**whole, name: value}})
            assert unknown is not None
            assert all(map(math.isnan, unknown)), "in slices, and nothing is known of them"
    for slices in (None, 5, {}, {"after_other": -0.03}):
        assert neighbours_in({"slices": slices}) is None
