"""A burst is told in every format, and only where there is one."""

from __future__ import annotations

import csv
import io
import json

import pytest
from tests.factories import make_study
from tests.unit.report.studies import told

from plimsoll.model import POLICY_VERSION, Run, Score
from plimsoll.report import Evidence, build_document, prometheus, publication
from plimsoll.report.comparisons import Comparison, formats
from plimsoll.report.document import Table, cell_text
from plimsoll.report.rendering import render
from plimsoll.report.sections import cost
from plimsoll.stats.policy import LEVELS_FROM

GP2, GP3 = "gp2+size=100GiB", "gp3+size=100GiB"


def evidence(one: str = GP2, other: str = GP3, policy: int = POLICY_VERSION) -> Evidence:
    """Two targets of 3,000 random reads per second, p99 of 35 ms."""
    session, runs = make_study(cases=("randread",), targets=("a", "b"), blocks=4)
    changed = [_changed(run, {"a": one, "b": other}[run.target.name]) for run in runs]
    return Evidence([session], changed, None, 0.1, policy)


def _changed(run: Run, volume: str) -> Run:
    target = run.target.model_copy(update={"options": {"as": volume} if volume else {}})
    about = 1 + 0.002 * (run.block % 3)
    scores = (
        Score(metric="iops", value=3000 * about, unit="1/s", direction="higher"),
        Score(metric="read_p99", value=35e6 * about, unit="ns", direction="lower"),
    )
    return run.model_copy(update={"target": target, "scores": scores, "findings": ()})


SAID = "while a has burst credits, 33 min"
FOUND = "ustained level not measured"


@pytest.mark.parametrize("name", ["terminal", "markdown", "html", "json"])
def test_each_renderer_says_until_when_and_what_is_left(name: str) -> None:
    text = " ".join(told(render(build_document(evidence()), name)).split())
    assert SAID in text
    assert "then b is about 10× faster than a" in text
    assert "then a is held to 300 IOPS" in text
    assert FOUND in text
    steady = told(render(build_document(evidence(GP3, GP3)), name))
    assert all(words not in steady for words in ("burst credits", "is about", "is held to", FOUND, "Level:"))


def test_the_flat_table_says_it_of_each_score() -> None:
    rows = list(csv.DictReader(io.StringIO(render(build_document(evidence()), "csv"))))
    assert {row["level"] for row in rows if row["target"] == "a"} == {"burst"}
    assert all(FOUND in row["findings"] for row in rows if row["target"] == "a")
    assert {(row["level"], row["findings"]) for row in rows if row["target"] == "b"} == {("", "")}


def test_scores_and_the_table_of_comparisons_say_which_it_is() -> None:
    document = json.loads(render(build_document(evidence()), "json"))
    tables = [block for section in document["sections"] for block in section["blocks"] if block["type"] == "table"]
    scores = next(each for each in tables if each["caption"].startswith("Scores of the judged"))
    levels = {(row["target"], row["level"]) for row in scores["rows"]}
    assert levels == {("a", "burst, 33 min; then 300 IOPS"), ("b", "")}
    assert {row["stability"] for row in scores["rows"]} == {"stable within the burst", "stable"}
    compared = next(each for each in tables if each["caption"] == "Every comparison")
    assert all("has burst credits" in row["notes"] for row in compared["rows"])
    assert "Level" not in json.dumps(render(build_document(evidence("", "")), "json"))


@pytest.mark.parametrize("name", sorted(formats()))
def test_each_format_of_comparisons_marks_it(name: str) -> None:
    for one, bursting in ((GP2, True), (GP3, False)):
        made = evidence(one)
        text = formats()[name].render(Comparison("t", made.cells, made.rows, frozenset()))
        # What is the same is no message of a build server.
        assert ("burst" in text) == (bursting and name != "github")


def test_the_chart_says_once_what_all_its_rows_are() -> None:
    charts = {chart.id: chart for chart in build_document(evidence()).charts}
    chart = charts["forest-0"]
    assert chart.title == "b against a (burst)"
    assert [cell_text(row[0]) for row in chart.data.rows] == ["randread, IOPS", "randread, read p99"]
    assert build_document(evidence(GP3)).charts[0].title == "b against a"


def test_publication_and_prometheus_say_it() -> None:
    found = publication.answers(evidence())
    assert {(row["target"], row.get("level")) for row in found["scores"]} == {("a", "burst"), ("b", None)}
    assert all(SAID in row["sentence"] and row["level"] == "burst" for row in found["verdicts"])
    text = prometheus.render(evidence())
    assert 'target="a",metric="iops",level="burst"}' in text
    assert 'target="b",metric="iops"}' in text


def test_older_rules_give_the_answers_that_were_published() -> None:
    found = publication.answers(evidence(policy=LEVELS_FROM - 1))
    assert "burst" not in json.dumps(found["verdicts"])
    assert all("level" not in row for row in (*found["verdicts"], *found["scores"]))


def test_a_million_operations_cost_what_lasts() -> None:
    [_, operations, _] = cost.build(evidence())
    assert isinstance(operations, Table)
    amounts = {cell_text(row[1]): row[3].value for row in operations.rows if row[3] is not None}  # type: ignore[union-attr]
    # $10 a month for 300 IOPS, $8 for 3,000.
    assert amounts["a"] / amounts["b"] == pytest.approx(10 / 8 * 3000 / 300, rel=0.01)
