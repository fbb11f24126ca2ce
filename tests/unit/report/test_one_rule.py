"""The summary, the list, the count of decided comparisons and every format tell one story."""

from __future__ import annotations

import math
import re

import pytest
from tests.unit.stats.test_paired import row

from plimsoll.report.comparisons import Comparison, formats, tally
from plimsoll.stats.multiplicity import footer
from plimsoll.stats.paired import Cell, ScoreRow, cells
from plimsoll.stats.sentences import sentence
from plimsoll.stats.verdict import Answer

SPREAD = (-1.2, -0.5, 0.0, 0.5, 1.2)
"""Sums to zero; standard deviation 0.92."""
MARK = "not significant after correction for 14 comparisons"


def rows_of(case: str, mean: float, noise: float) -> list[ScoreRow]:
    """Five blocks whose log ratios lie around `mean`."""
    found = []
    for block, each in enumerate(SPREAD):
        found.append(row("a", block, 1000.0, case=case))
        found.append(row("b", block, 1000.0 * math.exp(mean + noise * each), case=case))
    return found


def fourteen() -> list[Cell]:
    """One clearly worse and two barely, one clearly the same and two barely, and eight of which nothing is known."""
    made = rows_of("clearly worse", -0.5, 0.01) + rows_of("clearly same", 0.0, 0.005)
    made += [each for i in range(2) for each in rows_of(f"barely worse {i}", -0.25, 0.11)]
    made += [each for i in range(2) for each in rows_of(f"barely same {i}", 0.0, 0.054)]
    made += [each for i in range(8) for each in rows_of(f"unknown {i}", 0.02 * (i % 2), 0.6)]
    return cells(made, "a")


def test_the_summary_counts_what_the_list_says() -> None:
    found = fourteen()
    answers = [cell.verdict.answer for cell in found]
    assert (answers.count(Answer.WORSE), answers.count(Answer.SAME), answers.count(Answer.UNKNOWN)) == (3, 3, 8)
    assert tally(found) == (
        "3 worse (2 not significant after correction), 3 the same (2 not significant after correction), 8 undecided"
    )
    assert footer([cell.verdict for cell in found]).startswith("6 of 14 comparisons decided.")
    assert "2 of the 6 stay significant after correction for 14 comparisons" in footer([cell.verdict for cell in found])


def test_a_line_says_that_the_correction_changes_it() -> None:
    told = {cell.case: sentence(cell) for cell in fourteen()}
    marked = {case for case, words in told.items() if MARK in words}
    assert marked == {"barely worse 0", "barely worse 1", "barely same 0", "barely same 1"}
    assert told["barely worse 0"].endswith(f", 5 blocks ({MARK})")


def test_without_others_nothing_is_corrected() -> None:
    (alone,) = cells(rows_of("barely worse", -0.25, 0.11), "a")
    assert alone.verdict.answer is Answer.WORSE
    assert "correction" not in sentence(alone)
    assert all(note.kind != "correction" for note in alone.notes)
    assert tally([alone]) == "1 worse"


def test_older_rules_did_not_correct_the_lines() -> None:
    made = [each for cell in ("x", "y") for each in rows_of(cell, -0.25, 0.11)]
    made += [each for i in range(12) for each in rows_of(f"unknown {i}", 0.0, 0.6)]
    assert all(not cell.corrected for cell in cells(made, "a", policy=2))
    assert sum(cell.corrected == 14 for cell in cells(made, "a")) == 2


@pytest.mark.parametrize(("name", "times"), [("markdown", 4), ("github", 2), ("junit", 4), ("benchstat", 4)])
def test_every_format_says_it_of_the_same_lines(name: str, times: int) -> None:
    """GitHub's annotations leave out what is the same."""
    written = formats()[name].render(Comparison("title", fourteen(), [], frozenset()))
    parts = written.split("<testcase") if name == "junit" else written.splitlines()
    lines = [part for part in parts if "barely" in part or "clearly" in part]
    told = [line for line in lines if re.search(r"not (significant )?after correction", line)]
    assert len({re.findall(r"barely \w+ \d", line)[0] for line in told}) == times
    assert not any("clearly" in line for line in told)


def test_markdown_heads_with_the_same_counts() -> None:
    written = formats()["markdown"].render(Comparison("title", fourteen(), [], frozenset()))
    assert f"**{tally(fourteen())}**" in written
