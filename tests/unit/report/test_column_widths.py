"""Tables that are wider than the terminal: whole words, and nothing lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.report.column_widths import BETWEEN, FittedColumn, fitted, unrepeated, wrapped

CASES = FittedColumn("Case", False, ("dbench threads=12", "fs-mark-directories", "postmark transactions=2000"))
TARGET = FittedColumn("Target", False, ("a", "a", "a"))
SCORE = FittedColumn("Score", True, ("515 MiB/s", "600/s", "3,700/s"))


def test_a_table_that_fits_is_as_it_is() -> None:
    found = fitted([CASES, TARGET, SCORE], 80)
    assert (found.columns, found.places, found.common) == ((CASES, TARGET, SCORE), (0, 1, 2), "")


def test_what_every_row_says_is_said_once_and_words_stay_whole() -> None:
    found = fitted([CASES, TARGET, SCORE], 27)
    assert (found.places, found.common) == ((0, 2), "In every row: Target a.")
    assert found.columns[0].cells == ("dbench\nthreads=12", "fs-mark-\ndirectories", "postmark\ntransactions\n=2000")
    assert found.columns[1] == SCORE


def test_a_column_that_judges_is_never_left_out() -> None:
    verdicts = FittedColumn("Verdict", False, ("same", "same", "same"), judges=True)
    found = fitted([CASES, verdicts, SCORE], 38)
    assert (found.places, found.common) == ((0, 1, 2), "")


def test_a_single_row_keeps_all_its_columns() -> None:
    columns = [FittedColumn("Case", False, ("postmark transactions=2000",)), FittedColumn("Target", False, ("a",))]
    assert fitted(columns, 25).places == (0, 1)


def test_where_even_whole_words_are_too_wide_nothing_is_broken_here() -> None:
    assert fitted([CASES, SCORE], 12).columns == (CASES, SCORE)


def test_numbers_break_before_words_do_but_never_from_their_unit() -> None:
    loads = FittedColumn("Load", False, ("random reads", "sequential reads"))
    got = FittedColumn("Got", True, ("3,000/s", "495/s of 256 KiB (124 MiB/s)"))
    limits = FittedColumn("Limited by", False, ("volume IOPS", "volume throughput"))
    assert fitted([loads, got, limits], 55).columns[1] == got
    found = fitted([loads, got, limits], 38)
    assert found.columns[0].cells == ("random\nreads", "sequential\nreads")
    assert found.columns[1].cells == ("3,000/s", "495/s of\n256 KiB\n(124 MiB/s)")
    assert found.columns[2].cells == ("volume\nIOPS", "volume\nthroughput")
    assert not found.is_too_wide
    narrow = fitted([loads, got, limits], 30)
    assert narrow.is_too_wide
    assert narrow.columns == (loads, got, limits)


words = st.text("ab-=_ \t\n12", max_size=25).map(str.strip)


@given(st.lists(st.tuples(words, words, words), min_size=2, max_size=6), st.integers(10, 90))
def test_nothing_is_lost_and_the_width_is_kept(rows: list[tuple[str, str, str]], width: int) -> None:
    columns = zip(*rows, strict=True)
    columns = [
        FittedColumn(title, title == "Score", cells)
        for title, cells in zip(("Case", "", "Score"), columns, strict=True)
    ]
    found = fitted(columns, width)
    spare = width - sum(column.least + BETWEEN for column in found.columns)
    shown = [
        max(len(line) for cell in (column.title, *column.cells) for line in [*cell.split("\n"), ""])
        for column in found.columns
    ]
    assert spare < 0 or sum(shown) + BETWEEN * len(shown) <= width
    for column, place in zip(found.columns, found.places, strict=True):
        for before, after in zip(columns[place].cells, column.cells, strict=True):
            assert re.sub(r"\s", "", before) == re.sub(r"\s", "", after)


def test_repeated_first_columns_are_said_once() -> None:
    columns = (
        FittedColumn("Case", False, ("read", "read", "read", "write")),
        FittedColumn("Metric", False, ("p50", "p50", "p99", "p99")),
        FittedColumn("Target", False, ("a", "b", "b", "b")),
        FittedColumn("Score", True, ("1", "1", "1", "1")),
    )
    assert list(unrepeated(columns)) == [
        ["read", "p50", "a", "1"],
        ["", "", "b", "1"],
        ["", "p99", "b", "1"],
        ["write", "p99", "b", "1"],
    ]


@pytest.mark.parametrize("width", range(12, 60))
def test_no_line_ends_between_a_number_and_its_unit(width: int) -> None:
    words = "the error of 5 % holds; half of the commits take 1.06 ms or more, 12 MiB/s after 27 min of /a/long/path"
    told = wrapped(words, width)
    assert " ".join(told.split()) == words
    for amount in ("5 %", "1.06 ms", "12 MiB/s", "27 min", "/a/long/path"):
        assert amount in told


def test_parts_stay_whole_where_they_fit() -> None:
    assert (
        wrapped("4 cases · 1 session · 2026-11-18 11:06", 24, parts=" · ") == "4 cases · 1 session ·\n2026-11-18 11:06"
    )
    assert wrapped("one part that is too long for it", 12, parts=" · ") == "one part\nthat is too\nlong for it"


def test_what_separates_parts_never_stands_alone() -> None:
    for length in range(30, 50):
        part = "targets " + "x" * (length - 8)
        lines = wrapped(f"1 case · {part} · 9 of 9 runs valid", 40, parts=" · ").splitlines()
        assert "·" not in lines, length
