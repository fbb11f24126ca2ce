"""fio's notation, options and job files, as fio 3.33 reads them (each value was tried with the binary)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import values
from plimsoll.frontends.fio.command_line import parse
from plimsoll.frontends.fio.execution import check_waits
from plimsoll.frontends.fio.jobs import Job, jobs_of
from plimsoll.frontends.fio.latency_target import target
from plimsoll.frontends.fio.plans import plan_of


def jobs(*words: str) -> list[Job]:
    return jobs_of(parse(words).sections)


def job(*words: str) -> Job:
    (found,) = jobs("--name=t", "--size=1m", *words)
    return found


@pytest.mark.parametrize(
    ("text", "base", "size"),
    [
        ("4k", 1024, 4096),
        ("4kb", 1024, 4096),
        ("4KiB", 1024, 4000),
        ("4ki", 1024, 4096),
        ("1MiB", 1024, 10**6),
        ("0x1000", 1024, 4096),
        ("4k", 1000, 4000),
        ("4kb", 1000, 4000),
        ("4KiB", 1000, 4096),
        ("1m", 1000, 10**6),
        ("1.5g", 1024, 3 * 2**29),
        ("7", 1024, 7),
    ],
)
def test_sizes(text: str, base: int, size: int) -> None:
    assert values.size(text, base) == size


@given(st.integers(0, 2**40))
def test_plain_numbers_are_bytes(number: int) -> None:
    assert values.size(str(number)) == number == values.size(hex(number))


@pytest.mark.parametrize(
    ("text", "unit", "ns"),
    [
        ("30", "s", 30 * 10**9),
        ("5m", "s", 300 * 10**9),
        ("100ms", "s", 10**8),
        ("250", "us", 250_000),
        ("2h", "s", 7200 * 10**9),
    ],
)
def test_times(text: str, unit: str, ns: int) -> None:
    assert values.time_ns(text, unit) == ns


def test_values_per_direction() -> None:
    assert values.per_direction("4,8", int, 1) == (4, 8, 8)
    assert values.per_direction("4", int, 1) == (4, 4, 4)
    assert values.per_direction("4,", int, 1) == (4, 1, 1)
    assert values.per_direction(",8", int, 1) == (1, 8, 8)
    assert values.per_direction("4,8,16", int, 1) == (4, 8, 16)


def test_splits_share_the_rest() -> None:
    assert values.split_of("4k/50:8k/:16k/") == [(4096, 50), (8192, 25), (16384, 25)]
    for wrong in ("4k/50:8k/70", "4k/50:8k/30"):
        with pytest.raises(UsageError, match="100"):
            values.split_of(wrong)


def test_options_before_the_first_name_hold_for_all() -> None:
    found = jobs("--bs=8k", "--name=a", "--size=1m", "--name=b", "--size=2m", "--bs=4k")
    assert [(each.name, each.size, each.block_sizes[0][0]) for each in found] == [
        ("a", 2**20, 8192),
        ("b", 2**21, 4096),
    ]


def test_clones_have_their_files_offsets_and_numbers() -> None:
    found = jobs("--name=t", "--size=1m", "--numjobs=3", "--offset_increment=1m", "--directory=/d")
    assert [str(each.path) for each in found] == ["/d/t.0.0", "/d/t.1.0", "/d/t.2.0"]
    assert [each.offset for each in found] == [0, 2**20, 2**21]
    assert [each.number for each in found] == [1, 2, 3]


def test_what_is_not_asked_for_is_not_in_the_plan() -> None:
    """So that plans have the hashes that they had before there was a choice."""
    parameters = plan_of(job("--rw=randrw", "--iodepth_batch=8", "--file_service_type=random")).parameters
    assert parameters.keys().isdisjoint({"sequence", "files", "batch"})


def test_clones_take_directories_in_turn_and_files_have_numbers() -> None:
    found = jobs("--name=t", "--size=1m", "--numjobs=3", "--nrfiles=2", "--directory=/a:/b")
    assert [[str(path) for path in each.paths] for each in found] == [
        ["/a/t.0.0", "/a/t.0.1"],
        ["/b/t.1.0", "/b/t.1.1"],
        ["/a/t.2.0", "/a/t.2.1"],
    ]
    assert all(each.region.ends == (2**19, 2**19) and each.max_bytes == 2**20 - 4095 for each in found)


def test_gaps_behind_an_offset_are_one_pass() -> None:
    """fio begins anew behind the end of a region only where the region begins the file."""
    whole = job("--rw=write:4k")
    assert whole.max_bytes == 2**20 - 4095
    behind = job("--rw=write:4k", "--offset=32k", "--size=64k")
    assert behind.max_bytes == 8 * 4096 - 4095


@pytest.mark.parametrize(
    ("words", "blocks"),
    [
        # A last block that would go beyond the end, one that ends there, and one behind which there are gaps only.
        (["--rw=read:8k"], 5),
        (["--rw=read:8k", "--loops=2"], 10),
        (["--rw=read:8k", "--nrfiles=2"], 6),
        (["--rw=read:16k"], 8),
        (["--rw=read:16k", "--loops=2"], 16),
        (["--rw=read:8k", "--offset=16k", "--loops=2"], 10),
        (["--rw=read:-8k"], 8),
        (["--rw=read:8k", "--io_size=256k"], 16),
    ],
)
def test_where_gaps_end_a_loop(words: list[str], blocks: int) -> None:
    """As many as fio 3.33 and 3.41 read of 128 KiB."""
    assert job("--size=128k", "--bs=16k", *words).max_bytes == (blocks - 1) * 16384 + 1


def test_stonewall_and_new_group(tmp_path: Path) -> None:
    file = tmp_path / "jobs.fio"
    file.write_text(
        "; a comment\n[global]\nsize=1m # behind a value\n[a]\nstonewall\n[b]\n"
        "[c]\nstonewall\nnumjobs=2\n[d]\nnew_group\n"
    )
    found = jobs(str(file))
    assert [(each.name, each.stage, each.group) for each in found] == [
        ("a", 0, 0),
        ("b", 0, 0),
        ("c", 1, 1),
        ("c", 1, 1),
        ("d", 1, 2),
    ]
    assert [each.name for each in jobs(str(file), "--section=b", "--section=d")] == ["b", "d"]


def test_variables_keywords_and_includes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIZE", "3m")
    (tmp_path / "more.fio").write_text("[two]\nbs=2*$pagesize\n")
    file = tmp_path / "jobs.fio"
    file.write_text("[global]\nsize=${SIZE}\n[one]\ninclude more.fio\n")
    assert [(each.name, each.size, each.block_sizes[0][0]) for each in jobs(str(file))] == [
        ("one", 3 * 2**20, 4096),
        ("two", 3 * 2**20, 8192),
    ]
    file.write_text("[one]\nsize=${NO_SUCH}\n")
    with pytest.raises(UsageError, match=r"jobs\.fio:2.*NO_SUCH"):
        jobs(str(file))


@pytest.mark.parametrize(
    ("words", "named", "nearest"),
    [
        (["--rwmixreed=5"], "rwmixreed", "rwmixread"),
        (["--iodept", "4"], "iodept", "iodepth"),
        (["--zonemode=zbd"], "zonemode", "zonesize"),
        (["--ioengine=exec", "--program=/bin/true"], "program", "exec_prerun"),
        (["--ioengine=filestat", "--nrfiles=2", "--filesize=8k"], "filestat", "bs=8192"),
        (["--zonemode=zbd", "--zonesize=1m"], "zonemode", "read_beyond_wp=1"),
        (["--zonemode=strided", "--zonesize=2k"], "zonesize", "one block"),
        (["--cmdprio_percentage=20"], "cmdprio_percentage", "io_uring"),
        (["--read_iolog=nowhere.log"], "read_iolog", "No such file"),
        (["--verify_only", "--verify=md5", "--rw=randrw"], "verify_only", "randwrite"),
        (["--wait_for=job"], "wait_for", "before it"),
        (["--io_submit_mode=offload", "--iodepth=4"], "offload", "io_uring"),
        (["--nrfiles=4", "--file_service_type=lru"], "file_service_type=lru", "roundrobin"),
        (["--nrfiles=4", "--openfiles=-2"], "openfiles=-2", "1 or more"),
        (["--nrfiles=2", "--filename_format=one"], "one name", "$filenum"),
        (["--directory=a:b", "--filename=x"], "several directories", "filename"),
        (["--iodepth_batch_complete_min=0", "--iodepth=4", "--ioengine=libaio"], "polling", "hipri"),
        (["--rw=randread:0"], "randread:0", "1 operation"),
        (["--rw=randread:x"], "'x'", "whole number"),
        (["--latency_target=10ms"], "latency_target", "latency_window"),
        (["--latency_target=10ms", "--latency_window=1s", "--latency_run=1"], "latency_run", "runtime"),
        (["--outptu=x"], "outptu", "output"),
        (["--ioengine=rbd"], "rbd", "rbd map"),
        (["--ioengine=cpuio", "--runtime=1"], "cpuio", "cpuload"),
        (["--output-format=xml"], "xml", "json+"),
        (["--rate_iops=5", "--rw=trimwrite"], "rate_iops", "leave"),
    ],
)
def test_what_is_missing_is_named_with_the_nearest(words: list[str], named: str, nearest: str) -> None:
    def plans() -> None:
        plan_of(found := job(*words))
        target(found.words)
        check_waits([found])

    with pytest.raises(UsageError) as error:
        plans()
    assert named in str(error.value)
    assert nearest in str(error.value)


def test_swapped_units_are_told() -> None:
    assert any("4k is 4096" in note for note in job("--bs=4KiB").words.notes())
    assert not job("--bs=4k").words.notes()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--rw=randread"], {"mode": "randread", "engine": "psync", "depth": 1, "direct": False, "drop_cache": True}),
        (["--iodepth=32"], {"depth": 1}),
        (["--ioengine=libaio", "--iodepth=32", "--direct=1"], {"engine": "libaio", "depth": 32, "direct": True}),
        (["--buffered=0"], {"direct": True}),
        (["--rw=randrw", "--rwmixread=75"], {"read_share": 0.75}),
        (["--rw=randrw", "--rwmixwrite=30"], {"read_share": 0.7}),
        (["--rw=rw", "--bs=4k,8k"], {"block_size": [[4096.0, 1.0]], "write_block_size": [[8192.0, 1.0]]}),
        (["--rw=write", "--bs=4k,8k"], {"block_size": [[8192.0, 1.0]], "write_block_size": None}),
        (["--bsrange=4k-12k"], {"block_size": [[4096.0, 1.0], [8192.0, 1.0], [12288.0, 1.0]]}),
        (["--rw=write", "--fdatasync=8"], {"sync": "fdatasync", "sync_every": 8}),
        (["--rw=write", "--sync=1"], {"sync": "sync"}),
        (["--rw=write", "--sync=dsync"], {"sync": "dsync"}),
        (["--rw=write", "--end_fsync=1"], {"sync": "none", "sync_at_end": True}),
        (["--time_based", "--runtime=2m"], {"runtime": 120 * 10**9, "max_bytes": None}),
        (["--bs=64k"], {"max_bytes": 2**20 - 65536 + 1}),
        (["--io_size=10k"], {"max_bytes": 8192 - 4096 + 1}),
        (["--loops=3", "--bs=1m"], {"max_bytes": 3 * 2**20 - 2**20 + 1}),
        (["--number_ios=7"], {"max_operations": 7}),
        (["--norandommap"], {"distribution": {"kind": "uniform"}}),
        (["--norandommap", "--random_generator=lfsr"], {"distribution": {"kind": "once"}}),
        (["--random_distribution=zipf:1.2"], {"distribution": {"kind": "zipf", "theta": 1.2}}),
        (["--rate=1m"], {"rate": {"per_second": 1048576.0, "unit": "bytes"}}),
        (["--rate_iops=500"], {"rate": {"per_second": 500.0, "unit": "operations"}}),
        (["--thinktime=250", "--thinktime_blocks=4"], {"think_time": 250_000, "think_every": 4}),
        (["--zero_buffers"], {"content": "zero"}),
        (["--buffer_compress_percentage=40"], {"compressible": 0.4}),
        (["--ramp_time=2"], {"warmup": 2 * 10**9}),
        (["--percentage_random=30", "--rw=randread"], {"random_share": 0.3}),
        (["--rw=randread:8"], {"mode": "randread", "sequence": {"every": 8, "stay": False, "skip": 0}}),
        (["--rw=randrw:4", "--rw_sequencer=identical"], {"sequence": {"every": 4, "stay": True, "skip": 0}}),
        (["--rw=write:4k"], {"mode": "write", "sequence": {"every": 1, "stay": False, "skip": 4096}}),
        (["--nrfiles=3"], {"size": 3 * 348160, "files": {"more": ["t.0.1", "t.0.2"], "order": "turns", "turn": 1}}),
        (["--filename=x:y", "--file_service_type=random:4"], {"files": {"more": ["y"], "order": "random", "turn": 4}}),
        (["--nrfiles=2", "--filename=d/x:e/y:z"], {"files": {"more": ["../e/y"], "order": "turns", "turn": 1}}),
        (
            ["--ioengine=libaio", "--iodepth=16", "--iodepth_batch_submit=8", "--iodepth_batch_complete=4"],
            {"batch": {"submit": 8, "complete": 4, "low": 16}},
        ),
        (
            ["--ioengine=libaio", "--iodepth=8", "--iodepth_low=2", "--iodepth_batch=32"],
            {"batch": {"submit": 8, "complete": 1, "low": 2}},
        ),
    ],
)
def test_options_become_parameters(words: list[str], expected: dict[str, object]) -> None:
    parameters = plan_of(job(*words)).parameters
    assert {name: parameters[name] for name in expected} == expected
