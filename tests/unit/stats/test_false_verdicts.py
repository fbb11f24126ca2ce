"""Simulated truth: the promised error rate holds in every kind of noise, and the test could notice if it did not."""

import math

import numpy as np
import pytest
from scipy.stats import beta

from plimsoll.stats.critical_values import _boundary, boundaries
from plimsoll.stats.policy import LAST, P1, P2, PLAN
from plimsoll.stats.simulation import SCENARIOS, Scenario, differences, extended, normal, sequential

REPETITIONS = 3000
BAND = math.log(1.10)
TRUTHS = (1.0, 1.03, 1.10, 1.20, 1 / 1.10)


def lower_bound(hits: int, count: int) -> float:
    """Clopper-Pearson; 99.9 %, because there are fifty cells."""
    return 0.0 if hits == 0 else float(beta.ppf(0.0005, hits, count - hits + 1))


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_false_verdicts_stay_below_five_percent(scenario: Scenario, truth: float) -> None:
    random = np.random.default_rng([7, round(1000 * truth), SCENARIOS.index(scenario)])
    outcomes = sequential(differences(scenario, math.log(truth), REPETITIONS, random), BAND)
    false = int(outcomes.false(math.log(truth), BAND).sum())
    assert lower_bound(false, REPETITIONS) <= 0.05
    missed = REPETITIONS - int(outcomes.covers(math.log(truth)).sum())
    assert lower_bound(missed, REPETITIONS) <= 0.05


CAPS = ((6, 20, 72, 160), (12, 32, 108), (20, 48, 160))
"""Where a session ends, and where its extensions do: it is extended because it is undecided, up to three times."""


@pytest.mark.parametrize("caps", CAPS, ids=str)
@pytest.mark.parametrize("truth", [1.0, 1.07, 1.10, 1 / 1.10])
@pytest.mark.parametrize("deviation", [0.05, 0.20, 0.40])
def test_extended_sessions_stay_below_five_percent(deviation: float, truth: float, caps: tuple[int, ...]) -> None:
    random = np.random.default_rng([8, round(1000 * truth), CAPS.index(caps)])
    paths = differences(Scenario("", normal(deviation)), math.log(truth), REPETITIONS, random, caps[-1])
    outcomes = extended(paths, BAND, caps)
    assert lower_bound(int(outcomes.false(math.log(truth), BAND).sum()), REPETITIONS) <= 0.05
    assert lower_bound(REPETITIONS - int(outcomes.covers(math.log(truth)).sum()), REPETITIONS) <= 0.05


def test_extending_by_the_looks_of_older_rules_is_caught() -> None:
    # The levels that the first twenty blocks have spent, once more at every look after them.
    paths = differences(Scenario("", normal(1.0)), 0.0, REPETITIONS, np.random.default_rng(9), LAST)
    again = tuple(_boundary(boundary.blocks, P2, P1, 1.0) for boundary in PLAN if boundary.blocks > 20)
    outcomes = sequential(paths, BAND, (*boundaries(P2, P1), *again))
    assert lower_bound(int(outcomes.false(0.0, BAND).sum()), REPETITIONS) > 0.06


def test_extensions_decide() -> None:
    paths = differences(Scenario("", normal(0.20)), math.log(1.2), 500, np.random.default_rng(10), 160)
    before, after = (extended(paths, BAND, caps).decided.mean() for caps in ((12,), (12, 32, 72, 160)))
    assert before < 0.5
    assert after > 0.95


def test_peeking_with_ordinary_levels_is_caught() -> None:
    paths = differences(SCENARIOS[2], 0.0, REPETITIONS, np.random.default_rng(1))
    false = int(sequential(paths, BAND, boundaries(0.05, 0.05)).false(0.0, BAND).sum())
    assert lower_bound(false, REPETITIONS) > 0.10


def test_unpaired_order_is_caught() -> None:
    # All runs of one target before all runs of the other, on a machine that slows down by 15 %.
    random = np.random.default_rng(2)
    level = -0.15 * np.arange(40) / 40
    scores = level + 0.02 * random.standard_normal((REPETITIONS, 40))
    false = int(sequential(scores[:, 20:] - scores[:, :20], BAND).false(0.0, BAND).sum())
    assert lower_bound(false, REPETITIONS) > 0.5


@pytest.mark.parametrize(("deviation", "ratio"), [(0.02, 1.2), (0.05, 1.2), (0.05, 2.0)])
def test_clear_differences_are_found_by_eight_blocks(deviation: float, ratio: float) -> None:
    paths = differences(Scenario("", normal(deviation)), math.log(ratio), REPETITIONS, np.random.default_rng(3))
    outcomes = sequential(paths, BAND)
    assert ((outcomes.sign == 1) & (outcomes.blocks <= 8)).mean() > 0.985
