"""What fio's options of paces, places, verification and content become; sums and errors as fio 3.33 has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.unit.frontends.test_fio_words import job

from plimsoll.errors import UsageError
from plimsoll.frontends.fio.plans import plan_of
from plimsoll.parameter import read_distribution, value_text
from plimsoll.parameters import parameter
from plimsoll.run.workers.local import impossible


def parameters(*words: str) -> dict[str, Any]:
    plan = plan_of(job(*words))
    assert impossible(plan, Path("t.0.0")) is None
    return dict(plan.parameters)


@pytest.mark.parametrize(
    ("words", "rate"),
    [
        (["--rate_iops=400,100"], {"per_second": 500.0, "apart": {"read": 400, "write": 100}}),
        (["--rate_iops=300"], {"per_second": 600.0, "apart": {"read": 300, "write": 300}}),
        (["--rate_iops=200,"], {"per_second": 200.0, "apart": {"read": 200, "write": None}}),
        (["--rate_iops=,1k"], {"per_second": 1024.0, "apart": {"read": None, "write": 1024}}),
    ],
)
def test_each_direction_has_its_rate(words: list[str], rate: dict[str, object]) -> None:
    assert parameters("--rw=randrw", *words)["rate"] == {"unit": "operations", **rate}


@pytest.mark.parametrize(
    ("text", "distribution"),
    [
        ("normal:10", {"kind": "normal", "deviation": 0.1}),
        ("normal:10:0.3", {"kind": "normal", "deviation": 0.1, "centre": 0.3}),
        ("zipf:1.2:0", {"kind": "zipf", "theta": 1.2, "centre": 0.0}),
        ("pareto", {"kind": "pareto", "h": 0.2}),
    ],
)
def test_places_with_hot_blocks(text: str, distribution: dict[str, object]) -> None:
    found = parameters("--rw=randread", f"--random_distribution={text}")
    assert found["distribution"] == distribution
    assert "write_distribution" not in found
    known = parameter("io", "distribution")
    assert read_distribution(value_text(known, distribution)) == distribution


@pytest.mark.parametrize(
    ("text", "favour"),
    [
        ("zipf", {"kind": "zipf", "theta": 1.1}),
        ("gauss:10:0.2", {"kind": "normal", "deviation": 0.1, "centre": 0.2}),
        ("pareto:0.3", {"kind": "pareto", "h": 0.3}),
    ],
)
def test_files_that_come_more_often(text: str, favour: dict[str, object]) -> None:
    files = parameters("--nrfiles=4", f"--file_service_type={text}")["files"]
    assert (files["order"], files["turn"], files["favour"]) == ("random", 1, favour)
    assert "favour" not in parameters("--nrfiles=4", "--file_service_type=random:3")["files"]


def zones(*shares: tuple[float, int]) -> dict[str, object]:
    """Of (percent, blocks of 4 KiB)."""
    return {"kind": "zones", "zones": [{"weight": weight, "bytes": blocks * 4096} for weight, blocks in shares]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("zoned:60/10:30/20:8/30:2/40", zones((60, 25), (30, 51), (8, 77), (2, 103))),
        ("zoned:60/10:30/:10/", zones((60, 25), (30, 115), (10, 116))),
        ("zoned:50/20:50/20", zones((50, 51), (50, 51))),
        ("zoned_abs:60/400k:40/40k", zones((60, 100), (40, 10))),
    ],
)
def test_zones_are_whole_blocks(text: str, expected: dict[str, object]) -> None:
    assert parameters("--rw=randread", f"--random_distribution={text}")["distribution"] == expected
    assert value_text(parameter("io", "distribution"), expected).startswith("zones ")


def test_writes_have_zones_of_their_own() -> None:
    found = parameters("--rw=randrw", "--random_distribution=zoned:100/50,100/25")
    assert (found["distribution"], found["write_distribution"]) == (zones((100, 128)), zones((100, 64)))
    assert parameters("--rw=randwrite", "--random_distribution=zoned:100/50,100/25")["distribution"] == zones((100, 64))


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("0xabc", [[0x0A, 0xBC]]),
        ("12", [[12]]),
        ("0", [[0]]),
        ("65537", [[1, 0, 1]]),
        ("-12", [[0xF4, 0xFF, 0xFF, 0xFF]]),
        ("0xff0x14", [[0xFF], [0x14]]),
        ('"ab"-120xdeadface', [[0x61, 0x62], [0xF4, 0xFF, 0xFF, 0xFF], [0xDE, 0xAD, 0xFA, 0xCE]]),
        ('0xff%o"ab"-12', [[0xFF], "offset", [0x61, 0x62], [0xF4, 0xFF, 0xFF, 0xFF]]),
    ],
)
def test_patterns(text: str, pattern: list[object]) -> None:
    found = parameters("--rw=write", "--verify=pattern", f"--verify_pattern={text}")["verification"]
    pieces = [piece if piece == "offset" else {"bytes": piece} for piece in pattern]
    assert (found["pattern"], found["checksums"]) == (pieces, False)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--verify_pattern=1"], {"checksums": True, "pattern": [{"bytes": [1]}]}),
        (["--verify=md5", "--verify_interval=512"], {"interval": 512, "checksums": True}),
        (["--verify=md5", "--verify_interval=8k", "--verify_fatal=1"], {"interval": 4096, "stop_at_first": True}),
        (["--verify=md5", "--verify_backlog=8"], {"backlog": {"every": 8, "batch": 8}}),
        (["--verify=md5", "--verify_backlog=8", "--verify_backlog_batch=2"], {"backlog": {"every": 8, "batch": 2}}),
        (["--verify_pattern=1", "--verify_backlog=8", "--do_verify=0"], {"backlog": None, "read_back": False}),
        # For another job, or another invocation, to verify.
        (["--verify=md5", "--do_verify=0"], {"checksums": True, "read_back": False}),
    ],
)
def test_ways_to_verify(words: list[str], expected: dict[str, object]) -> None:
    found = parameters("--rw=write", *words)
    assert found["verify"] is True
    assert {name: found["verification"][name] for name in expected} == expected


@pytest.mark.parametrize(
    ("words", "verify"),
    [
        (["--verify=md5"], True),
        (["--verify=md5", "--verify_interval=8k"], True),
        (["--verify_backlog=8"], False),
    ],
)
def test_usual_plans_hold_nothing_more(words: list[str], verify: bool) -> None:
    found = parameters("--rw=write", *words)
    assert found["verify"] is verify
    assert not {"verification", "write_distribution", "sync_beside", "dedupe", "think_spin"} & set(found)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--dedupe_percentage=30", "--buffer_compress_percentage=50"], {"dedupe": 0.3, "compressible": 0.5}),
        (["--thinktime=5ms", "--thinktime_spin=2ms"], {"think_time": 5_000_000, "think_spin": 2_000_000}),
        (["--fsync=6", "--fdatasync=4"], {"sync": "fsync", "sync_beside": {"fdatasync_every": 4, "opened": "none"}}),
        (["--fsync=6", "--sync=1"], {"sync": "fsync", "sync_beside": {"fdatasync_every": 0, "opened": "sync"}}),
        (["--fdatasync=6", "--sync=dsync"], {"sync_beside": {"fdatasync_every": 0, "opened": "dsync"}}),
        (["--rw=trimwrite"], {"mode": "trimwrite", "max_bytes": 2 * 2**20 - 4096 + 1}),
        (["--rw=trimwrite", "--number_ios=3"], {"max_operations": 6}),
    ],
)
def test_other_options(words: list[str], expected: dict[str, object]) -> None:
    found = parameters("--rw=write", *words)
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--random_distribution=normal:150"], "less than 100"),
        (["--random_distribution=zipf:1.2:2"], "0 to 1"),
        (["--random_distribution=zipf:x"], "'x' is not a number"),
        (["--random_distribution=gauss"], "zoned_abs"),
        (["--random_distribution=zoned:60"], "PERCENT/SIZE"),
        (["--random_distribution=zoned:60/10:20/20"], "add up to 100"),
        (["--random_distribution=zoned:60/50:40/60"], "110"),
        (["--random_distribution=zoned:60/0:40/60"], "smaller than a block"),
        (["--random_distribution=zoned_abs:60/1m:40/4m"], "the region has 1048576"),
        (["--verify=pattern"], "verify_pattern="),
        (["--verify_pattern=xy"], "not a pattern"),
        (["--verify_pattern=4294967296"], "32 bits"),
        ([f"--verify_pattern=0x{'ab' * 513}"], "512"),
        (["--verify=md5", "--verify_interval=1000"], "not a multiple"),
        (["--dedupe_percentage=101"], "0 to 100"),
        (["--dedupe_percentage=10", "--verify=md5"], "leave dedupe_percentage out"),
    ],
)
def test_what_cannot_be_is_refused_with_a_way_out(words: list[str], named: str) -> None:
    with pytest.raises(UsageError) as error:
        plan_of(job("--rw=randwrite", *words))
    assert named in str(error.value)
