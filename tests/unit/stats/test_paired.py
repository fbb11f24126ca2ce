import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.errors import UnknownName
from plimsoll.stats.paired import Cell, ScoreRow, cells, valid_scores
from plimsoll.stats.verdict import Answer


def row(target: str, block: int, value: float | None, **changes) -> ScoreRow:
    fields = {
        "session": "s1",
        "case": "randread",
        "metric": "iops",
        "unit": "1/s",
        "direction": "higher",
        "attempt": 0,
        "order": 0 if target == "a" else 1,
        "status": "ok",
        "plan_hash": "p",
    }
    return ScoreRow(**(fields | {"target": target, "block": block, "value": value} | changes))


def two(ratios: list[float], **changes) -> list[ScoreRow]:
    return [
        row(target, block, value, **changes)
        for block, ratio in enumerate(ratios)
        for target, value in (("a", 1000.0), ("b", 1000.0 * ratio))
    ]


def kinds(cell: Cell) -> set[str]:
    return {note.kind for note in cell.notes}


def test_pairs_within_blocks() -> None:
    (cell,) = cells(two([0.5, 0.51, 0.49]), "a")
    assert (cell.baseline, cell.target, cell.verdict.answer) == ("a", "b", Answer.WORSE)
    assert cell.pairs[1].difference == pytest.approx(math.log(0.51))
    assert cell.verdict.ratio == pytest.approx(0.5, rel=0.01)
    assert cell.notes == ()


def test_lower_is_better() -> None:
    (cell,) = cells(two([3.0, 3.1, 3.05], metric="read_p99", unit="ns", direction="lower"), "a")
    assert cell.verdict.answer is Answer.WORSE
    assert cell.verdict.ratio == pytest.approx(3.05, rel=0.01)


def test_the_baseline_turns_the_verdict() -> None:
    rows = two([0.5, 0.51, 0.49])
    (forth,), (back,) = cells(rows, "a"), cells(rows, "b")
    assert back.verdict.answer is Answer.BETTER
    assert back.verdict.estimate == pytest.approx(-forth.verdict.estimate)


@given(st.lists(st.floats(0.2, 5), min_size=3, max_size=12), st.floats(1e-6, 1e9), st.sampled_from(["higher", "lower"]))
def test_the_unit_does_not_matter(ratios: list[float], factor: float, direction) -> None:
    rows = two(ratios, direction=direction)
    scaled = [each._replace(value=each.value * factor) for each in rows]
    first, second = cells(rows, "a")[0].verdict, cells(scaled, "a")[0].verdict
    assert second.estimate == pytest.approx(first.estimate, abs=1e-9)
    assert (second.low, second.high) == pytest.approx((first.low, first.high), abs=1e-8)


def test_an_invalid_block_is_replaced_by_its_repetition() -> None:
    rows = two([1.0, 1.0, 1.0])
    rows[3] = rows[3]._replace(status="invalid", value=50.0)
    rows += [row("a", 1, 900.0, attempt=1), row("b", 1, 909.0, attempt=1)]
    (cell,) = cells(rows, "a")
    assert (cell.pairs[1].baseline, cell.pairs[1].other) == (900.0, 909.0)
    assert kinds(cell) == set()


def test_runs_of_different_attempts_are_never_paired() -> None:
    rows = two([1.0, 1.0, 1.0, 1.0])
    rows[3] = rows[3]._replace(status="invalid")
    rows += [row("a", 1, 900.0, attempt=1, status="failed"), row("b", 1, 909.0, attempt=1)]
    (cell,) = cells(rows, "a")
    assert [pair.block for pair in cell.pairs] == [0, 2, 3]
    assert {note.text for note in cell.notes} == {"1 of 4 blocks has no valid pair"}


