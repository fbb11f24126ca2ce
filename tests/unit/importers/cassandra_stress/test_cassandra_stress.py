"""cassandra-stress: Java's spelling of numbers, loads that follow each other, kinds of operation."""

import pytest
from tests.unit.importers.importing import HERE, load, read_text, scores

from plimsoll.errors import ResultFileError
from plimsoll.model import RunStatus
from plimsoll.units import MILLISECOND, SECOND

TWO_KINDS = (HERE / "cassandra_stress" / "fixtures" / "two_kinds.txt").read_text(encoding="utf-8")
WITH_COMMA = TWO_KINDS.translate(str.maketrans(".,", ",."))


def test_each_number_of_threads_is_a_run() -> None:
    first, second = load("cassandra_stress", "two_loads.txt").runs
    assert [run.plan.parameters["threads"] for run in (first, second)] == [4, 8]
    assert scores(first)["operation_rate"] == 6778
    assert scores(second)["operation_rate"] == 11775
    assert scores(second)["operation_p999"] == pytest.approx(9.9 * MILLISECOND)
    assert first.ended_ns - first.started_ns == 147 * SECOND
    assert first.status is RunStatus.OK


def test_kinds_of_operation_have_scores_of_their_own() -> None:
    (run,) = load("cassandra_stress", "two_kinds.txt").runs
    assert scores(run)["read_rate"] == 500
    assert scores(run)["write_rate"] == 1000
    assert scores(run)["read_p99"] == pytest.approx(9.5 * MILLISECOND)
    assert run.reason == "900 of 90,000 operations failed"


def test_a_machine_with_a_decimal_comma_says_the_same() -> None:
    text = (
        WITH_COMMA.replace("99,9th", "99.9th").replace(" ms. ", " ms, ").replace("/s. ", "/s, ").replace("0. W", "0, W")
    )
    (point,), (comma,) = load("cassandra_stress", "two_kinds.txt").runs, read_text("cassandra_stress", text).runs
    assert scores(comma) == scores(point)


def test_two_decimal_marks_in_one_list_are_refused() -> None:
    with pytest.raises(ResultFileError, match=r"line 6: '2,0' is no number where the decimal mark is '.'"):
        read_text("cassandra_stress", TWO_KINDS.replace("2.0 ms [READ: 3.0", "2,0 ms [READ: 3.0"))


def test_nothing_measured_is_no_number_and_a_cut_list_is_partial() -> None:
    text = TWO_KINDS.replace("2.5 ms [", "NaN ms [").partition("Total operation time")[0]
    (run,) = read_text("cassandra_stress", text.replace("        900 [READ: 900", "          0 [READ: 0")).runs
    assert "operation_mean" not in scores(run)
    assert run.status is RunStatus.PARTIAL
    assert run.reason == "the list of results is cut short"
