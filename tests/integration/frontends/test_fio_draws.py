"""Kinds, places and sizes of random jobs: those of fio, in its order."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.integration.frontends.conftest import Command, Original

JOB = ("--name=t", "--size=96k", "--bs=4k")


def operations(log: Path) -> list[tuple[str, int, int]]:
    """Kind, offset and length from an iolog."""
    rows = (line.split() for line in log.read_text().splitlines())
    return [(row[2], int(row[3]), int(row[4])) for row in rows if len(row) == 5 and row[2] in ("read", "write", "trim")]


@pytest.mark.parametrize(
    "words",
    [
        ("--rw=randread", "--ioengine=psync"),
        ("--rw=randread", "--ioengine=psync", "--randseed=7", "--loops=2"),
        ("--rw=randrw", "--rwmixread=80", "--bssplit=512/10:4k/60:8k/30", "--ioengine=psync"),
        ("--rw=randwrite", "--bsrange=4k-16k", "--ioengine=libaio", "--loops=2"),
        ("--rw=randrw", "--norandommap", "--ioengine=libaio", "--loops=9"),
        ("--rw=randrw", "--norandommap", "--ioengine=psync", "--loops=9"),
        ("--rw=randwrite", "--norandommap", "--bsrange=4k-16k", "--ioengine=psync", "--io_size=200k"),
    ],
)
def test_operations_are_those_of_fio(disk: Path, original: Original, plimsoll: Command, words: tuple[str, ...]) -> None:
    original("fio", *JOB, *words, "--write_iolog=theirs")
    for data in disk.glob("t.*"):
        data.unlink()
    plimsoll("fio", *JOB, *words, "--write_iolog=ours", cwd=disk)
    theirs, ours = operations(disk / "theirs"), operations(disk / "ours")
    assert len(theirs) > 10
    assert ours == theirs


def test_a_map_that_is_used_up_begins_anew_while_time_is_left(
    disk: Path, original: Original, plimsoll: Command
) -> None:
    words = (*JOB, "--rw=randwrite", "--bssplit=4k/10:16k/50:8k/40", "--ioengine=psync", "--time_based")
    original("fio", *words, "--runtime=100ms", "--write_iolog=theirs")
    for data in disk.glob("t.*"):
        data.unlink()
    plimsoll("fio", *words, "--runtime=1", "--write_iolog=ours", cwd=disk)
    theirs, ours = operations(disk / "theirs"), operations(disk / "ours")
    both = min(len(theirs), len(ours))
    assert both > 24
    assert ours[:both] == theirs[:both]
