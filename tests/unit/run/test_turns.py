"""Turns of a block: everybody's time is the same, nobody works while another does, and nobody always comes first."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as some

from plimsoll.run.turns import DISCARD_NS, FEWEST_ROUNDS, LONGEST_NS, SHORTEST_NS, SHORTEST_RUNTIME_NS, turns
from plimsoll.units import SECOND

NAMES = some.lists(some.sampled_from("abcdefgh"), min_size=2, max_size=8, unique=True)
RUNTIMES = some.integers(SHORTEST_RUNTIME_NS, 600 * SECOND)


@given(NAMES, RUNTIMES, some.text(max_size=8))
def test_all_work_equally_long_one_at_a_time_and_without_a_gap(names: list[str], runtime_ns: int, seed: str) -> None:
    found = turns(names, runtime_ns, seed)
    assert found.of.keys() == set(names)
    lengths = {sum(length for _, length in each) for each in found.of.values()}
    assert len(lengths) == 1
    (length_ns,) = lengths
    assert runtime_ns - FEWEST_ROUNDS * 1_000_000 <= length_ns <= runtime_ns
    every = sorted(turn for each in found.of.values() for turn in each)
    assert every[0][0] == 0
    assert all(start + length == following for (start, length), (following, _) in pairwise(every))
    assert all(length > found.discard_ns for _, length in every)


@given(NAMES, some.integers(4 * SECOND, 60 * SECOND), some.text(max_size=8))
def test_slices_are_as_long_as_they_may_be(names: list[str], runtime_ns: int, seed: str) -> None:
    found = turns(names, runtime_ns, seed)
    assert 0.9 * SHORTEST_NS <= found.slice_ns <= 1.1 * LONGEST_NS
    assert found.discard_ns == DISCARD_NS


@given(NAMES, RUNTIMES, some.text(max_size=8))
def test_a_drift_over_a_pair_of_rounds_hits_all_alike(names: list[str], runtime_ns: int, seed: str) -> None:
    found = turns(names, runtime_ns, seed)
    for first in range(0, len(found.of[names[0]]), 2):
        middles = {sum(each[at][0] for at in (first, first + 1)) for each in found.of.values()}
        assert len(middles) == 1


def test_the_order_is_another_in_every_block_and_the_same_for_a_seed() -> None:
    blocks = [turns(["a", "b"], 5 * SECOND, f"session/case/{number}/0") for number in range(20)]
    assert len({str(each.of) for each in blocks}) == 20
    assert len({each.slice_ns for each in blocks}) > 5
    assert turns(["a", "b"], 5 * SECOND, "x") == turns(["a", "b"], 5 * SECOND, "x")


def test_each_begins_as_often() -> None:
    first = [
        min(turns(["a", "b"], SECOND, str(seed)).of.items(), key=lambda each: each[1][0])[0] for seed in range(400)
    ]
    assert 150 < first.count("a") < 250
