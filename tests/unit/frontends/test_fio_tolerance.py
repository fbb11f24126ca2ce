"""Which errors `plimsoll fio` lets pass, and which files are as long as there is room: by the rules of fio 3.33."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from tests.unit.frontends.test_fio_words import job, jobs

from plimsoll.errors import UsageError
from plimsoll.frontends.fio.jobs import caught_up
from plimsoll.frontends.fio.plans import plan_of

FATAL_BUT = [errno.EIO, errno.EILSEQ]
MIB = 2**20


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("words", "reads", "writes", "bad_blocks"),
    [
        (["--continue_on_error=io"], FATAL_BUT, FATAL_BUT, False),
        (["--continue_on_error=read"], FATAL_BUT, [], False),
        (["--continue_on_error=all"], FATAL_BUT, FATAL_BUT, True),
        (["--continue_on_error=verify"], [], [], True),
        (["--ignore_error=EAGAIN,ENOSPC:122"], [errno.EAGAIN], [errno.ENOSPC, 122], False),
        (["--ignore_error=,ENOSPC"], [], [errno.ENOSPC], False),
        (["--ignore_error=,,EILSEQ"], [], [], True),
        (["--ignore_error=,,EIO"], [], [], False),
        (["--continue_on_error=io", "--ignore_error=-5"], [errno.EIO], FATAL_BUT, False),
        (["--ignore_error=5,28", "--continue_on_error=write"], [], [errno.ENOSPC], False),
    ],
)
def test_errors_that_are_let_pass(words: list[str], reads: list[int], writes: list[int], bad_blocks: bool) -> None:
    parameters = plan_of(job(*words)).parameters
    expected = {"reads": reads, "writes": writes, "bad_blocks": bad_blocks, "until_full": False}
    assert (parameters["tolerance"], parameters["count_errors"]) == (expected, True)


def test_the_first_error_ends_a_job_that_says_nothing() -> None:
    for words in ([], ["--continue_on_error=none"], ["--ignore_error=,"], ["--error_dump=1"]):
        parameters = plan_of(job(*words)).parameters
        assert "tolerance" not in parameters
        assert not parameters["count_errors"]


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--ignore_error=ENOSPACE"], "ENOSPACE"),
        (["--ignore_error=0"], "'0'"),
        (["--ignore_error=EIO,EIO,EIO,EIO"], "three lists"),
        (["--continue_on_error=often"], "verify"),
    ],
)
def test_what_is_no_error_is_named(words: list[str], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        plan_of(job(*words))


def fills(*words: str) -> list[str]:
    return ["--bs=4k", "--filename=f", "--name=j", "--fill_device=1", *words]


def test_a_file_that_fills_has_room_for_more_than_there_is() -> None:
    (found,) = jobs(*fills("--rw=write"))
    status = os.statvfs(".")
    assert found.size >= status.f_bavail * status.f_frsize
    assert found.grows
    assert not found.region.late
    assert plan_of(found).parameters["tolerance"]["until_full"]
    (bounded,) = jobs(*fills("--rw=write", "--size=1m"))
    assert (bounded.size, bounded.grows) == (MIB, True)


def test_what_reads_a_filled_file_waits_for_its_length() -> None:
    _, found = jobs(*fills("--rw=write"), "--name=again", "--stonewall", "--rw=read")
    assert found.region.late
    with Path("f").open("wb") as file:
        file.truncate(3 * MIB + 1000)
    now = caught_up(found)
    assert (now.size, now.region.late, now.stage) == (3 * MIB + 1000, False, 1)
    assert plan_of(now).parameters["max_bytes"] == 3 * MIB - 4095
    (alone,) = jobs(*fills("--rw=randread"))
    assert alone.region.late
    assert not alone.grows
    # Without a wall between them the file is what it was before.
    _, beside = jobs(*fills("--rw=write"), "--name=beside", "--rw=read")
    assert (beside.size, beside.region.late) == (3 * MIB + 1000, False)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--rw=randwrite"], "rw=write, read, randread"),
        (["--rw=write", "--overwrite=1"], "overwrite"),
        (["--rw=write", "--filename=a:b"], "one file"),
    ],
)
def test_what_cannot_fill_is_refused(words: list[str], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        jobs(*fills(*words))
