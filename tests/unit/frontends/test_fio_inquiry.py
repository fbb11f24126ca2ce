"""What `plimsoll fio` answers without a run, and the words that ask for it."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from plimsoll.errors import UsageError
from plimsoll.frontends.fio.command_line import parse
from plimsoll.frontends.fio.inquiry import command_of, engines, seeds
from plimsoll.frontends.fio.jobs import jobs_of
from plimsoll.frontends.fio.plans import plan_of

JOBS = """
[global]
size=1m
time_based
[a]
rw=randread
[global]
bs=8k
[b]
stonewall
description=it's "x"
filename=/tmp/a b
"""


def test_a_job_file_as_a_command_line_means_the_same(tmp_path: Path) -> None:
    path = tmp_path / "jobs.fio"
    path.write_text(JOBS)
    sections = parse([str(path)]).sections
    command = command_of(sections)
    assert command.startswith("fio --size=1m --time_based --name=a --rw=randread --name=b --bs=8k")
    again = parse(shlex.split(command)[1:]).sections
    assert [each.name for each in again] == ["a", "b"]
    assert [each.options for each in again] == [each.options for each in sections]


def test_the_seed_of_a_job_is_told() -> None:
    def told(*words: str) -> list[str]:
        asked = parse(["--name=t", "--size=1m", "--rw=randread", "--debug=random", *words])
        plans = [(each.number, plan_of(each)) for each in jobs_of(asked.sections)]
        assert not list(seeds(("parse",), plans))
        return list(seeds(asked.debug, plans))

    first = told()
    assert first == told("--allrandrepeat=1") != told("--randseed=5")
    assert first[0] == "random   1 FIO_RAND_NR_OFFS=1"
    assert first[1].startswith("random   1 rand_seeds[0]=")
    assert told("--randrepeat=0") != told("--randrepeat=0")
    assert told("--randrepeat=0", "--randseed=5") == told("--randseed=5")


def test_engines_are_listed_as_fio_lists_them() -> None:
    assert engines("")[0] == "Available IO engines:"
    assert "\tlibaio" in engines("")
    assert [line.split()[0] for line in engines("io_uring,hipri")] == ["hipri"]
    for asked in ("rbd", "psync,hipri"):
        with pytest.raises(UsageError, match="--enghelp"):
            engines(asked)


def test_formats_come_in_the_order_of_fio() -> None:
    assert parse(["--name=t", "--output-format=normal,json,terse"]).formats == ("terse", "json", "normal")
    assert parse(["--name=t", "--append-terse"]).formats == ("terse", "normal")


@pytest.mark.parametrize("words", [("--cmdhelp=all",), ("--terse-version=2",), ("--idle-prof=x",)])
def test_what_is_not_carried_out_is_named(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match=words[0].partition("=")[0]):
        parse([*words, "--name=t", "--size=1m"])


def test_a_section_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "jobs.fio"
    path.write_text(JOBS)
    with pytest.raises(UsageError, match="--section=c"):
        parse(["--section=c", "--section=a", str(path)])
