import numpy as np
import pytest

from plimsoll.stats import critical_values, policy
from plimsoll.stats.critical_values import Smallest, boundaries, late_boundaries, simulate
from plimsoll.stats.multiplicity import sequential_p


@pytest.fixture(scope="module")
def smallest() -> Smallest:
    return simulate(paths=200_000, seed=3)


def test_boundaries_follow_from_the_levels() -> None:
    assert boundaries(policy.P2, policy.P1) == policy.BOUNDARIES
    assert tuple(boundary.blocks for boundary in policy.BOUNDARIES) == policy.LOOKS
    assert late_boundaries(policy.P2, policy.P1) == policy.LATE


def test_the_plan_goes_on_where_the_modes_end() -> None:
    looks = [boundary.blocks for boundary in policy.PLAN]
    assert looks == sorted({*policy.LOOKS, *policy.SHARES})
    assert looks[-1] == policy.LAST
    # Up to twelve blocks nothing is paid for what comes later, so sessions of older rules can be extended.
    assert policy.PLAN[:7] == policy.BOUNDARIES[:7]
    assert policy.BOUNDARIES[6].blocks == 12


@pytest.fixture(scope="module")
def extended() -> Smallest:
    return simulate(paths=40_000, seed=6, plan=policy.PLAN)


def test_the_whole_plan_spends_no_more_than_alpha(extended: Smallest) -> None:
    below = [
        float(np.mean(p < level)) for p, level in ((extended.two_sided, policy.P2), (extended.one_sided, policy.P1))
    ]
    # 40,000 paths: one standard error is 0.11 %.
    assert below == pytest.approx([policy.ALPHA] * 2, abs=0.0035)


@pytest.mark.parametrize("row", policy.ADJUSTED_LEVELS[2:])
def test_adjusted_levels_hold_for_the_whole_plan(extended: Smallest, row: tuple[float, float, float]) -> None:
    alpha, p2, p1 = row
    tolerance = 0.04 + 4 / (alpha * 40_000) ** 0.5
    assert extended.levels(alpha) == pytest.approx((p2, p1), rel=tolerance)


def test_levels_are_regenerated(smallest: Smallest) -> None:
    assert smallest.levels(policy.ALPHA) == pytest.approx((policy.P2, policy.P1), rel=0.03)


@pytest.mark.parametrize("row", policy.ADJUSTED_LEVELS)
def test_adjusted_levels_are_regenerated(smallest: Smallest, row: tuple[float, float, float]) -> None:
    alpha, p2, p1 = row
    # 200,000 paths have few below the smallest levels: 4 standard errors of a count of alpha·paths, and rounding.
    tolerance = 0.03 + 4 / (alpha * 200_000) ** 0.5
    assert smallest.levels(alpha) == pytest.approx((p2, p1), rel=tolerance)


@pytest.mark.parametrize("direction", [True, False])
def test_sequential_p_is_uniform_where_nothing_is_there(smallest: Smallest, direction: bool) -> None:
    nominal = smallest.two_sided if direction else smallest.one_sided
    for share in (0.005, 0.03, 0.15):
        typical = float(nominal[int(share * len(nominal))])
        assert sequential_p(typical, direction=direction) == pytest.approx(share, rel=0.08)


def test_prints_constants_that_python_can_read(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["critical_values", "--paths", "60000", "--seed", "5"])
    critical_values.main()
    names = {"Boundary": policy.Boundary}
    exec(capsys.readouterr().out, names)
    assert names["P2"] == pytest.approx(policy.P2, rel=0.1)
    assert len(names["BOUNDARIES"]) == len(policy.LOOKS)
    assert [each.share for each in names["LATE"]] == list(policy.SHARES.values())
    assert len(names["ADJUSTED_LEVELS"]) == len(policy.ADJUSTED_LEVELS)
