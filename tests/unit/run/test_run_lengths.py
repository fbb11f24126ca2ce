"""Targets that alternate have short runs, unless somebody said how long they are or a session has begun otherwise."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from plimsoll.model import Run, RunStatus
from plimsoll.run.run_lengths import in_turns
from plimsoll.run.study import Study, from_table, from_words
from plimsoll.units import MILLISECOND, SECOND

TWO = ("a=.", "b=.,depth=9")
SHORT, USUAL = (SECOND, 250 * MILLISECOND), (10 * SECOND, SECOND)


def study(*on: str, tests: tuple[str, ...] = ("randread",), **choices: object) -> Study:
    return replace(from_words(tests, on or TWO, seed=1), **choices)


def lengths(asked: Study, earlier: tuple[Run, ...] = ()) -> set[tuple[object, object]]:
    steps, _ = in_turns(asked, earlier=earlier)
    return {(each.parameters["runtime"], each.parameters["warmup"]) for step in steps for each in step.plans.values()}


def test_settings_of_one_disk_have_short_runs() -> None:
    assert lengths(study()) == {SHORT}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (study("a=."), USUAL),
        (study(interleave="blocks"), USUAL),
        (study("a=.", "b=.,direct=no,mode=randwrite"), USUAL),
        (study(shared={"runtime": "4s"}), (4 * SECOND, SECOND)),
        (study(shared={"runtime": "10s"}), USUAL),
        (study(shared={"warmup": "3s"}), (SECOND, 3 * SECOND)),
        (study("a=.,runtime=4s", "b=.,runtime=4s,depth=9"), (4 * SECOND, SECOND)),
        (study(quick_sizes=True), (SECOND, 200 * MILLISECOND)),
        (
            from_table(
                {
                    "targets": [{"name": "a", "where": "."}, {"name": "b", "where": ".", "depth": 9}],
                    "tests": [{"test": "randread", "runtime": "5s"}],
                },
                "a file",
            ),
            (5 * SECOND, SECOND),
        ),
    ],
)
def test_what_somebody_chose_and_what_runs_in_whole_blocks_stays(asked: Study, expected: tuple[int, int]) -> None:
    assert lengths(asked) == {expected}


def test_settings_of_one_database_have_short_runs() -> None:
    redis = ("a=.,server=redis", "b=.,server=redis,clients=2")
    assert lengths(study(*redis, tests=("ycsb-c",))) == {(3 * SECOND, SECOND)}
    assert lengths(study(*redis, tests=("ycsb-a",))) == {(10 * SECOND, 2 * SECOND)}, (
        "it writes, and runs in whole blocks"
    )


def test_the_lengths_of_a_suite_are_a_choice() -> None:
    assert lengths(study(tests=("four-corners",))) == {(60 * SECOND, 2 * SECOND)}


def earlier(asked: Study, runtime_ns: int, warmup_ns: int) -> tuple[Run, ...]:
    steps, _ = in_turns(asked)
    plan = steps[0].plans["a"]
    begun = plan.having({**plan.parameters, "runtime": runtime_ns, "warmup": warmup_ns})
    return (
        Run(
            id="r", session_id="s", block=0, order=0, target=asked.targets[0], plan=begun, started_ns=0, ended_ns=1,
            status=RunStatus.OK,
        ),
    )  # fmt: skip


def test_a_session_goes_on_as_it_began() -> None:
    assert lengths(study(), earlier(study(), *USUAL)) == {USUAL}, "also one of an older version"
    apart = study(interleave="blocks")
    assert lengths(apart, earlier(apart, *SHORT)) == {SHORT}, "also where its targets take turns otherwise now"
    chosen = study(shared={"runtime": "4s"})
    assert lengths(chosen, earlier(chosen, *USUAL)) == {(4 * SECOND, SECOND)}


def test_only_the_tests_that_take_turns_are_shortened(tmp_path: Path) -> None:
    steps, ways = in_turns(study("a=.", "b=.,engine=psync,depth=1", tests=("randread", "postmark")))
    assert [ways[step.case].slices for step in steps] == [True, False]
    assert steps[0].plans["a"].parameters["runtime"] == SECOND
    assert steps[1].plans == in_turns(study(f"a={tmp_path}", "b=.", tests=("postmark",)))[0][0].plans


def test_many_short_runs_take_as_long_as_few_that_are_not() -> None:
    """Of these a mode makes more blocks, as long as nobody has set how many."""
    for mode, short, usual in (("quick", 12, 6), ("standard", 20, 12), ("publish", 32, 20)):
        (step,), _ = in_turns(study(mode=mode))
        assert step.most_blocks(study(mode=mode)) == short
        for asked in (study(mode=mode, interleave="blocks"), study(mode=mode, shared={"runtime": "2s"})):
            (step,), _ = in_turns(asked)
            assert step.most_blocks(asked) == usual
    (step,), _ = in_turns(study(blocks=4))
    assert step.most_blocks(study(blocks=4)) == 4
    whole = study(mode="standard", interleave="blocks", shared={"runtime": "1s"})
    (step,), _ = in_turns(whole)
    assert step.most_blocks(whole) == 12
