"""One number for several tests: what it covers, what it must not cover, and the worst test beside it."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from tests.unit.report.studies import evidence, pair, quick
from tests.unit.stats.test_stated import compared

from plimsoll.report import Evidence, build_document
from plimsoll.report.comparisons import Comparison, formats
from plimsoll.report.memory import noted
from plimsoll.report.prometheus import render as prometheus
from plimsoll.report.renderers.json import as_json
from plimsoll.report.suite import Suite, _unfit, suites
from plimsoll.stats.paired import Cell
from plimsoll.stats.stated import Stated

CASES = ("randread", "seqread", "commit")
HIDES = "It is a summary, not a verdict: a mean of ratios can hide the one test that matters"


def three(**how: object) -> Evidence:
    """Twice as fast, half as fast and the same: together nothing happened."""
    ratios = {("b", "randread"): 2.0, ("b", "seqread"): 0.5}
    return evidence(**({"cases": CASES, "ratios": ratios, "noise": 0.005, "blocks": 5} | how))


def suite_of(found: Evidence, *cells: Cell) -> list[Suite]:
    return suites(cells or found.cells, {case: names[0] for case, names in found.judged.items()})


def test_the_mean_stands_beside_the_worst_test() -> None:
    (suite,) = three().suites
    assert suite.score.ratio == pytest.approx(1.0, rel=0.01)
    assert suite.score.low < 1 < suite.score.high
    assert suite.worst.case == "seqread"
    assert suite.worst_ratio == pytest.approx(0.5, rel=0.02)
    assert suite.sentence.startswith("Over 3 cases, b is 1.000× as fast as a (0.99")
    assert "the geometric mean of randread, seqread, commit; the worst is seqread (2.00× slower)" in suite.sentence
    assert suite.sentence.endswith(f"{HIDES}.")


def test_a_latency_is_turned() -> None:
    found = evidence(cases=("ping", "commit"), ratios={"b": 2.0}, noise=0.005, blocks=5)
    (suite,) = found.suites
    assert found.judged["ping"][0] == "read_p50"
    assert suite.score.ratio == pytest.approx(2.0, rel=0.05)


def test_one_case_or_one_target_has_no_suite() -> None:
    assert evidence(cases=("randread",)).suites == ()
    assert quick().suites == ()


def test_only_cases_that_both_ran_are_in_it() -> None:
    found = three()
    runs = [run for run in found.runs if (run.plan.case, run.target.name) != ("seqread", "b")]
    (suite,) = Evidence(found.sessions, runs, None, 0.10).suites
    assert [cell.case for cell in suite.cells] == ["randread", "commit"]
    assert "seqread" not in suite.sentence


def changed(found: Evidence, case: str, **verdict: object) -> list[Cell]:
    return [
        replace(cell, verdict=replace(cell.verdict, **verdict)) if cell.case == case else cell for cell in found.cells
    ]


def test_a_contaminated_comparison_is_left_out_and_named() -> None:
    found = three()
    (suite,) = suite_of(found, *changed(found, "seqread", contaminated=True))
    assert "seqread" not in [cell.case for cell in suite.cells]
    assert suite.sentence.endswith("Not in it: seqread: a few blocks are far from the others.")
    assert suite_of(found, *changed(found, "seqread"))[0].left_out == ()


def test_memory_is_left_out() -> None:
    found = three()
    cells = [noted(cell, {("seqread", "throughput", "b")}) for cell in found.cells]
    (suite,) = suite_of(found, *cells)
    assert suite.left_out == (("seqread", "memory, not the disk"),)


def test_a_withheld_verdict_is_left_out() -> None:
    """Sets that are no repetitions of one thing: their mean says nothing, and must not enter another one."""
    old, new = (evidence(targets=(name,), cases=CASES, blocks=8, noise=0.005, title=name) for name in ("old", "new"))
    runs = []
    for run in [*old.runs, *new.runs]:
        factor = 0.9**run.block if (run.target.name, run.plan.case) == ("new", "seqread") else 1.0
        scores = [score.model_copy(update={"value": score.value * factor}) for score in run.scores]
        runs.append(run.model_copy(update={"scores": tuple(scores)}))
    found = Evidence([*old.sessions, *new.sessions], runs, "old", 0.10)
    withheld = {cell.case for cell in found.cells if cell.apart is not None and cell.apart.withheld}
    assert withheld == {"seqread"}
    (suite,) = found.suites
    assert [cell.case for cell in suite.cells] == ["randread", "commit"]
    assert suite.left_out[0][0] == "seqread"


def test_older_rules_had_no_suite() -> None:
    found = three()
    assert Evidence(found.sessions, found.runs, None, 0.10, policy=2).suites == ()


@pytest.mark.parametrize("name", ["benchstat", "github", "junit", "markdown"])
def test_every_format_has_it_with_its_warning(name: str) -> None:
    found = three()
    made = Comparison("title", found.cells, found.rows, frozenset(), found.suites)
    assert HIDES in formats()[name].render(made)
    assert HIDES not in formats()[name].render(replace(made, suites=()))


def test_the_report_and_prometheus_have_it() -> None:
    assert HIDES in json.dumps(as_json(build_document(pair())))
    assert HIDES in json.dumps(as_json(build_document(pair(), short=True)))
    assert HIDES not in json.dumps(as_json(build_document(quick())))
    lines = dict(line.rsplit(" ", 1) for line in prometheus(three()).splitlines() if "plimsoll_suite" in line[:15])
    mean = float(lines['plimsoll_suite_ratio{target="b",baseline="a"}'])
    worst = float(lines['plimsoll_suite_worst_ratio{target="b",baseline="a"}'])
    assert math.log(mean) == pytest.approx(0, abs=0.01)
    assert worst == pytest.approx(0.5, rel=0.02)


def test_a_published_mean_is_left_out_for_what_the_table_does_not_say() -> None:
    apart = compared(Stated(1e9, 1e7), Stated(2e9, 1e7))
    assert _unfit(apart) == "the number of runs is not stated"
    assert _unfit(compared(Stated(1e9, 1e7, 5), Stated(2e9, 1e7, 5))) == ""
