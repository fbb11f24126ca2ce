"""Values that no job could use are refused where they stand, before a file is made; files and units in fio's order."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.frontends.test_fio_words import job, jobs

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import values
from plimsoll.frontends.fio.command_line import parse
from plimsoll.frontends.fio.execution import check_member, delay_ns
from plimsoll.frontends.fio.layout import check_files
from plimsoll.frontends.fio.plans import plan_of


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        ("rwmixread=101", "0 to 100"),
        ("percentage_random=50,101", "0 to 100"),
        ("buffer_compress_percentage=101", "0 to 100"),
        ("iodepth=0", "1 or more"),
        ("loops=0", "1 or more"),
        ("fsync=-1", "0 or more"),
        ("log_hist_coarseness=7", "0 to 6"),
        ("bwavgtime=abc", "whole number"),
        ("gtod_reduce=abc", "neither 1 nor 0"),
        ("stonewall=abc", "neither 1 nor 0"),
        ("percentile_list=101", "0 to 100"),
        ("percentile_list=50,99", "not a number"),
        ("random_generator=nope", "lfsr"),
        ("clocksource=nope", "cpu"),
        ("mem=shmhuge", "shm"),
    ],
)
def test_the_option_is_named_with_what_it_takes(option: str, hint: str) -> None:
    with pytest.raises(UsageError) as error:
        parse(["--name=t", f"--{option}"])
    assert option in str(error.value)
    assert hint in str(error.value)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--bs=0"], "bs"),
        (["--bssplit=0/50:4k/50"], "bssplit"),
        (["--ioengine=libaoi"], "nearest one there is: libaio"),
        (["--ioengine=libaio", "--hipri"], "hipri"),
        (["--cpus_allowed=0-x"], "cpus_allowed"),
        (["--startdelay=5-2"], "startdelay=5-2"),
        (["--steadystate=iops:x", "--ss_dur=2"], "steadystate"),
        (["--lockmem=abc"], "lockmem"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_made(words: list[str], named: str) -> None:
    def prepared() -> None:
        found = job(*words)
        plan_of(found)
        check_member(found)

    with pytest.raises(UsageError) as error:
        prepared()
    assert named in str(error.value)


def test_counts_have_suffixes_as_well() -> None:
    assert [values.whole(text) for text in ("2k", "0x10", "010", "-3")] == [2048, 16, 10, -3]
    with pytest.raises(UsageError):
        values.whole("1.5")
    with pytest.raises(UsageError, match="max-jobs"):
        parse(["--name=t", "--max-jobs=abc"])


def test_less_than_a_block_is_one_block() -> None:
    assert job("--io_size=2k").max_bytes == 1
    assert job("--io_size=0").max_bytes == 2**20 - 4095


def test_a_percentage_of_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(bytes(8192))
    for text in ("0%", "150%"):
        with pytest.raises(UsageError, match="size="):
            jobs("--name=t", f"--filename={tmp_path / 'x'}", f"--size={text}")


def test_clones_draw_their_delays_from_a_range() -> None:
    delays = [delay_ns(each) for each in jobs("--name=t", "--size=1m", "--numjobs=8", "--startdelay=100ms-300ms")]
    assert len(set(delays)) > 1
    assert all(100_000_000 <= delay <= 300_000_000 for delay in delays)
    assert delay_ns(job("--startdelay=2")) == 2 * 10**9


def test_trims_wait_under_every_engine() -> None:
    """fio's libaio and io_uring carry trims out at once, one after the other."""
    found = plan_of(job("--rw=randtrim", "--ioengine=libaio", "--iodepth=16")).parameters
    assert (found["engine"], found["depth"]) == ("psync", 1)


def test_a_further_job_file_starts_anew_and_waits(tmp_path: Path) -> None:
    first, second = tmp_path / "1.fio", tmp_path / "2.fio"
    first.write_text("[global]\nbs=8k\nsize=1m\n[a]\n[b]\n")
    second.write_text("[c]\nsize=1m\n[d]\nsize=1m\n")
    found = jobs(str(first), str(second))
    assert [(each.name, each.stage, each.group, each.block_sizes[0][0]) for each in found] == [
        ("a", 0, 0, 8192),
        ("b", 0, 0, 8192),
        ("c", 1, 1, 4096),
        ("d", 1, 1, 4096),
    ]


def test_kb_base_behind_a_size_is_refused() -> None:
    """fio 3.33 reads that size with 1024, without a word."""
    with pytest.raises(UsageError, match="put it first"):
        parse(["--name=t", "--size=1m", "--kb_base=1000"])
    assert jobs("--name=t", "--size=1000000", "--runtime=1m", "--kb_base=1000", "--bs=1k")[0].block_sizes[0][0] == 1000


def test_readonly_lays_nothing_out(tmp_path: Path) -> None:
    path = tmp_path / "x"
    found = jobs("--name=t", "--size=8k", f"--filename={path}")
    with pytest.raises(UsageError, match="readonly"):
        check_files(found, (), readonly=True)
    path.write_bytes(bytes(8192))
    check_files(found, (), readonly=True)


def test_options_of_other_versions_are_known() -> None:
    assert [note.partition(":")[0] for note in job("--mem_align=4k").words.notes()] == ["iomem_align"]
    assert any("no longer has it" in note for note in job("--rwmixcycle=500").words.notes())
    for word, hint in (("percentage_sequential=50", "percentage_random"), ("bs_is_seq_rand=1", "a job of their own")):
        with pytest.raises(UsageError, match=hint):
            parse(["--name=t", f"--{word}"])
