"""The fit min(a·x, b) finds slope and cap of exact data, and says so when it cannot."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.stats.scaling import fit, match

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
    found = fit(blocks[1], IOPS)
    assert found is not None
    summary = match(found, [300.0, 300.0, 300.0], blocks, IOPS)
    assert summary is not None
    assert summary.low is not None
    assert summary.high is not None
    assert summary.low < 300 < summary.high
    assert math.isclose(summary.value, 300, rel_tol=0.02)
