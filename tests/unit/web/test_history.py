"""Levels of a history."""

from __future__ import annotations

import math
import random

import pytest

from plimsoll.store.histories import SessionScores, Work
from plimsoll.store.kept_scores import Counting
from plimsoll.web.history import FEWEST_SESSIONS, MOST_GROUPS, Level, Session, condensed, levels, of_scores, placed


def sessions(values: list[float | None]) -> list[Session]:
    return [Session(str(i), "host", i, value, value, value, 1, 1) for i, value in enumerate(values)]


def noisy(count: int, level: float, rng: random.Random, sigma: float = 0.02) -> list[float | None]:
    return [level * math.exp(rng.gauss(0, sigma)) for _ in range(count)]


@pytest.mark.parametrize("ratio", [0.7, 0.85, 1.3])
@pytest.mark.parametrize("seed", range(5))
def test_a_change_is_found_where_it_is(ratio: float, seed: int) -> None:
    rng = random.Random(seed)
    found = levels(sessions(noisy(8, 100, rng) + noisy(7, 100 * ratio, rng)))
    assert [(level.first, level.last) for level in found] == [(0, 7), (8, 14)]
    assert found[1].value / found[0].value == pytest.approx(ratio, rel=0.04)


def test_a_steady_series_has_one_level() -> None:
    false = sum(len(levels(sessions(noisy(30, 100, random.Random(seed))))) > 1 for seed in range(100))
    assert false <= 4


def test_one_odd_session_is_no_level() -> None:
    values = noisy(20, 100, random.Random(3))
    values[0], values[9] = 30.0, 300.0
    assert len(levels(sessions(values))) == 1


def test_a_small_difference_is_no_change() -> None:
    assert len(levels(sessions([100.0] * 10 + [103.0] * 10))) == 1


def test_sessions_without_a_score_are_passed_over() -> None:
    values: list[float | None] = [100.0, None, 100, 101, 99, None, 50, 50, 51, 49, None]
    found = levels(sessions(values))
    assert [(level.first, level.last) for level in found] == [(0, 4), (6, 9)]


def test_too_few_sessions_say_nothing() -> None:
    assert levels(sessions([100.0] * (FEWEST_SESSIONS - 1))) == []
    assert levels([]) == []


def test_the_first_valid_attempt_of_a_block_counts() -> None:
    scores = (Counting(0, 1, 100.0), Counting(1, 0, 110.0), Counting(1, 1, 500.0), Counting(3, 0, 120.0))
    work = Work("w", "t", "p", "h", {}, 1, 6, 1)
    found = of_scores(SessionScores("s", "h", 1, 6, work, scores))
    assert (found.value, found.low, found.high) == (110.0, 100.0, 120.0)
    assert (found.runs, found.valid) == (6, 3)
    nothing = of_scores(SessionScores("s", "h", 1, 6, work, ()))
    assert (nothing.value, nothing.low, nothing.high, nothing.valid) == (None, None, None, 0)


def test_another_place_is_an_event_and_begins_another_level() -> None:
    """Six nights on ext4, seven on tmpfs at five times the speed: no change of level, but of the place."""
    found = sessions([100.0, 101, 99, 100, 102, 98, 500, 501, 499, 502, 500, 498, 500])
    facts = {each.id: {"file system": "ext4" if int(each.id) < 6 else "tmpfs"} for each in found}
    told = placed(found, facts)
    assert [each.place for each in told] == [0] * 6 + [1] * 7
    assert [each.event for each in told if each.event] == ["file system changed from ext4 to tmpfs"]
    assert told[6].event
    assert [(level.first, level.last) for level in levels(told)] == [(0, 5), (6, 12)]
    # Too few sessions on the second place have no level, and lend none to the first.
    assert [(level.first, level.last) for level in levels(told[:9])] == [(0, 5)]


def test_one_place_has_no_events() -> None:
    found = sessions([100.0, 101, 99, 100, 102, 98, 50, 51, 49, 50, 50])
    facts = {each.id: {"file system": "ext4", **({"device": "aa"} if int(each.id) > 3 else {})} for each in found}
    told = placed(found, facts)
    assert {each.place for each in told} == {0}
    assert not any(each.event for each in told)
    assert [(level.first, level.last) for level in levels(told)] == [(0, 5), (6, 10)]


def test_a_place_that_comes_back_is_the_same_place() -> None:
    found = sessions([100.0, 500, 100])
    facts = {"0": {"file system": "ext4"}, "1": {"file system": "tmpfs"}, "2": {"file system": "ext4"}}
    told = placed(found, facts)
    assert [each.place for each in told] == [0, 1, 0]
    assert told[2].event == "file system changed from tmpfs to ext4"


def test_groups_keep_the_median_the_span_and_the_edge_of_a_level() -> None:
    values = [100.0 + i % 5 for i in range(700)] + [50.0 + i % 5 for i in range(299)] + [None]
    many = [
        Session(str(i), "host", i, value, value and value - 1, value and value + 1, 3, 3 if value else 0)
        for i, value in enumerate(values)
    ]
    groups, steps = condensed(many, [Level(0, 699, 102.0), Level(700, 998, 52.0)])
    assert MOST_GROUPS - 2 <= len(groups) <= MOST_GROUPS + 2
    assert sum(each.runs for each in groups) == 3 * len(many)
    assert sum(each.valid for each in groups) == 3 * (len(many) - 1)
    assert (min(each.low or 99 for each in groups), max(each.high or 0 for each in groups)) == (49, 105)
    assert [each.value for each in groups[:2]] == [102, 102]
    (first, second) = steps
    assert second.first == first.last + 1
    assert {each.value for each in groups[first.first : first.last + 1]} == {102}
    assert {each.value for each in groups[second.first : second.last + 1]} == {52}


def test_groups_mark_a_place_that_changes_but_not_one_that_always_does() -> None:
    few = [Session(str(i), "host", i, 1.0, 1.0, 1.0, 1, 1, event="moved" if i == 250 else "") for i in range(500)]
    groups, _ = condensed(few, [])
    assert [each.started_ns >= 250 for each in groups if each.event] == [True]
    always = [Session(str(i), "host", i, 1.0, 1.0, 1.0, 1, 1, event="moved") for i in range(500)]
    groups, steps = condensed(always, [])
    assert (len(groups), steps) == (MOST_GROUPS, [])
    assert not any(each.event for each in groups)
