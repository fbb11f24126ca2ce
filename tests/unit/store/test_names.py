import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.factories import START_NS, make_id

from plimsoll.errors import UnknownName, UsageError
from plimsoll.store.names import Named, find, short_id

IDS = [make_id(random.Random(seed), START_NS + seed) for seed in range(20)]
SESSIONS = [Named(each, f"study {n}") for n, each in enumerate(IDS)]


def test_short_ids_of_one_second_differ() -> None:
    assert len({each[:8] for each in IDS}) == 1
    assert len({short_id(each) for each in IDS}) == len(IDS)


def test_a_short_id_is_the_end_of_the_id() -> None:
    assert short_id("01a1ee56-5e00-7d50-ad63-bc3fb9b3d0d8") == "b9b3d0d8"


@given(st.sampled_from(SESSIONS))
def test_every_spelling_of_an_id_finds_it(session: Named) -> None:
    for text in (session.id, session.id.upper(), session.id.replace("-", ""), short_id(session.id), session.title):
        assert find(text, SESSIONS) == session.id
    assert find(short_id(session.id)[:6], SESSIONS) == session.id


def test_the_beginning_of_an_id_finds_it_where_it_is_the_only_one() -> None:
    assert find(IDS[0][:8], SESSIONS[:1]) == IDS[0]


def test_a_title_comes_before_digits() -> None:
    named = Named(make_id(random.Random("x"), START_NS), short_id(IDS[0]))
    assert find(short_id(IDS[0]), [*SESSIONS, named]) == named.id


def test_an_ambiguous_text_lists_the_candidates() -> None:
    with pytest.raises(UsageError, match="names 20 sessions") as caught:
        find(IDS[0][:6], SESSIONS)
    assert f"{short_id(IDS[0])} ('study 0')" in str(caught.value)
    assert "and 10 more" in str(caught.value)


def test_two_sessions_of_one_title_are_told_apart_by_id() -> None:
    with pytest.raises(UsageError, match=f"{short_id(IDS[0])}.*{short_id(IDS[1])}"):
        find("same", [Named(IDS[0], "same"), Named(IDS[1], "same")])


@pytest.mark.parametrize("text", ["", "b9b", "study", "zzzz", "study 99"])
def test_an_unknown_text_is_named(text: str) -> None:
    with pytest.raises(UnknownName, match="no session named"):
        find(text, SESSIONS)


def test_titles_cannot_write_to_the_terminal() -> None:
    with pytest.raises(UsageError) as caught:
        find("same", [Named(IDS[0], "\x1b[2J"), Named(IDS[1], "same"), Named(IDS[2], "same")])
    assert "\x1b" not in str(caught.value)
    with pytest.raises(UnknownName) as unknown:
        find("other", [Named(IDS[0], "\x1b[2J")])
    assert "\x1b" not in str(unknown.value)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("randraed on a, b", "did you mean 3f9c1b20 ('randread on a, b')?"),
        ("3f9c1b2O", "did you mean 3f9c1b20 ('randread on a, b')?"),
        ("suite", "did you mean 5a5a5a5a ('the suite of monday')?"),
        ("nothing like it", "known: 3f9c1b20 ('randread on a, b'), 5a5a5a5a ('the suite of monday')"),
    ],
)
def test_an_unknown_name_gives_the_nearest(typed: str, told: str) -> None:
    known = [
        Named("019aa0c0-0000-7000-8000-00003f9c1b20", "randread on a, b"),
        Named("019aa0c0-0000-7000-8000-00005a5a5a5a", "the suite of monday"),
    ]
    with pytest.raises(UnknownName) as caught:
        find(typed, known)
    assert told in str(caught.value)


def test_an_empty_store_says_how_to_begin() -> None:
    with pytest.raises(UnknownName, match="no session yet; `plimsoll run` makes the first one"):
        find("monday", [])
