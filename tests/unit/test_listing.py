"""Lists: one line an entry in any window, cut between words; whole where nobody looks."""

from __future__ import annotations

import pytest

from plimsoll.cli.listing import cut, listed

ROWS = [
    {"test": "randread", "question": "How many random reads per second does it serve?", "IOPS": "1,200", "note": ""},
    {"test": "a-test-of-a-very-long-name", "question": "How soon is one read answered?", "IOPS": "30", "note": ""},
]
HOSTILE = [{"session": "3f9c1b20", "title": "[bold]\x1b[31m\nsecond line " + "x" * 4000, "targets": "a, b"}]


def test_without_a_window_nothing_is_cut() -> None:
    lines = listed(ROWS, ["IOPS"])
    assert len(lines) == 3
    assert all(row["question"] in line for row, line in zip(ROWS, lines[1:], strict=True))
    assert lines[1].endswith("  1,200")
    assert lines[2].endswith("     30")
    assert "note" not in lines[0], "nothing stands in it"


@pytest.mark.parametrize("width", range(12, 100, 4))
def test_an_entry_is_one_line_that_fits(width: int) -> None:
    lines = listed(ROWS, ["IOPS"], width)
    assert len(lines) == 3
    assert all(len(line) <= width for line in lines)


def test_words_are_cut_between_words_and_numbers_not_at_all() -> None:
    narrow = listed(ROWS, ["IOPS"], 60)
    assert "How many random reads per…" in narrow[1]
    assert "IOPS" not in narrow[0]
    wide = listed(ROWS, ["IOPS"], 90)
    assert wide[1].endswith("1,200")


def test_wider_windows_have_more_columns() -> None:
    heads = [len(listed(ROWS, ["IOPS"], width)[0].split()) for width in (20, 60, 90)]
    assert heads == [1, 2, 3]


@pytest.mark.parametrize(
    ("words", "room", "shown"),
    [
        ("random reads", 12, "random reads"),
        ("random reads", 11, "random…"),
        ("random reads, and more", 15, "random reads…"),
        ("/mnt/a/very/long/path", 10, "/mnt/a/ve…"),
        ("読み書き", 5, "読み…"),
        ("word", 1, "…"),
    ],
)
def test_where_it_is_cut(words: str, room: int, shown: str) -> None:
    assert cut(words, room) == shown


@pytest.mark.parametrize("width", [None, 80])
def test_names_of_strangers_are_only_words(width: int | None) -> None:
    lines = listed(HOSTILE, (), width)
    assert len(lines) == 2
    assert "\x1b" not in lines[1]
    assert "[bold]" in lines[1]
