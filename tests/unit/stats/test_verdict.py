import math
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.errors import UsageError
from plimsoll.stats.policy import MODES, STANDARD
from plimsoll.stats.simulation import SCENARIOS, differences, sequential
from plimsoll.stats.verdict import Answer, StopReason, judge, judge_many, log_ratio

differences_ = st.lists(st.floats(-1, 1, allow_subnormal=False), max_size=25)


def noisy(centre: float, noise: float, count: int, seed: int = 1) -> list[float]:
    return (centre + np.random.default_rng(seed).normal(0, noise, count)).tolist()


@given(differences_)
def test_swapping_the_labels_turns_the_verdict(values: list[float]) -> None:
    forth, back = asdict(judge(values)), asdict(judge([-value for value in values]))
    opposite = {Answer.BETTER: Answer.WORSE, Answer.WORSE: Answer.BETTER}
    answer = forth.pop("answer")
    assert back.pop("answer") is opposite.get(answer, answer)
    for one, other in (("estimate", "estimate"), ("low", "high"), ("same_low", "same_high"), ("ahead", "ahead")):
        forth[one], forth[other] = (None if forth[each] is None else -forth[each] for each in (other, one))
    assert back == pytest.approx(forth, abs=1e-12)


@given(st.lists(st.floats(-1, 1), min_size=3, max_size=3), st.randoms())
def test_the_order_of_blocks_within_the_first_look_does_not_matter(values: list[float], random) -> None:
    shuffled = values.copy()
    random.shuffle(shuffled)
    first, second = judge(values), judge(shuffled)
    assert first.answer == second.answer
    assert first.low == pytest.approx(second.low, abs=1e-9)


@given(differences_)
def test_an_interval_beyond_one_never_goes_with_the_other_answer(values: list[float]) -> None:
    verdict = judge(values)
    if verdict.answer is Answer.BETTER:
        assert verdict.low > 0
    if verdict.answer is Answer.WORSE:
        assert verdict.high < 0
    assert verdict.decided == (verdict.answer is not Answer.UNKNOWN)
    assert (verdict.blocks_needed is None) == verdict.decided


@pytest.mark.parametrize(
    ("values", "answer", "ahead"),
    [
        ([0.40, 0.41, 0.39], Answer.BETTER, 1),
        ([-0.40, -0.41, -0.39], Answer.WORSE, -1),
        ([0.002, -0.003, 0.001], Answer.SAME, 0),
        ([0.030, 0.031, 0.0305, 0.030], Answer.SAME, 1),
        ([0.3, -0.3, 0.1], Answer.UNKNOWN, 0),
    ],
)
def test_the_pieces_of_the_partition(values: list[float], answer: Answer, ahead: int) -> None:
    verdict = judge(values)
    assert (verdict.answer, verdict.ahead) == (answer, ahead)


@pytest.mark.parametrize(("count", "used"), [(3, 3), (7, 6), (11, 10), (19, 16), (20, 20), (26, 20)])
def test_only_scheduled_looks_are_used(count: int, used: int) -> None:
    values = noisy(0.1, 0.1, count)
    verdict = judge(values)
    assert (verdict.blocks_used, verdict.blocks_given) == (used, count)
    assert verdict.estimate == judge(values[:used]).estimate


@pytest.mark.parametrize("values", [[], [0.1], [0.1, 0.1]])
def test_fewer_than_three_blocks_are_a_preview(values: list[float]) -> None:
    verdict = judge(values)
    assert verdict.preview
    assert verdict.answer is Answer.UNKNOWN
    assert verdict.low is None
    assert verdict.estimate == (pytest.approx(0.1) if values else None)


def test_equal_scores_do_not_make_certainty() -> None:
    verdict = judge([0.0, 0.0, 0.0])
    assert verdict.answer is Answer.SAME
    assert verdict.half_width > 0.01


def test_a_wide_band_and_a_narrow_band() -> None:
    values = noisy(0.08, 0.01, 8)
    assert judge(values, band=0.20).answer is Answer.SAME
    assert judge(values, band=0.02).answer is Answer.BETTER