def test_sessions_are_not_mixed() -> None:
    rows = [row("a", block, 1000.0, session="monday") for block in range(4)]
    rows += [row("b", block, 500.0, session="tuesday") for block in range(4)]
    (cell,) = cells(rows, "a")
    assert cell.pairs == ()
    assert cell.apart is not None
    (cell,) = cells(rows, "a", policy=2)
    assert cell.verdict.answer is Answer.UNKNOWN
    assert kinds(cell) == {"unpaired"}


def test_blocks_of_several_sessions_add_up() -> None:
    rows = two([0.5, 0.5], session="s1") + two([0.5, 0.5], session="s2")
    (cell,) = cells(rows, "a")
    assert cell.verdict.blocks_given == 4
    assert [pair.session for pair in cell.pairs] == ["s1", "s1", "s2", "s2"]


def test_different_plans_are_never_pooled() -> None:
    rows = two([0.5] * 3, session="s1") + two([2.0] * 3, session="s2", plan_hash="q")
    first, second = cells(rows, "a")
    assert (first.verdict.answer, second.verdict.answer) == (Answer.WORSE, Answer.BETTER)
    assert kinds(first) == kinds(second) == {"plans"}


def test_parameters_that_differ_are_named() -> None:
    rows = [each._replace(plan_hash="q") if each.target == "b" else each for each in two([1.0] * 3)]
    plans = {"p": {"depth": 1, "engine": "psync"}, "q": {"depth": 32, "engine": "psync"}}
    (cell,) = cells(rows, "a", plans=plans)
    assert [note.text for note in cell.notes] == ["parameters differ: depth 1 against 32"]


def test_scores_of_zero_are_told() -> None:
    (cell,) = cells([*two([1.0, 1.0, 1.0]), row("a", 3, 1000.0), row("b", 3, 0.0)], "a")
    assert cell.verdict.blocks_given == 3
    assert {note.text for note in cell.notes} == {"1 of 4 blocks has a score of zero and no ratio"}


@pytest.mark.parametrize("value", [None, math.nan])
def test_absent_is_not_zero(value: float | None) -> None:
    (cell,) = cells([*two([1.0, 1.0, 1.0]), row("a", 3, 1000.0), row("b", 3, value)], "a")
    assert kinds(cell) == {"lost"}


def test_carry_over_is_noted() -> None:
    random = np.random.default_rng(1)
    drifting = np.exp(0.5 - 0.04 * np.arange(10) + random.normal(0, 0.01, 10)).tolist()
    assert "drift" in kinds(cells(two(drifting), "a")[0])
    first = [bool(block % 3) for block in range(10)]
    rows = two([1.3 if each else 1.0 for each in first])
    rows = [each._replace(order=int(first[each.block] == (each.target == "b"))) for each in rows]
    assert "order" in kinds(cells(rows, "a")[0])


def test_every_case_metric_and_target_is_a_cell() -> None:
    rows = [
        row(target, block, 1000.0, case=case, metric=metric)
        for case in ("x", "y")
        for metric in ("iops", "throughput")
        for target in ("b", "a", "c")
        for block in range(3)
    ]
    assert [(cell.case, cell.metric, cell.target) for cell in cells(rows, "a")] == [
        (case, metric, target) for case in ("x", "y") for metric in ("iops", "throughput") for target in ("b", "c")
    ]


def test_an_unknown_baseline_suggests_the_nearest() -> None:
    rows = [each._replace(target={"a": "nvme", "b": "gp3"}[each.target]) for each in two([1.0])]
    with pytest.raises(UnknownName, match="did you mean 'nvme'"):
        cells(rows, "nvm")


def test_scores_for_a_summary() -> None:
    rows = two([0.5, 0.6, 0.7])
    rows[1] = rows[1]._replace(status="invalid")
    rows.append(row("b", 0, 480.0, attempt=1))
    scores = valid_scores(rows)
    assert scores["randread", "iops", "a"] == [1000.0, 1000.0, 1000.0]
    assert scores["randread", "iops", "b"] == [480.0, 600.0, 700.0]
