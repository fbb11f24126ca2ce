"""Slices are refused where they cannot be or would mislead, with the reason and what to do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from plimsoll.errors import UnknownName, UsageError
from plimsoll.run import interleave, plan
from plimsoll.run.study import Study, from_table, from_words

TWO = ("a=.", "b=.,depth=9")


def study(*on: str, tests: tuple[str, ...] = ("randread",), **choices: object) -> Study:
    return replace(from_words(tests, on or TWO, seed=1, interleave="slices"), **choices)


def checked(asked: Study) -> None:
    interleave.check(asked, plan.steps(asked))


def test_settings_of_one_disk_may_alternate() -> None:
    checked(study())
    checked(study("a=.", "b=.,engine=psync,depth=1"))
    checked(study("a=.", "b=.,block_size=16KiB", tests=("randrw", "seqread")))


@pytest.mark.parametrize(
    ("on", "why"),
    [
        (("a=.",), "there is one target, and nothing to alternate with"),
        (("a=.", "b=.,as=gp3+size=100GiB"), "target b has the limits of gp3+size=100GiB, and what it saves up"),
        (("a=.", "b=.,cap_iops=3000"), "target b has a limit (cap_iops=3000), and what it saves up"),
        (("a=.", "b=vol:gp3,size=100GiB"), "target b is an emulated volume with limits, and what it saves up"),
        (("a=.", "b=.,runtime=9s"), "runs for 9 s on b and 10 s on a, and targets that alternate run equally long"),
        (("a=.,runtime=100ms", "b=.,runtime=100ms"), "runs for 100 ms, and slices need 160 ms"),
        (("a=.", "b=.,verify=yes"), "test randread cannot: "),
        (("a=.", "b=.,max_operations=9"), "test randread cannot: "),
        (("a=.", "b=.,implementation=original"), "is carried out by another program, which cannot pause"),
    ],
)
def test_what_cannot_alternate_is_refused_with_the_reason(on: tuple[str, ...], why: str) -> None:
    with pytest.raises(UsageError) as refused:
        checked(study(*on))
    assert why in str(refused.value)
    assert str(refused.value).startswith("--interleave slices: ")


def test_only_disk_tests_can_pause_yet() -> None:
    with pytest.raises(UsageError, match="test postmark is no disk test, and only those can pause and go on yet"):
        checked(study("a=.", "b=./", tests=("postmark",)))


def test_blocks_are_asked_nothing() -> None:
    checked(study("a=.,as=gp3+size=100GiB", "b=.,runtime=9s", interleave="blocks"))


def test_a_way_that_is_none_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"slice.*slices"):
        study(interleave="slice")


def test_a_study_file_keeps_the_way_and_says_nothing_of_the_usual_one() -> None:
    assert from_table(study().to_table(), "x").interleave == "slices"
    assert "interleave" not in study(interleave="blocks").to_table()
