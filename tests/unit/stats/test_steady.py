import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.errors import UsageError
from plimsoll.stats.simulation import TRUE_LEVELS, rates
from plimsoll.stats.steady import Shape, classify

EXPECTED = {
    "flat": Shape.FLAT,
    "warm-up": Shape.WARMUP,
    "fresh flash": Shape.DECAY,
    "burst": Shape.STEP_DOWN,
    "drift": Shape.DRIFT,
    "cycles": Shape.CYCLIC,
}


@pytest.mark.parametrize("name", EXPECTED)
def test_shapes_of_ten_minutes(name: str) -> None:
    random = np.random.default_rng(8)
    regimes = [classify(rates(name, 600, random).tolist()) for _ in range(60)]
    assert sum(regime.shape is EXPECTED[name] for regime in regimes) >= 57
    if name == "drift":
        assert sum(not regime.accepted for regime in regimes) >= 57
        return
    biases = [abs(regime.score / 1000 / TRUE_LEVELS[name] - 1) for regime in regimes if regime.accepted]
    assert len(biases) >= 57
    assert np.quantile(biases, 0.95) <= 0.025


@pytest.mark.parametrize("seconds", [25, 40, 90, 200])
def test_flat_runs_of_any_length_are_seldom_refused(seconds: int) -> None:
    random = np.random.default_rng(9)
    regimes = [classify(rates("flat", seconds, random).tolist()) for _ in range(100)]
    assert sum(regime.accepted for regime in regimes) >= 93


@pytest.mark.parametrize("seconds", [30, 50, 120])
def test_bursts_in_short_runs_are_seen(seconds: int) -> None:
    random = np.random.default_rng(10)
    shapes = [classify(rates("burst", seconds, random).tolist()).shape for _ in range(60)]
    assert shapes.count(Shape.STEP_DOWN) >= 55


def test_burst_and_sustained_are_two_scores() -> None:
    regime = classify([3000.0] * 200 + [900.0] * 400)
    assert regime.shape is Shape.STEP_DOWN
    assert (regime.burst, regime.sustained, regime.score) == (3000.0, 900.0, 900.0)
    assert regime.window_s == (200.0, 600.0)
    assert regime.accepted
    assert regime.sentence == "the rate fell by 70 % after 3 min 20 s: a burst of 3,000/s, then 900/s"


def test_a_burst_that_just_ended_has_no_sustained_score_yet() -> None:
    regime = classify([3000.0] * 500 + [900.0] * 100)
    assert regime.shape is Shape.STEP_DOWN
    assert not regime.accepted
    assert (regime.burst, regime.sustained) == (3000.0, 900.0)


@pytest.mark.parametrize("burst_s", range(190, 206))
def test_a_burst_that_ends_within_a_bin_is_not_counted_as_sustained(burst_s: int) -> None:
    regime = classify([3000.0] * burst_s + [100.0] * (600 - burst_s))
    assert (regime.shape, regime.burst, regime.sustained) == (Shape.STEP_DOWN, 3000.0, 100.0)


def test_a_burst_of_half_a_second_more_is_not_counted_as_sustained() -> None:
    regime = classify([3000.0] * 6 + [1200.0] + [100.0] * 14)
    assert (regime.shape, regime.burst, regime.sustained) == (Shape.STEP_DOWN, 3000.0, 100.0)


def test_a_cycle_is_scored_over_whole_cycles() -> None:
    regime = classify(([500.0] * 20 + [1000.0] * 80) * 6)
    assert regime.shape is Shape.CYCLIC
    assert regime.window_s == (100.0, 500.0)
    assert regime.score == pytest.approx(900.0)


def test_two_cycles_are_too_few() -> None:
    regime = classify(([1000.0] * 80 + [500.0] * 40) * 3)
    assert regime.shape is Shape.CYCLIC
    assert not regime.accepted


def test_fast_dips_are_noise() -> None:
    random = np.random.default_rng(11)
    dips = np.where((np.arange(600) // 5) % 6 == 0, 750.0, 1000.0) * np.exp(random.normal(0, 0.03, 600))
    assert classify(dips.tolist()).shape is Shape.FLAT


@pytest.mark.parametrize("seconds", [1, 5, 19])
def test_short_runs_are_not_assessed(seconds: int) -> None:
    regime = classify(rates("burst", seconds, np.random.default_rng(1)).tolist())
    assert regime.shape is Shape.SHORT
    assert regime.accepted
    assert regime.window_s == (0.0, float(seconds))


def test_other_interval_lengths() -> None:
    halves = classify([3000.0] * 400 + [900.0] * 800, interval_s=0.5)
    assert halves.window_s == (200.0, 600.0)


def test_a_stall_is_not_an_error() -> None:
    regime = classify([1000.0] * 100 + [0.0] * 30 + [1000.0] * 470)
    assert regime.score == pytest.approx(1000.0, rel=0.02)
    assert len(regime.segments) == 3
    assert classify([0.0] * 60).score == 0.0


@pytest.mark.parametrize(("rate", "word"), [(1200.0, "fell"), (5000.0, "rose")])
@pytest.mark.parametrize("at_s", [60, 180, 300])
def test_what_comes_back_is_no_warm_up(rate: float, word: str, at_s: int) -> None:
    regime = classify([3000.0] * at_s + [rate] * 60 + [3000.0] * (540 - at_s))
    assert (regime.shape, regime.accepted, regime.score) == (Shape.EPISODE, True, 3000.0)
    assert regime.window_s == (at_s + 60.0, 600.0)
    after = "60 s" if at_s == 60 else f"{at_s // 60} min"
    assert f"{word} from 3,000/s to {rate:,.0f}/s for 60 s, after {after}, and came back; scored" in regime.sentence


def test_an_episode_near_the_end_leaves_too_little_for_a_score() -> None:
    regime = classify([3000.0] * 480 + [1200.0] * 60 + [3000.0] * 60)
    assert (regime.shape, regime.accepted, regime.score) == (Shape.EPISODE, False, 2820.0)
    assert "never settled" not in regime.sentence


@pytest.mark.parametrize("last", [2700.0, 3300.0])
def test_what_comes_back_to_another_level_is_no_episode(last: float) -> None:
    assert classify([3000.0] * 200 + [1200.0] * 100 + [last] * 300).shape is not Shape.EPISODE


@given(st.lists(st.floats(0, 1e7), min_size=1, max_size=150))
def test_segments_cover_the_run(values: list[float]) -> None:
    regime = classify(values)
    assert regime.segments[0].start_s == 0
    assert regime.segments[-1].end_s == len(values)
    assert all(a.end_s == b.start_s for a, b in zip(regime.segments, regime.segments[1:], strict=False))
    assert 0 <= regime.window_s[0] < regime.window_s[1] <= len(values)
    assert min(values) * (1 - 1e-9) <= regime.score <= max(values) * (1 + 1e-9)
    assert regime.sentence


@given(st.integers(0, 1000), st.sampled_from(sorted(EXPECTED)), st.floats(1e-2, 1e6))
def test_the_unit_does_not_matter(seed: int, name: str, factor: float) -> None:
    series = rates(name, 120, np.random.default_rng(seed))
    first, second = classify(series.tolist()), classify((series * factor).tolist())
    assert (second.shape, second.window_s, second.accepted) == (first.shape, first.window_s, first.accepted)
    assert second.score == pytest.approx(first.score * factor)


@pytest.mark.parametrize("values", [[], [-1.0, 2.0], [float("nan")], [float("inf")]])
def test_impossible_rates_are_refused(values: list[float]) -> None:
    with pytest.raises(UsageError, match="rates"):
        classify(values)