@pytest.mark.parametrize("band", [0.0, -0.1, math.inf, math.nan])
def test_impossible_bands_are_refused(band: float) -> None:
    with pytest.raises(UsageError, match="band"):
        judge([0.1, 0.1, 0.1], band=band)


def test_infinite_differences_are_refused() -> None:
    with pytest.raises(UsageError, match="finite"):
        judge([0.1, math.inf, 0.1])


def test_ratios_are_in_the_direction_of_the_metric() -> None:
    latencies = [(100.0, 310.0), (101.0, 312.0), (99.0, 309.0)]
    verdict = judge([log_ratio(a, b, "lower") for a, b in latencies], direction="lower")
    assert verdict.answer is Answer.WORSE
    assert verdict.ratio == pytest.approx(3.1, rel=0.01)
    assert verdict.ratio_low < verdict.ratio < verdict.ratio_high


def test_outliers_are_survived_and_reported() -> None:
    values = noisy(0.0, 0.01, 20)
    values[3] = values[11] = -1.5
    verdict = judge(values)
    assert verdict.answer is Answer.SAME
    assert verdict.contaminated
    assert not judge(noisy(0.0, 0.01, 20)).contaminated


def test_no_direction_where_mean_and_trimmed_mean_disagree() -> None:
    values = noisy(0.05, 0.01, 20)
    values[3] = values[11] = values[15] = -2.0
    assert judge(values, band=0.02).ahead == 0


@pytest.mark.parametrize(
    ("values", "mode", "cap", "stop"),
    [
        (noisy(0.5, 0.01, 3), "quick", None, StopReason.DECIDED),
        (noisy(0.1, 0.15, 4), "quick", None, None),
        (noisy(0.05, 0.11, 6), "quick", None, StopReason.CAP),
        (noisy(0.05, 0.11, 6), "standard", 7, StopReason.CAP),
        ([0.6, -0.6] * 3, "standard", None, StopReason.HOPELESS),
        (noisy(0.70, 0.06, 3), "standard", None, StopReason.DECIDED),
        (noisy(0.70, 0.06, 3), "publish", None, None),
        (noisy(0.05, 0.20, 20), "publish", None, StopReason.CAP),
    ],
)
def test_when_to_stop(values: list[float], mode: str, cap: int | None, stop: StopReason | None) -> None:
    asked = MODES[mode] if cap is None else replace(MODES[mode], cap=cap)
    assert judge(values, mode=asked).stop == stop


def test_the_projection_grows_with_the_noise_and_is_about_right() -> None:
    needed = [judge(noisy(0.2, noise, 6), mode=STANDARD).blocks_needed or 6 for noise in (0.05, 0.2, 0.4, 0.8)]
    assert needed == sorted(needed)
    # CV 10 %, ratio 1.20: half of the comparisons are decided after 8 to 10 blocks.
    random = np.random.default_rng(2)
    paths = differences(SCENARIOS[2], math.log(1.2), 400, random)
    projected = [judge(path[:5]).blocks_needed or 5 for path in paths]
    assert 6 <= float(np.median(projected)) <= 12


@pytest.mark.parametrize("scenario", SCENARIOS[:6], ids=lambda scenario: scenario.name)
def test_the_simulated_path_is_the_judged_path(scenario) -> None:
    paths = differences(scenario, math.log(1.1), 40, np.random.default_rng(3))
    outcomes = sequential(paths, math.log(1.10))
    for path, blocks, sign, same in zip(paths, outcomes.blocks, outcomes.sign, outcomes.same, strict=True):
        verdict = judge(path[:blocks], mode=MODES["publish"])
        assert (verdict.ahead, verdict.same) == (sign, same)


def test_many_cells_are_judged_like_one() -> None:
    paths = differences(SCENARIOS[1], 0.05, 30, np.random.default_rng(4))[:, :9]
    together = judge_many(paths, band=0.1, mode=STANDARD, directions=["higher"] * 30)
    assert together == [judge(path) for path in paths]
