"""The steady part of one run: what was stored is cut off, noise is not."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.stats.load_line.places import Volume

from plimsoll.stats.load_line.points import Phase
from plimsoll.stats.load_line.search import Probe
from plimsoll.stats.load_line.settled import settle


@pytest.mark.parametrize("stored", range(1, 13))
def test_what_was_stored_is_cut_off_wherever_it_ends(stored: int) -> None:
    found = settle([1400.0] * stored + [1000.0] * (20 - stored), 0.5)
    assert (found.rate, found.discarded, found.steady) == (1000, stored / 20, True)


@pytest.mark.parametrize("stored", [15, 17, 18])
def test_a_level_that_begins_near_the_end_is_not_settled(stored: int) -> None:
    found = settle([1400.0] * stored + [1000.0] * (20 - stored), 0.5)
    assert (found.rate, found.steady) == (1000, False)


def test_an_interval_within_which_it_ended_belongs_to_neither() -> None:
    assert settle([1400.0] * 4 + [1230.0] + [1000.0] * 15, 0.5).rate == 1000


def test_a_warm_up_is_cut_off_as_well() -> None:
    found = settle([*np.linspace(400, 1000, 6), *[1000.0] * 14], 0.5)
    assert found.rate == pytest.approx(1000, rel=0.01)
    assert found.discarded > 0.2


@pytest.mark.parametrize("noise", [0.002, 0.02, 0.1, 0.3])
def test_noise_is_seldom_cut(noise: float) -> None:
    rng = np.random.default_rng(1)
    runs = [settle((1000 * np.exp(noise * rng.standard_normal(20))).tolist(), 0.5) for _ in range(300)]
    assert np.mean([run.discarded > 0 for run in runs]) < 0.03
    assert np.mean([not run.steady for run in runs]) < 0.02


def test_runs_of_few_intervals_or_none_are_taken_as_they_are() -> None:
    assert settle([3.0, 1.0], 1.0).rate == 2
    assert settle([], 1.0).rate == 0
    assert settle([0.0] * 20, 1.0).rate == 0


def test_intervals_of_a_few_operations_are_joined() -> None:
    """One operation now and then is no change of rate, a hundred that stop coming are one."""
    rng = np.random.default_rng(2)
    runs = [settle((rng.poisson(1.2, 20) / 0.006).tolist(), 0.006) for _ in range(200)]
    assert all(run.discarded == 0 and run.steady for run in runs)
    slow = settle([8.0] * 80 + [4.0] * 120, 0.5)
    assert slow.rate == pytest.approx(4, rel=0.05)
    assert slow.discarded == pytest.approx(0.4, abs=0.05)


def test_long_runs_are_judged_as_scores_are() -> None:
    rates = [1400.0] * 12 + [1000.0] * 28
    found = settle(rates, 1.0)
    assert (found.rate, found.discarded, found.steady) == (1000, 0.3, True)


@pytest.mark.parametrize(("rate", "late"), [(2_900.0, False), (3_700.0, True), (4_300.0, True), (8_000.0, True)])
def test_a_schedule_above_the_volume_is_not_kept_however_much_was_stored(rate: float, late: bool) -> None:
    place = Volume({"type": "gp3", "size": "100GiB"}, seed=1)
    found = place.run(Probe(rate, Phase.ROUND, 0), open_loop=True)
    assert found.overloaded is late
    assert found.throughput == pytest.approx(min(rate, 3000), rel=0.01)
