import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.stats.repeat_values import simulate
from plimsoll.stats.repeats import CRITICAL, SIZES, PatternKind, patterns, serial_share, split_share


def noisy(levels: list[float], noise: float = 0.01, seed: int = 1) -> list[float]:
    random = np.random.default_rng(seed)
    return [level * math.exp(noise * random.standard_normal()) for level in levels]


def kinds(values: list[float], **options) -> list[PatternKind]:
    return [each.kind for each in patterns(values, **options)]


def test_equal_runs_are_repetitions() -> None:
    assert patterns([1000.0] * 30) == ()
    assert patterns([1000.0]) == ()


def test_a_trend() -> None:
    (found,) = patterns(noisy([1000 * 0.97**run for run in range(12)]))
    assert found.kind is PatternKind.TREND
    assert found.effect == pytest.approx(11 * math.log(0.97), rel=0.15)
    assert found.text.startswith("the scores fell by")


def test_a_step_is_told_with_its_place() -> None:
    (found,) = patterns(noisy([1000.0] * 7 + [700.0] * 5))
    assert (found.kind, found.at) == (PatternKind.STEP, 7)
    assert found.effect == pytest.approx(math.log(0.7), rel=0.05)
    assert "from run 8 of 12 on, the scores are 30 % lower" in found.text


def test_two_groups_in_no_order() -> None:
    (found,) = patterns(noisy([1000, 1000, 700, 1000, 1000, 700, 1000, 700, 1000, 1000, 1000, 1000]))
    assert found.kind is PatternKind.GROUPS
    assert "3 near 7" in found.text
    assert "9 near 9" in found.text or "9 near 1,0" in found.text


def test_the_levels_of_two_groups_have_the_unit_of_the_scores() -> None:
    values = noisy([1000, 1000, 700, 1000, 1000, 700, 1000, 700, 1000, 1000, 1000, 1000])
    (latency,) = patterns([1000 * value for value in values], unit="ns")
    assert re.search(r"3 near 7\d\d µs and 9 near (9\d\d µs|1 ms|1\.\d+ ms)", latency.text)
    (rate,) = patterns([1000 * value for value in values], unit="1/s")
    assert re.search(r"3 near 7\d\d,\d{3}/s and 9 near", rate.text)


def test_one_far_run_is_neither_a_step_nor_a_group() -> None:
    assert kinds(noisy([1000.0] * 6 + [400.0] + [1000.0] * 5)) == []


def test_a_cold_first_run() -> None:
    (found,) = patterns(noisy([500.0] + [1000.0] * 5))
    assert found.kind is PatternKind.FIRST
    assert found.effect == pytest.approx(math.log(0.5), rel=0.1)


def test_neighbours_that_resemble_each_other() -> None:
    random = np.random.default_rng(3)
    level, values = 0.0, []
    for _ in range(40):
        level = 0.9 * level + 0.05 * random.standard_normal()
        values.append(1000 * math.exp(level))
    found = patterns(values)
    assert {each.kind for each in found} & {PatternKind.SERIAL, PatternKind.TREND, PatternKind.STEP}


def test_dependence_without_a_trend_says_what_the_runs_are_worth() -> None:
    values = [1000 * math.exp(0.1 * math.sin(run * 2 * math.pi / 8)) for run in range(32)]
    (found,) = patterns(noisy(values))
    assert found.kind is PatternKind.SERIAL
    assert "32 runs are worth about" in found.text


def test_without_an_order_only_groups_can_be_seen() -> None:
    assert kinds(noisy([1000.0] * 7 + [700.0] * 5), ordered=False) == [PatternKind.GROUPS]
    assert kinds(noisy([1000 * 0.97**run for run in range(12)]), ordered=False) == []


@given(st.lists(st.floats(1, 1e6), min_size=1, max_size=40), st.floats(1e-3, 1e3))
def test_the_unit_does_not_matter(values: list[float], factor: float) -> None:
    scaled = [value * factor for value in values]
    assert [each.kind for each in patterns(values)] == [each.kind for each in patterns(scaled)] or _borderline(values)


def _borderline(values: list[float]) -> bool:
    """Rounding of a logarithm may decide between equal shares."""
    return len(set(values)) < len(values) or any(
        abs(math.log(b / a)) < 1e-9 for a, b in zip(sorted(values), sorted(values)[1:], strict=False)
    )


@pytest.mark.parametrize("draw", ["normal", "uniform", "t3"])
def test_honest_series_are_rarely_called_anything(draw: str) -> None:
    random = np.random.default_rng(11)
    shape = (400, 12)
    drawn = {"normal": random.standard_normal, "uniform": random.random}.get(
        draw, lambda size: random.standard_t(3, size)
    )
    counts = dict.fromkeys(PatternKind, 0)
    for row in 0.1 * drawn(shape):
        for each in patterns(np.exp(row).tolist()):
            counts[each.kind] += 1
    # 1 % of 400 is 4; 13 or more would happen once in ten thousand such tests. Heavy tails make far first runs.
    assert {kind: count for kind, count in counts.items() if count > 12 and kind is not PatternKind.FIRST} == {}
    assert counts[PatternKind.FIRST] <= 20


def test_the_critical_values_come_out_again() -> None:
    for size in (6, 12, 30):
        step, groups, serial = simulate(size, 20_000, seed=1)
        assert step == pytest.approx(CRITICAL[size].step, rel=0.03)
        assert groups == pytest.approx(CRITICAL[size].groups, rel=0.01)
        assert serial == pytest.approx(CRITICAL[size].serial, rel=0.06)


def test_shorter_series_need_more() -> None:
    limits = [CRITICAL[size] for size in SIZES]
    assert [each.step for each in limits] == sorted((each.step for each in limits), reverse=True)
    assert [each.groups for each in limits] == sorted((each.groups for each in limits), reverse=True)


def test_statistics_of_known_series() -> None:
    share, place = split_share(np.array([[0.0, 0, 0, 1, 1, 1], [1.0, 1, 1, 1, 1, 1]]))
    assert share.tolist() == [1.0, 0.0]
    assert place[0] == 3
    assert serial_share(np.array([[1.0, 2, 3, 4, 5, 6]]))[0] == pytest.approx(5 / 17.5)


@pytest.mark.parametrize(("after", "told"), [(1.08, "8 %"), (2.52, "150 %"), (40.0, "3,900 %")])
def test_a_change_is_said_in_digits(after: float, told: str) -> None:
    values = [100.0, 100.01, 99.99, 100 * after, 100.01 * after, 99.99 * after]
    (found,) = (each for each in patterns(values) if each.kind is PatternKind.STEP)
    assert f"are {told} higher" in found.text
