"""Turns of a block: everybody's time is the same, nobody works while another does, and nobody always comes first."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as some

from plimsoll.run.turns import (
    DISCARD_NS,
    FEWEST_ROUNDS,
    LONGEST,
    LONGEST_DISCARD_NS,
    SHORTEST,
    Pace,
    Turns,
    after_others,
    pace_for,
    turns,
)
from plimsoll.units import MILLISECOND, SECOND

NAMES = some.lists(some.sampled_from("abcdefgh"), min_size=2, max_size=8, unique=True)
RUNTIMES = some.integers(Pace(LONGEST_DISCARD_NS).shortest_runtime_ns, 600 * SECOND)
WARMUPS = some.integers(0, 5 * SECOND)
PACES = some.builds(Pace, some.integers(DISCARD_NS, LONGEST_DISCARD_NS))


def usual(targets: list[str], runtime_ns: int, seed: str) -> Turns:
    return turns(targets, runtime_ns, 0, seed, Pace())


@given(NAMES, RUNTIMES, WARMUPS, some.text(max_size=8), PACES)
def test_all_work_equally_long_one_at_a_time_and_without_a_gap(
    names: list[str], runtime_ns: int, warmup_ns: int, seed: str, pace: Pace
) -> None:
    found = turns(names, runtime_ns, warmup_ns, seed, pace)
    assert found.of.keys() == set(names)
    lengths = {sum(length for _, length in each) for each in found.of.values()}
    assert len(lengths) == 1
    (length_ns,) = lengths
    assert runtime_ns - FEWEST_ROUNDS * 1_000_000 <= length_ns - warmup_ns <= runtime_ns
    every = sorted(turn for each in found.of.values() for turn in each)
    assert every[0][0] == 0
    assert all(start + length == following for (start, length), (following, _) in pairwise(every))
    assert all(length - (warmup_ns if first else 0) >= 2 * found.discard_ns for first, length in firsts(found))


def firsts(found: Turns) -> list[tuple[bool, int]]:
    """Of each slice, whether it is the first of its target, and its length."""
    return [(number == 0, length) for each in found.of.values() for number, (_, length) in enumerate(each)]


@given(NAMES, some.integers(8 * SECOND, 60 * SECOND), WARMUPS, some.text(max_size=8), PACES)
def test_slices_are_as_long_as_the_pace_says(
    names: list[str], runtime_ns: int, warmup_ns: int, seed: str, pace: Pace
) -> None:
    found = turns(names, runtime_ns, warmup_ns, seed, pace)
    assert 0.9 * SHORTEST * pace.discard_ns <= found.slice_ns <= 1.1 * LONGEST * pace.discard_ns
    assert found.discard_ns == pace.discard_ns
    assert all(length == found.slice_ns + (warmup_ns if first else 0) for first, length in firsts(found))


@given(NAMES, RUNTIMES, some.text(max_size=8))
def test_a_drift_over_a_pair_of_rounds_hits_all_alike(names: list[str], runtime_ns: int, seed: str) -> None:
    found = usual(names, runtime_ns, seed)
    for first in range(0, len(found.of[names[0]]), 2):
        middles = {sum(each[at][0] for at in (first, first + 1)) for each in found.of.values()}
        assert len(middles) == 1


def test_lengths_and_order_are_others_from_block_to_block_and_the_same_for_a_seed() -> None:
    blocks = [usual(["a", "b", "c"], 5 * SECOND, f"session/case/{number}/0") for number in range(20)]
    assert len({str(each.of) for each in blocks}) == 20
    assert len({each.slice_ns for each in blocks}) > 5
    assert usual(["a", "b"], 5 * SECOND, "x") == usual(["a", "b"], 5 * SECOND, "x")


def test_each_begins_as_often() -> None:
    first = [
        min(usual(["a", "b"], SECOND, str(seed)).of.items(), key=lambda each: each[1][0])[0] for seed in range(400)
    ]
    assert 150 < first.count("a") < 250


def test_what_takes_longer_to_come_back_gets_longer_slices_until_that_is_too_long() -> None:
    assert pace_for([], SECOND) == Pace(DISCARD_NS)
    assert pace_for([MILLISECOND] * 99 + [SECOND], SECOND) == Pace(DISCARD_NS)
    assert pace_for([30 * MILLISECOND] * 40, SECOND) == Pace(45 * MILLISECOND)
    assert pace_for([30 * MILLISECOND] * 40, 300 * MILLISECOND) is None
    assert pace_for([50 * MILLISECOND] * 40, 60 * SECOND) is None
    assert pace_for([MILLISECOND] * 90 + [50 * MILLISECOND] * 10, 60 * SECOND) is None


@given(NAMES, RUNTIMES, some.text(max_size=8))
def test_who_follows_whom_is_what_the_order_of_time_says(names: list[str], runtime_ns: int, seed: str) -> None:
    found = usual(names, runtime_ns, seed)
    follows = after_others(found)
    ends = {start + length: name for name, each in found.of.items() for start, length in each}
    for name, each in found.of.items():
        assert follows[name] == [ends.get(start) != name for start, _ in each]
    pairs = len(follows[names[0]]) // 2
    own = sorted(each.count(False) for each in follows.values())
    assert own[-1] >= pairs - 1, "who begins the pairs ends them, too"
    assert own[0] >= pairs // len(names), "some slices of each follow an own one"
    if len(names) == 2:
        assert sum(own) == 2 * pairs - 1, "of two, half of all slices but the first"
