"""Verdicts for other programs: they must parse there, whatever the names are."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from tests.unit.report.studies import evidence, pair

from plimsoll.report import Evidence
from plimsoll.report.comparisons import Comparison, formats
from plimsoll.report.memory import noted
from plimsoll.report.prometheus import render as prometheus
from plimsoll.stats.verdict import Answer

HOSTILE = '<b>"&\n::error::\r\x1b[31m\ufffe |`x` %0A \u202e@all'


def comparison(found: Evidence, *failing: Answer) -> Comparison:
    return Comparison("title", found.cells, found.rows, frozenset(failing))


def hostile() -> Comparison:
    made = comparison(pair(), Answer.WORSE, Answer.UNKNOWN)
    cells = [replace(cell, case=HOSTILE, target=HOSTILE, metric=HOSTILE) for cell in made.cells]
    return replace(made, title=HOSTILE, cells=cells)


def write(name: str, made: Comparison) -> str:
    return str(formats()[name].render(made))


def test_all_formats_are_there() -> None:
    assert set(formats()) == {"benchstat", "github", "junit", "markdown"}


@pytest.mark.parametrize("name", sorted(formats()))
def test_nothing_to_compare(name: str) -> None:
    assert isinstance(write(name, replace(comparison(pair()), cells=[])), str)


def test_junit_counts_what_it_holds() -> None:
    made = comparison(pair())
    suites = ElementTree.fromstring(write("junit", made))
    cases = suites.findall(".//testcase")
    answers = [cell.verdict.answer for cell in made.cells]
    assert len(cases) == len(made.cells) == int(suites.attrib["tests"])
    assert len(suites.findall(".//failure")) == answers.count(Answer.WORSE) == int(suites.attrib["failures"])
    assert len(suites.findall(".//skipped")) == answers.count(Answer.UNKNOWN) == int(suites.attrib["skipped"])


def test_junit_fails_the_undecided_where_the_gate_does() -> None:
    made = comparison(pair(), Answer.WORSE, Answer.UNKNOWN)
    suites = ElementTree.fromstring(write("junit", made))
    assert suites.attrib["skipped"] == "0"
    assert len(suites.findall(".//failure")) == sum(
        cell.verdict.answer in (Answer.WORSE, Answer.UNKNOWN) for cell in made.cells
    )


def test_junit_takes_any_text() -> None:
    suites = ElementTree.fromstring(write("junit", hostile()))
    assert suites.findall(".//testcase")[0].attrib["classname"].startswith('<b>"&')


def test_no_name_makes_a_workflow_command() -> None:
    lines = write("github", hostile()).splitlines()
    assert len(lines) == sum(cell.verdict.answer is not Answer.SAME for cell in hostile().cells)
    assert all(re.match(r"::(error|warning|notice) title=[^:,]*::", line) for line in lines)


def test_github_says_what_got_worse_first() -> None:
    made = comparison(pair())
    levels = [line.split(" ")[0] for line in write("github", made).splitlines()]
    assert levels == sorted(levels, key=["::error", "::warning", "::notice"].index)
    assert levels.count("::error") == sum(cell.verdict.answer is Answer.WORSE for cell in made.cells)


def test_markdown_is_one_table_whatever_the_names() -> None:
    lines = write("markdown", hostile()).splitlines()
    rows = [line for line in lines if line.startswith("| ")]
    bars = {len(re.findall(r"(?<!\\)\|", line)) for line in rows}
    assert bars == {9}
    assert not [line for line in lines if "<b>" in line]


def test_benchstat_has_the_numbers_of_the_verdicts() -> None:
    found = evidence(targets=("old", "new"), cases=("randread",), blocks=8, ratios={"new": 2.0}, seed=3)
    text = write("benchstat", comparison(found))
    cell = next(cell for cell in found.cells if cell.metric == "iops")
    assert cell.verdict.ratio is not None
    assert f"+{100 * (cell.verdict.ratio - 1):.2f}% (p=" in text
    assert "│ " in text.splitlines()[0]
    assert "read_p99 sec/op" in text


def test_benchstat_tells_the_same_from_the_unknown() -> None:
    same = evidence(targets=("old", "new"), cases=("randread",), blocks=12, noise=0.005, seed=3)
    few = evidence(targets=("old", "new"), cases=("randread",), blocks=2, seed=3)
    assert "   ~ (p=" in write("benchstat", comparison(same))
    assert "? (no verdict, n=2)" in write("benchstat", comparison(few))


SAMPLE = re.compile(r'[a-z_]+(\{[a-z_]+="(\\.|[^"\\\n])*"(,[a-z_]+="(\\.|[^"\\\n])*")*\})? -?[0-9.e+-]+')


def test_prometheus_text_parses_and_names_each_sample_once() -> None:
    found = pair()
    found = Evidence(
        [session.model_copy(update={"title": HOSTILE}) for session in found.sessions], found.runs, None, 0.1
    )
    lines = prometheus(found).splitlines()
    samples = [line for line in lines if not line.startswith("#")]
    assert all(SAMPLE.fullmatch(line) for line in samples), [line for line in samples if not SAMPLE.fullmatch(line)]
    names = [line.rpartition(" ")[0] for line in samples]
    assert len(set(names)) == len(names)
    typed = {line.split()[2] for line in lines if line.startswith("# TYPE")}
    assert {name.partition("{")[0] for name in names} == typed


def test_prometheus_has_base_units() -> None:
    found = evidence(targets=("a", "b"), cases=("randread",), blocks=3)
    line = next(line for line in found.lines if line.metric == "read_p99" and line.target == "a")
    assert line.summary is not None
    wanted = f'plimsoll_score_seconds{{case="randread",target="a",metric="read_p99"}} {line.summary.value / 1e9!r}'
    assert wanted in prometheus(found).splitlines()


@pytest.mark.parametrize("name", sorted(formats()))
def test_memory_is_never_shown_as_the_disk(name: str) -> None:
    made = comparison(pair())
    everywhere = {(cell.case, cell.metric, cell.target) for cell in made.cells}
    told = write(name, replace(made, cells=[noted(cell, everywhere) for cell in made.cells]))
    assert "memory" in told
    assert "memory" not in write(name, made)
