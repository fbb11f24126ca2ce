"""`filesize` as a range, `openfiles` and `unlink_each_loop` as fio 3.33 has them, without running anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.errors import UsageError
from plimsoll.frontends.fio.command_line import parse
from plimsoll.frontends.fio.jobs import Job, jobs_of
from plimsoll.frontends.fio.plans import plan_of

MIB = 2**20


def job(*words: str) -> Job:
    return jobs_of(parse(["--name=j", "--bs=4k", *words]).sections)[0]


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_each_file_has_a_size_of_the_range_and_the_same_one_the_next_time() -> None:
    words = ("--filesize=1m-8m", "--nrfiles=20", "--bs=64k")
    found = job(*words)
    assert all(MIB <= end <= 8 * MIB and end % 65536 == 0 for end in found.region.ends)
    assert len(set(found.region.ends)) > 10
    assert found.region == job(*words).region
    assert found.region != job(*words, "--randseed=7").region
    assert plan_of(found).parameters["files"]["parts"] == list(found.region.parts)
    assert found.size == sum(found.region.parts) == found.region.amount


def test_clones_have_sizes_of_their_own() -> None:
    first, second = jobs_of(parse(["--name=j", "--filesize=1m-80m", "--numjobs=2"]).sections)
    assert first.region.ends != second.region.ends


def test_a_file_that_has_such_a_size_keeps_it() -> None:
    for name, length in (("j.0.0", 3_000_000), ("j.0.1", 20 * MIB), ("j.0.2", 4096)):
        with Path(name).open("wb") as file:
            file.truncate(length)
    region = job("--filesize=1m-8m", "--nrfiles=3").region
    assert region.ends[0] == 3_000_000
    assert region.parts[0] == 2_998_272  # whole blocks of 4 KiB
    assert all(MIB <= end <= 8 * MIB for end in region.ends[1:])


def test_a_filesize_is_the_region_and_size_what_is_transferred() -> None:
    random = job("--filesize=8m", "--size=1m", "--rw=randread")
    assert (random.size, random.max_bytes) == (8 * MIB, MIB - 4095)
    in_order = job("--filesize=8m", "--size=1m", "--rw=read")
    assert (in_order.size, in_order.region.ends) == (MIB, (8 * MIB,))
    several = job("--filesize=8m", "--size=1g", "--nrfiles=2", "--rw=randread")
    assert several.region.amount == 16 * MIB


def test_a_percentage_and_an_offset_count_in_each_file() -> None:
    for name, length in (("j.0.0", 4 * MIB), ("j.0.1", 2 * MIB)):
        with Path(name).open("wb") as file:
            file.truncate(length)
    assert job("--size=50%", "--nrfiles=2").region.parts == (2 * MIB, MIB)
    assert job("--nrfiles=2", "--offset=1m").region.parts == (3 * MIB, MIB)


def test_parts_of_a_size_are_not_rounded_on_disk() -> None:
    region = job("--size=40k", "--nrfiles=3").region
    assert (region.ends, region.parts) == ((13653,) * 3, (12288,) * 3)


def test_files_too_short_for_a_block_are_left_out() -> None:
    region = job("--filesize=1k-16k", "--nrfiles=40").region
    assert 0 in region.parts
    assert region.least == 4096


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--filesize=8m-1m"], "lower end first"),
        (["--filesize=0-1m"], "1 byte or more"),
        (["--filesize=1m-x"], "not a size"),
        (["--filesize=1m-8m", "--offset=2m", "--nrfiles=9"], "leaves nothing"),
        (["--filesize=1k-3k", "--nrfiles=4"], "larger than the region"),
    ],
)
def test_what_no_file_can_be_is_named(words: list[str], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        job(*words)


def test_openfiles_says_how_many_are_open() -> None:
    def files(*words: str) -> dict[str, object]:
        found: dict[str, object] = plan_of(job("--size=1m", "--nrfiles=4", *words)).parameters["files"]
        return found

    assert files("--openfiles=2")["open"] == 2
    # All of them open is a plan as before: its hash stays.
    assert files() == files("--openfiles=4") == files("--openfiles=0")
    assert set(files()) == {"more", "order", "turn"}
    assert files("--openfiles=2", "--rw=randread", "--time_based", "--runtime=1")["endless"] is True
    with pytest.raises(UsageError, match="1 or more"):
        files("--openfiles=-1")


def test_unlink_each_loop_makes_files_anew_between_loops() -> None:
    def drop_each(*words: str) -> object:
        return plan_of(job("--size=1m", "--unlink_each_loop=1", *words)).parameters["drop_each"]

    assert drop_each("--rw=write", "--loops=3") == "files"
    assert drop_each("--rw=write") == drop_each("--rw=write", "--loops=3", "--time_based", "--runtime=1") == "pass"
    for words in (["--rw=read"], ["--rw=write", "--verify=crc32c"], ["--rw=write", "--io_size=64k"]):
        with pytest.raises(UsageError, match="unlink_each_loop"):
            drop_each("--loops=2", *words)
