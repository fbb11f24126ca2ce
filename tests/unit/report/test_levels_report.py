"""Runs with two levels have no common score, in any format; honest ones have one."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from collections.abc import Sequence

import pytest
from tests.factories import make_study

from plimsoll.model import POLICY_VERSION, Run, Score
from plimsoll.report import Evidence, build_document, levels, prometheus, publication
from plimsoll.report.comparisons import Comparison, formats
from plimsoll.report.document import Table
from plimsoll.report.gate import nothing_compared
from plimsoll.report.naming import named
from plimsoll.report.rendering import render
from plimsoll.report.sections import repeats
from plimsoll.stats.policy import LEVELS_FROM
from plimsoll.stats.sentences import sentence
from plimsoll.stats.verdict import Answer
from plimsoll.store.histories import SessionScores, Work
from plimsoll.store.kept_scores import Counting
from plimsoll.units import DAY, MINUTE, SECOND
from plimsoll.web.history import of_scores

_NOISE = random.Random(7)
STEP = [(3631 if run < 33 else 109) * (1 + 0.004 * _NOISE.gauss(0, 1)) for run in range(40)]
TREND = [1000 * 1.02**run * (1 + 0.003 * _NOISE.gauss(0, 1)) for run in range(12)]
GROUPS = [(1000 if run in (0, 3, 4, 7, 9, 10) else 1400) * (1 + 0.003 * _NOISE.gauss(0, 1)) for run in range(12)]
HONEST = [3631 * (1 + 0.004 * _NOISE.gauss(0, 1)) for run in range(40)]


def evidence(
    a: Sequence[float], b: Sequence[float] = (), policy: int = POLICY_VERSION, *, apart: bool = False
) -> Evidence:
    """Two targets, or one where `b` is empty, with these scores as their iops."""
    session, runs = make_study(cases=("randread",), targets=("a", "b"), blocks=max(len(a), len(b)))
    values = {"a": list(a), "b": list(b)}
    changed = [_scored(run, values[run.target.name]) for run in runs if run.block < len(values[run.target.name])]
    if apart:
        session = session.model_copy(update={"study": {**session.study, "interleaved": False}})
        changed = [
            run.model_copy(update={"block": run.block + (100 if run.target.name == "b" else 0)}) for run in changed
        ]
    return Evidence([session], changed, "a", 0.1, policy)


def _scored(run: Run, values: list[float]) -> Run:
    plan = run.plan.model_copy(update={"metrics": ("iops",)})
    score = Score(metric="iops", value=values[run.block], unit="1/s", direction="higher")
    return run.model_copy(update={"plan": plan, "scores": (score,), "findings": ()})


def scores(found: Evidence) -> list[dict[str, object]]:
    document = json.loads(render(build_document(found), "json"))
    [section] = [each for each in document["sections"] if each["id"] == "scores"]
    rows: list[dict[str, object]] = section["blocks"][0]["rows"]
    return rows


@pytest.mark.parametrize("name", ["terminal", "markdown", "html", "json"])
def test_a_step_has_two_scores_and_the_run_and_time_of_the_change(name: str) -> None:
    text = " ".join(re.sub("</?span[^>]*>", "", render(build_document(evidence(STEP)), name)).split())
    assert "34…40" in text
    assert "3,624…3,63" not in text  # the interval of all runs together
    assert "step: runs 34…40 of 40, from 2026-11-18 11:" in text
    assert "34…40" not in render(build_document(evidence(HONEST)), name)


def test_the_flat_table_says_to_which_level_a_run_belongs() -> None:
    for values, words in ((STEP, {"step: runs 1…33", "step: runs 34…40"}), (TREND, {"trend"}), (HONEST, {""})):
        rows = csv.DictReader(io.StringIO(render(build_document(evidence(values)), "csv")))
        assert {row["pattern"] for row in rows} == words


def test_programs_get_both_levels() -> None:
    rows = scores(evidence(STEP))
    assert [(round(row["score"]["value"]), row["runs"]["value"]) for row in rows] == [(3631, 33), (109, 7)]  # type: ignore[index]
    assert [row["95_interval"] for row in rows] == [None, None]
    assert str(rows[1]["stability"]).startswith("step: runs 34…40 of 40, from 2026-11-18 11:")
    [line] = publication.answers(evidence(STEP))["scores"]
    assert (line["value"], line["low"], line["pattern"]) == (None, None, "step")
    assert [(each["first_run"], each["runs"]) for each in line["levels"]] == [(1, 33), (34, 7)]
    text = prometheus.render(evidence(STEP))
    assert 'pattern="step",runs="runs 1…33"' in text
    assert text.count("plimsoll_score_operations_per_second{") == 2


@pytest.mark.parametrize(("values", "word"), [(TREND, "trend"), (GROUPS, "two groups")])
def test_trends_and_groups_have_a_range_and_a_word(values: list[float], word: str) -> None:
    [row] = scores(evidence(values))
    assert row["score"] == {"low": min(values), "high": max(values), "unit": "1/s"}
    assert row["95_interval"] is None
    assert str(row["stability"]).startswith(f"{word}: ")


def test_an_honest_series_has_a_score_with_an_interval() -> None:
    [row] = scores(evidence(HONEST))
    assert row["95_interval"] is not None
    assert row["stability"] == "stable"


def test_a_first_run_unlike_the_others_stands_alone() -> None:
    first, rest = scores(evidence([500.0, *HONEST[:5]]))
    assert (round(first["score"]["value"]), first["runs"]["value"]) == (500, 1)  # type: ignore[index]
    assert rest["runs"]["value"] == 5  # type: ignore[index]


def test_sets_measured_apart_are_compared_level_by_level() -> None:
    [cell] = evidence(HONEST, STEP, apart=True).cells
    [verdict] = publication.answers(evidence(HONEST, STEP, apart=True))["verdicts"]
    assert verdict["ratio"] is None
    assert verdict["sentence"].startswith(
        "no verdict: b against a: 1.00× as fast with runs 1…33 of b, 0.03× from run 34 on, "
        "40 and 40 runs measured apart"
    )
    [other] = evidence(STEP, HONEST, apart=True).cells
    assert "33.3× from run 34 on" in publication.answers(evidence(STEP, HONEST, apart=True))["verdicts"][0]["sentence"]
    assert nothing_compared([cell], named([], [], POLICY_VERSION).names) == ""  # two ratios are more than none
    assert cell.verdict.ratio is None
    assert other.verdict.ratio is None
    ranged = publication.answers(evidence(HONEST, TREND, apart=True))["verdicts"][0]["sentence"]
    assert "(a trend of b)" in ranged
    both = publication.answers(evidence(STEP, STEP[::-1], apart=True))["verdicts"][0]["sentence"]
    assert "no common ratio" in both
    fair = publication.answers(evidence(HONEST, HONEST, apart=True))["verdicts"][0]
    assert fair["ratio"] == pytest.approx(1)


@pytest.mark.parametrize("stepped", [STEP, STEP[23:33] + STEP[33:37]])
def test_a_step_within_the_blocks_leaves_no_answer_of_the_part_before_it(stepped: list[float]) -> None:
    """Verdicts rest on the first 20 blocks, and on the typical one: neither sees what the target does at the end."""
    found = evidence(HONEST[: len(stepped)], stepped)
    [cell] = found.cells
    assert cell.verdict.answer is Answer.UNKNOWN
    assert sentence(cell).startswith("no verdict: b against a: 1.00× as fast until block ")
    assert not any("the verdict" in note.text or "drifted" in note.text for note in cell.notes)
    assert any("the ratio fell by 97 % at pair" in note.text for note in cell.notes)
    told = publication.answers(found)["verdicts"][0]
    assert (told["answer"], told["ratio"]) == ("unknown", None)
    markdown = formats()["markdown"].render(Comparison("t", found.cells, found.rows, frozenset()))
    assert "🟡 no verdict" in markdown
    assert "is false with probability" not in markdown


def test_a_step_that_leaves_the_answer_as_it_is_leaves_the_verdict() -> None:
    twice = [value * (1.5 if place < 6 else 2.5) for place, value in enumerate(HONEST[:12])]
    [cell] = evidence(HONEST[:12], twice).cells
    assert cell.verdict.answer is Answer.BETTER
    assert "1.50× as fast until block 6, 2.50× from block 7 on" in sentence(cell)
    [slow] = evidence(twice, HONEST[:12]).cells
    assert any("the ratio fell by 40 % at pair 7" in note.text for note in slow.notes)


def test_a_step_of_one_target_in_turns_gives_both_ratios() -> None:
    [verdict] = publication.answers(evidence(HONEST[:20], STEP[23:40] + STEP[37:]))["verdicts"]
    assert "1.00× as fast until block 10, 0.03× from block 11 on" in verdict["sentence"]
    assert verdict["ratio"] is None
    # A step that both targets share cancels.
    common = [low * high / 3631 for low, high in zip(STEP, HONEST, strict=True)]
    [verdict] = publication.answers(evidence(STEP, common))["verdicts"]
    assert "until block" not in verdict["sentence"]
    assert verdict["ratio"] == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("name", sorted(formats()))
def test_each_format_of_comparisons_gives_levels_in_place_of_a_ratio(name: str) -> None:
    for other, stepped in ((STEP, True), (HONEST[::-1], False)):
        made = evidence(HONEST, other, apart=True)
        text = formats()[name].render(Comparison("t", made.cells, made.rows, frozenset()))
        assert ("from run 34 on" in text) == stepped


def test_older_rules_give_the_answers_that_were_published() -> None:
    for apart in (False, True):
        found = publication.answers(evidence(HONEST, STEP, LEVELS_FROM - 1, apart=apart))
        assert all(line["value"] and "pattern" not in line for line in found["scores"])
        assert found["verdicts"][0]["ratio"]
        assert "until block" not in found["verdicts"][0]["sentence"]


def test_a_session_with_a_step_has_no_point_in_a_history() -> None:
    def of(values: Sequence[float]) -> SessionScores:
        scores = tuple(Counting(run, 0, value) for run, value in enumerate(values))
        return SessionScores("s", "h", 1, len(scores), Work("w", "t", "p", "h", {}, 1, len(scores), 1), scores)

    session = of_scores(of(STEP))
    assert (session.value, session.pattern, len(session.levels)) == (None, "step", 2)
    honest = of_scores(of(HONEST))
    assert (honest.pattern, honest.levels) == ("", ())
    assert honest.value == pytest.approx(3631, rel=0.01)


def test_a_change_says_when_it_was_where_that_is_known() -> None:
    start = 1_780_000_000 * SECOND
    assert levels.when(start, start + 29 * MINUTE) == "after 29 min"
    assert levels.when(start, start + 3 * DAY) == "2026-05-31 20:26:40 UTC"
    assert levels.when(0, 0) == levels.when(0, start) == "", "an imported file that does not tell it"
    [(told, worse)] = levels.changes_told([line for line in evidence(HONEST, STEP).lines if line.target == "b"])
    assert worse
    assert re.fullmatch(r"b fell in randread .* from run 34 of 40 on \(after \d+ min\)", told)
    unknown = evidence(HONEST, STEP)
    runs = [run.model_copy(update={"started_ns": 0, "ended_ns": 0}) for run in unknown.runs]
    [(told, _)] = levels.changes_told(
        [line for line in Evidence(unknown.sessions, runs, "a", 0.1).lines if line.target == "b"]
    )
    assert told.endswith("from run 34 of 40 on")
    rows = next(block for block in repeats.build(evidence(HONEST, STEP)) if isinstance(block, Table)).rows
    assert re.search(r"from run 34 of 40 on, the scores are .* lower than before, after \d+ min", str(rows))
