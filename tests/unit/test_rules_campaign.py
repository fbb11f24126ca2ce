"""What the campaign of rules says of its results, and what it asks next."""

from __future__ import annotations

import pytest
from benches.rules.__main__ import next_of
from benches.rules.measure import NAMED, ON, WAYS
from benches.rules.questions import QUESTIONS
from benches.rules.results import Result, table


def results(way: str, *times: float, answer: str = "better", question: str = "depth-8-9") -> list[Result]:
    """Sessions of one way, each with its time."""
    rule = NAMED.get(way.removesuffix(ON), way)
    return [Result(question, way, rule, answer, seconds) for seconds in times]


def test_every_way_has_a_name_and_a_number_of_sessions() -> None:
    for way in WAYS:
        assert way == "fio" or way.removesuffix(ON) in NAMED
        assert all(question.wanted[way] > 0 for question in QUESTIONS.values())


@pytest.mark.parametrize(
    ("way", "said"), [("blocks-on", "in 0.25 of the time of blocks"), ("long-on", "in 0.25 of the time of long blocks")]
)
def test_the_median_times_to_an_answer_are_compared(way: str, said: str) -> None:
    told = table([*results("slices-on", 10, 20, 90), *results(way, 40, 80, 81)])
    assert told.splitlines()[-1] == f"depth 9 against 8, extended: slices have an answer {said}."


def test_where_one_way_mostly_has_none_no_ratio_is_said() -> None:
    decided, undecided = results("slices", 10, 11, 12), results("blocks", 9, 9, 9, answer="unknown")
    assert table([*decided, *undecided]).splitlines()[-1].endswith("have an answer where blocks mostly have none.")
    assert "have an answer" not in table([*results("slices", 9, 9, answer="unknown"), *results("blocks", 10, 11)])


def test_sessions_that_were_extended_are_not_compared_with_others() -> None:
    assert "have an answer" not in table([*results("slices-on", 10), *results("blocks", 40)])


def test_a_false_answer_is_counted_and_a_failure_is_not_one() -> None:
    told = table([*results("slices", 10, answer="worse"), *results("slices", 5, answer="failed")])
    assert "of 1 answers on real differences 1 in the wrong direction" in told
    assert "| 1 (+1 failed) |" in told


def test_what_is_least_far_is_asked_next_and_what_always_fails_no_more() -> None:
    question = QUESTIONS["depth-8-9"]
    work = [(question, "slices-on"), (question, "blocks-on")]
    assert next_of(work, results("slices-on", 10)) == (question, "blocks-on")
    hopeless = results("blocks-on", 1, 1, 1, answer="failed")
    done = results("slices-on", *[10.0] * question.wanted["slices-on"])
    assert next_of(work, [*hopeless, *done]) == (None, "")
