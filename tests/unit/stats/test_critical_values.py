import pytest

from plimsoll.stats import critical_values, policy
from plimsoll.stats.critical_values import Smallest, boundaries, simulate
from plimsoll.stats.multiplicity import sequential_p


@pytest.fixture(scope="module")
def smallest() -> Smallest:
    return simulate(paths=200_000, seed=3)


def test_boundaries_follow_from_the_levels() -> None:
    assert boundaries(policy.P2, policy.P1) == policy.BOUNDARIES
    assert tuple(boundary.blocks for boundary in policy.BOUNDARIES) == policy.LOOKS


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
    assert len(names["ADJUSTED_LEVELS"]) == len(policy.ADJUSTED_LEVELS)
