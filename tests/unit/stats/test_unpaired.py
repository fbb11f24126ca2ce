import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle
from tests.unit.stats.test_paired import row

from plimsoll.stats.multiplicity import p_value
from plimsoll.stats.paired import Cell, cells
from plimsoll.stats.sentences import sentence
from plimsoll.stats.unpaired import P2, judge_apart
from plimsoll.stats.verdict import Answer

SCORES = st.lists(st.floats(10, 1e5), min_size=3, max_size=15)


def judge(baseline: list[float], other: list[float], **options):
    return judge_apart(baseline, other, **({"band": 0.10, "direction": "higher"} | options))


def apart(old: list[float], new: list[float], policy: int = 2, **changes) -> Cell:
    rows = [row("old", block, value, session="s1", **changes) for block, value in enumerate(old)]
    rows += [row("new", block, value, session="s2", **changes) for block, value in enumerate(new)]
    (cell,) = cells(rows, "old", apart={"s1": True, "s2": True}, policy=policy)
    return cell


def test_a_clear_difference() -> None:
    verdict, judged = judge([1000, 1010, 990, 1005], [1400, 1380, 1420, 1390])
    assert verdict.answer is Answer.BETTER
    assert verdict.ratio == pytest.approx(1.395, rel=0.01)
    assert verdict.ratio_low is not None
    assert 1.3 < verdict.ratio_low < 1.4
    assert not verdict.preview
    assert judged.withheld == ""


def test_the_same_and_less_latency() -> None:
    assert judge([1000, 1010, 990, 1005], [1002, 1013, 995, 1001])[0].answer is Answer.SAME
    assert judge([1000, 1010, 990], [500, 505, 495], direction="lower")[0].answer is Answer.BETTER


def test_welch_of_scipy() -> None:
    a, b = [1000.0, 1100, 950, 1020, 990], [1200.0, 1300, 1250]
    verdict, _ = judge(a, b)
    found = oracle.ttest_ind(np.log(b), np.log(a), equal_var=False)
    # Degrees of freedom are rounded down, so p is never smaller.
    assert found.pvalue <= verdict.p_direction < 2 * found.pvalue
    assert verdict.estimate == pytest.approx(np.log(b).mean() - np.log(a).mean())


@given(SCORES, SCORES)
def test_swapping_the_sets_turns_the_verdict(a: list[float], b: list[float]) -> None:
    forth, back = judge(a, b)[0], judge(b, a)[0]
    turned = {Answer.BETTER: Answer.WORSE, Answer.WORSE: Answer.BETTER}
    assert back.answer is turned.get(forth.answer, forth.answer)
    # Sets without a common score have no ratio, from either side.
    turned_estimate = None if forth.estimate is None else pytest.approx(-forth.estimate, abs=1e-9)
    assert back.estimate == turned_estimate


@given(SCORES, SCORES, st.sampled_from([1e-3, 1e6]))
def test_the_unit_does_not_matter(a: list[float], b: list[float], factor: float) -> None:
    one = judge(a, b)[0]
    other = judge([factor * each for each in a], [factor * each for each in b])[0]
    assert other.estimate == pytest.approx(one.estimate, abs=1e-9)


def test_a_p_value_below_5_percent_is_a_verdict() -> None:
    verdict, _ = judge([1000, 1010, 990, 1005], [1400, 1380, 1420, 1390])
    assert p_value(verdict) == pytest.approx(0.05 * verdict.p_direction / P2)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(3, 3), (5, 5), (3, 10), (10, 10)])
@pytest.mark.parametrize("true", [1.0, 1.1])
def test_false_verdicts_are_rare(sizes: tuple[int, int], true: float) -> None:
    """Independent runs with unequal noise: at most 5 % of the answers are wrong (800 sets; 7.4 % is 3 SE above)."""
    random = np.random.default_rng(7)
    wrong = 0
    for _ in range(800):
        noise = random.uniform(0.01, 0.1, 2)
        a = np.exp(noise[0] * random.standard_normal(sizes[0])).tolist()
        b = (true * np.exp(noise[1] * random.standard_normal(sizes[1]))).tolist()
        answer = judge(a, b)[0].answer
        wrong += answer is Answer.WORSE or answer is (Answer.BETTER if true == 1.0 else Answer.SAME)
    assert wrong / 800 < 0.074


def test_two_runs_give_a_ratio_and_no_verdict() -> None:
    cell = apart([1000, 1010], [2000, 2020])
    assert cell.verdict.answer is Answer.UNKNOWN
    assert cell.verdict.ratio == pytest.approx(2.0)
    assert (
        sentence(cell)
        == "ratio, no verdict: new is 2× as fast as old, 2 and 2 runs measured apart; a verdict needs 3 of each"
    )


