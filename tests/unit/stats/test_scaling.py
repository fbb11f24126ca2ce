"""The fit min(a·x, b) finds slope and cap of exact data, and says so when it cannot."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.stats.scaling import Sample, fit, match, noise_apart, noise_of_blocks, sample_of, with_interval

IOPS = {"p200": 200.0, "p400": 400.0, "p1000": 1000.0, "p2000": 2000.0, "p4000": 4000.0}


@given(slope=st.floats(0.01, 100), enough=st.sampled_from([450.0, 900.0, 1500.0, 3000.0, 9000.0]))
def test_exact_data_gives_back_slope_cap_and_capped_targets(slope: float, enough: float) -> None:
    scores = {name: min(slope * x, slope * enough) for name, x in IOPS.items()}
    found = fit(scores, IOPS)
    assert found is not None
    assert found.per_unit == pytest.approx(slope)
    assert set(found.capped) == {name for name, x in IOPS.items() if x > enough}
    if found.capped:
        assert found.enough == pytest.approx(enough)
    assert found.misfit == pytest.approx(0, abs=1e-9)
    assert found.matching(slope * 300) == pytest.approx(300)


def test_what_does_not_grow_has_no_slope() -> None:
    found = fit(dict.fromkeys(IOPS, 50.0), IOPS)
    assert found is not None
    assert (found.per_unit, found.enough, found.matching(50)) == (None, None, None)
    assert found.cap == pytest.approx(50)
    assert set(found.capped) == set(IOPS)


def test_a_score_above_the_cap_is_matched_by_nothing() -> None:
    found = fit({name: min(x, 1000.0) for name, x in IOPS.items()}, IOPS)
    assert found is not None
    assert found.matching(2000) is None


def test_two_targets_are_too_few() -> None:
    assert fit({"p200": 1.0, "p400": 2.0}, IOPS) is None


def test_noise_hardly_moves_the_fit() -> None:
    noise = {"p200": 1.05, "p400": 0.96, "p1000": 1.03, "p2000": 0.97, "p4000": 1.02}
    found = fit({name: min(2 * x, 3000) * noise[name] for name, x in IOPS.items()}, IOPS)
    assert found is not None
    assert set(found.capped) == {"p2000", "p4000"}
    assert found.enough == pytest.approx(1500, rel=0.1)
    assert 0.01 < found.misfit < 0.1


def test_scores_that_follow_no_line_do_not_fit() -> None:
    shaky = {"p200": 1.1, "p400": 0.9, "p1000": 1.1, "p2000": 0.9, "p4000": 1.1}
    good = fit({name: x * shaky[name] for name, x in IOPS.items()}, IOPS)
    assert good is not None
    assert good.fits
    wild = fit({"p200": 900.0, "p400": 100.0, "p1000": 2000.0, "p2000": 300.0, "p4000": 4000.0}, IOPS)
    assert wild is not None
    assert wild.misfit > 0.5
    assert not wild.fits


def test_the_matching_number_has_an_interval_from_the_blocks() -> None:
    blocks = [{name: min(x, 1000.0) * factor for name, x in IOPS.items()} for factor in (0.9, 1.0, 1.1)]
    scaling = fit(blocks[1], IOPS)
    assert scaling is not None
    plain = match(scaling, 300.0, IOPS, blocks[1])
    assert plain is not None
    noise = noise_of_blocks(scaling, [(300.0, each) for each in blocks], IOPS)
    found = with_interval(plain, noise, scaling, IOPS, blocks[1])
    assert found.low is not None
    assert found.high is not None
    assert found.low < 300 < found.high
    assert math.isclose(found.value, 300, rel_tol=0.02)
    assert not found.extrapolated


def test_one_block_and_one_run_have_no_interval() -> None:
    scaling = fit(IOPS, IOPS)
    assert scaling is not None
    assert noise_of_blocks(scaling, [(300.0, IOPS)], IOPS).error is None
    assert noise_apart(sample_of([300.0]), [sample_of([200.0, 201.0])]).error is None
    plain = match(scaling, 300.0, IOPS, IOPS)
    assert plain is not None
    assert with_interval(plain, Sample(0.0, None), scaling, IOPS, IOPS).low is None


def test_runs_apart_count_the_error_of_both_sides() -> None:
    alone = noise_apart(sample_of([95.0, 100.0, 105.0]), [])
    both = noise_apart(sample_of([95.0, 100.0, 105.0]), [sample_of([9.0, 10.0, 11.0])])
    assert alone.error is not None
    assert both.error is not None
    assert both.error > alone.error > 0


@pytest.mark.parametrize(
    ("score", "beyond", "refused"), [(3000, 1.0, False), (20_000, 5.0, False), (90_000, 22.5, True)]
)
def test_beyond_what_was_measured_it_is_extrapolated_and_far_beyond_refused(
    score: float, beyond: float, refused: bool
) -> None:
    scaling = fit(IOPS, IOPS)
    assert scaling is not None
    found = match(scaling, score, IOPS, IOPS)
    assert found is not None
    assert found.beyond == pytest.approx(beyond)
    assert found.extrapolated == (beyond > 1)
    assert found.refused == refused
    assert found.edge == 4000


def test_below_what_was_measured_is_extrapolated_too() -> None:
    scaling = fit(IOPS, IOPS)
    assert scaling is not None
    found = match(scaling, 100.0, IOPS, IOPS)
    assert found is not None
    assert (found.beyond, found.edge, found.refused) == (2.0, 200.0, False)
    far = match(scaling, 5.0, IOPS, IOPS)
    assert far is not None
    assert far.refused


def test_the_interval_widens_with_the_distance() -> None:
    scores = {name: x * (1.01 if place % 2 else 0.99) for place, (name, x) in enumerate(IOPS.items())}
    scaling = fit(scores, IOPS)
    assert scaling is not None
    widths = []
    for score in (1000.0, 8000.0, 20_000.0):
        plain = match(scaling, score, IOPS, scores)
        assert plain is not None
        found = with_interval(plain, Sample(0.0, 0.001, 20.0), scaling, IOPS, scores)
        assert found.low is not None
        assert found.high is not None
        widths.append(found.high / found.low)
    assert widths == sorted(widths)


def test_intervals_hold_the_truth() -> None:
    """Noise of 3 % on runs and targets; the x that truly matches lies up to twice beyond the largest."""
    draw = random.Random(3)
    held = 0
    for _ in range(200):
        truth = draw.uniform(300, 8000)
        runs = {name: [x * math.exp(draw.gauss(0, 0.03)) for _ in range(4)] for name, x in IOPS.items()}
        base = [truth * math.exp(draw.gauss(0, 0.03)) for _ in range(4)]
        scores = {name: math.exp(sample_of(each).mean) for name, each in runs.items()}
        scaling = fit(scores, IOPS)
        assert scaling is not None
        plain = match(scaling, math.exp(sample_of(base).mean), IOPS, scores)
        if plain is None:
            continue
        growing = [sample_of(each) for name, each in runs.items() if name not in scaling.capped]
        found = with_interval(plain, noise_apart(sample_of(base), growing), scaling, IOPS, scores)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
    assert held >= 186


def test_the_published_volumes_of_2013_give_what_was_worked_out_by_hand() -> None:
    """Threaded I/O Tester of an article of 2013: about 10,500 IOPS for random reads, 3,000 for random writes."""
    x = {name: iops for name, iops in IOPS.items() if iops <= 2000}
    reads = dict(zip(x, (2.23, 4.53, 11.54, 23.64), strict=True))
    writes = dict(zip(x, (0.87, 1.75, 4.4, 8.88), strict=True))
    for scores, standard, by_hand in ((reads, 122.08, 10_500), (writes, 13.03, 3_000)):
        scaling = fit(scores, x)
        assert scaling is not None
        found = match(scaling, standard, x, scores)
        assert found is not None
        assert found.value == pytest.approx(by_hand, rel=0.02)
        assert found.extrapolated
        assert not found.refused
