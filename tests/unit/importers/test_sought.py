"""Patterns that are tried near their words find what they find everywhere, and long lines cost little."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.importers.importing import read_text

from plimsoll.importers.sought import Sought
from plimsoll.model import RunStatus

PATTERN = r"(?:^|\s)(\d+) users|\bset to (\d+)$"
WORDS = ("users", "set to")
pieces = st.sampled_from(["12 ", "users", " users", "set to 5", "\n", "x", " ", "USERS", "é", "set to", "\n7 users"])


@given(st.lists(pieces, max_size=30).map("".join))
def test_what_is_found_is_what_the_pattern_finds(text: str) -> None:
    found = [match.groups() for match in Sought(PATTERN, *WORDS).finditer(text)]
    assert found == [match.groups() for match in re.compile(PATTERN, re.MULTILINE).finditer(text)]


@pytest.mark.parametrize("text", ["3 USERS", "İ 3 Users"])
def test_capitals_and_letters_that_grow(text: str) -> None:
    match = Sought(r"(\d) (?i:users)", "users", anyhow=True).search(text)
    assert match is not None
    assert match[1] == "3"


def test_a_match_begins_a_line() -> None:
    sought = Sought(r"\d+ users", "users")
    assert sought.match("3 users") is not None
    assert sought.match("of 3 users") is None
    assert sought.match("3") is None


def test_words_far_apart_in_one_line() -> None:
    line = f"{'x ' * 5000}3 users{' y' * 5000} set to 4"
    assert [match.groups() for match in Sought(PATTERN, *WORDS).finditer(line)] == [("3", None), (None, "4")]


def test_of_a_long_line_only_what_is_near_a_word_is_looked_at() -> None:
    """Looking at all of it took half a minute for 20 MB."""
    near = Sought(r"\d users", "users")._near(f"{'1 ' * 1_000_000}3 users{' 4' * 1_000_000}")
    assert [end - begin for begin, end in near] == [2005]


@pytest.mark.parametrize("filling", ["1", " ", "123 456 ", "x", "Vuser 1 "])
def test_a_log_with_a_long_line_is_read(filling: str) -> None:
    log = "Vuser 1:2 Active Virtual Users configured\nVuser 1:TEST RESULT : System achieved 60 NOPM from 120 X TPM\n"
    (run,) = read_text("hammerdb", f"{log}{filling * (2_000_000 // len(filling))}\n").runs
    assert run.status is RunStatus.OK
    assert run.plan.parameters["virtual_users"] == 2


def test_a_number_is_never_cut_where_the_looking_ends() -> None:
    """A number that goes on beyond it is read whole, and a line that goes on does not end there."""
    text = f"users: {' ' * 990}123456"
    assert [match[1] for match in Sought(r"users: +(\d+)", "users: ").finditer(text)] == ["123456"]
    assert Sought(r"users: +(\d+)$", "users: ").search(f"{text}x") is None


@given(st.lists(pieces, max_size=30).map("".join))
def test_what_is_put_in_its_place(text: str) -> None:
    assert Sought(r"\d users", "users").sub(lambda match: f"<{match[0]}>", text) == re.sub(
        r"\d users", lambda match: f"<{match[0]}>", text
    )