@pytest.mark.parametrize(
    ("old", "why"),
    [
        ([1000 * 0.95**run for run in range(10)], "the scores fell"),
        ([1000.0, 1001, 1002, 1000, 1001, 600, 601, 602, 600, 601], "from run 6 of 10 on,"),
    ],
)
def test_a_set_that_is_no_repetition_gives_no_verdict(old: list[float], why: str) -> None:
    cell = apart(old, [2000, 2010, 1990, 2005])
    assert cell.verdict.answer is Answer.UNKNOWN
    assert cell.apart is not None
    assert why in cell.apart.withheld
    assert sentence(cell).startswith("no verdict: new is 2.")
    assert {"apart", "withheld"} == {note.kind for note in cell.notes}


def test_no_answer_hangs_on_a_cold_first_run() -> None:
    warm = [1000.0, 1005, 995, 1002, 998, 1001]
    cold = apart([100.0, *warm], [1000.0, 1006, 994, 1001, 999, 1003])
    assert cell_kinds(cold) >= {"repeats"}
    # The first run widens the interval, so there is no answer; without it both are the same.
    assert cold.verdict.answer is Answer.UNKNOWN
    clear = apart([700.0, *warm], [5000.0, 5050, 4950, 5010])
    assert clear.verdict.answer is Answer.BETTER


def cell_kinds(cell: Cell) -> set[str]:
    return {note.kind for note in cell.notes}


def test_the_weaker_guarantee_is_told() -> None:
    cell = apart([1000, 1010, 990, 1005], [1400, 1380, 1420, 1390])
    assert sentence(cell).endswith("4 and 4 runs measured apart")
    assert any("nothing but the target changed" in note.text for note in cell.notes)
    assert cell.pairs == ()


def test_the_first_rules_knew_no_such_comparison() -> None:
    cell = apart([1000, 1010, 990, 1005], [1400, 1380, 1420, 1390], policy=1)
    assert cell.verdict.answer is Answer.UNKNOWN
    assert cell.apart is None


def test_own_sessions_that_were_run_apart_are_judged_with_the_weaker_guarantee() -> None:
    rows = [row("a", block, 1000.0 + block, session="monday") for block in range(4)]
    rows += [row("b", block, 500.0 + block, session="tuesday") for block in range(4)]
    (cell,) = cells(rows, "a")
    assert cell.verdict.answer is Answer.WORSE
    assert sentence(cell).endswith("4 and 4 runs measured apart")
    assert any(note.kind == "apart" for note in cell.notes)
    # The first two versions of the rules knew that of imported sets only.
    assert cells(rows, "a", policy=2)[0].apart is None


def test_blocks_that_lost_their_pair_are_no_sets_apart() -> None:
    """In one session the two were interleaved: a weaker method must not rescue what the guards took away."""
    rows = [row("a", block, 1000.0, status="ok") for block in range(4)]
    rows += [row("b", block, 500.0, status="invalid") for block in range(4)]
    (cell,) = cells(rows, "a")
    assert cell.apart is None
    assert cell.verdict.answer is Answer.UNKNOWN
    assert sentence(cell) == "no verdict: b and a have no valid block in common"


def test_each_target_may_have_its_own_opponent() -> None:
    rows = [row(name, block, value, session="s1") for name, value in (("a", 100.0), ("b", 200.0)) for block in range(3)]
    rows += [row(name, block, value, session="s2") for name, value in (("c", 10.0), ("d", 30.0)) for block in range(3)]
    found = {cell.target: cell for cell in cells(rows, "a", opponents={"d": "c"})}
    assert {name: cell.baseline for name, cell in found.items()} == {"b": "a", "c": "a", "d": "c"}
    assert found["d"].verdict.ratio == pytest.approx(3.0)
    assert found["d"].apart is None


def test_files_without_times_are_in_no_order() -> None:
    """Ten files of one run each: their order in the store says nothing, so no trend is seen in it."""
    rows = [row("old", 0, 1000 * 0.95**run, session=f"o{run}") for run in range(10)]
    rows += [row("new", 0, 2000.0 + run, session=f"n{run}") for run in range(4)]
    unknown = cells(rows, "old", apart={each.session: False for each in rows})[0]
    known = cells(rows, "old", apart={each.session: True for each in rows})[0]
    assert unknown.apart is not None
    assert known.apart is not None
    assert (unknown.apart.withheld == "", known.apart.withheld == "") == (True, False)
    # A trend has no common score, so it has no common ratio; sets in no order have one.
    assert known.verdict.ratio is None
    assert "2.00…3.18× as fast (a trend of old)" in sentence(known)
    assert unknown.verdict.ratio == pytest.approx(2.52, abs=0.01)
