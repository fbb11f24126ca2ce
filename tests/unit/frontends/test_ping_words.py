"""ioping's options, figures and lines."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.errors import UsageError
from plimsoll.frontends.ping import output
from plimsoll.frontends.ping.options import parse
from plimsoll.frontends.ping.plans import plan_of
from plimsoll.frontends.ping.statistics import Statistics, Totals
from plimsoll.units import SECOND


def test_defaults_are_those_of_ioping() -> None:
    settings = parse(["."])
    assert (settings.size, settings.interval_ns, settings.warmup, settings.count) == (4096, SECOND, 1, None)
    plan = plan_of(settings, 2**20)
    expected = {
        "mode": "randread",
        "depth": 1,
        "engine": "psync",
        "direct": False,
        "drop_each": "operation",
        "sync": "none",
    }
    assert {name: plan.parameters[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["-R"], {"think_time": 0, "runtime": 3 * SECOND}),
        (["-W"], {"mode": "randwrite", "sync": "fdatasync"}),
        (["-WL"], {"mode": "write", "block_size": [[262144.0, 1.0]]}),
        (["-CW"], {"sync": "none", "drop_each": "never"}),
        (["-D"], {"direct": True, "drop_each": "never"}),
        (["-A"], {"engine": "libaio"}),
        (["-WY"], {"sync": "sync"}),
        (["-Wy"], {"sync": "dsync"}),
        (["-G"], {"mode": "randrw", "alternate": True}),
        (["-i", "250ms"], {"think_time": 250_000_000}),
        (["-i0"], {"think_time": 0}),
        (["-r", "100"], {"think_time": 10_000_000}),
        (["-l", "1m", "-s", "64k"], {"think_time": SECOND // 16}),
        (["-c10"], {"max_operations": 10}),
        (["-w", "1/4"], {"runtime": SECOND // 4}),
        (["-b", "5"], {"think_every": 5}),
        (["-count", "3"], {"max_operations": 3}),
        (["--interval=2s"], {"think_time": 2 * SECOND}),
        (["-s", "1page"], {"block_size": [[4096.0, 1.0]]}),
        (["-s", "page"], {"block_size": [[4096.0, 1.0]]}),
        (["-s", "sector", "-i", "ms"], {"block_size": [[512.0, 1.0]], "think_time": 1_000_000}),
    ],
)
def test_options_become_parameters(words: list[str], expected: dict[str, object]) -> None:
    plan = plan_of(parse([*words, "."]), 2**24)
    assert {name: plan.parameters[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-X", "."], "no option -X"),
        (["--cuont=1", "."], "--count"),
        (["-c"], "needs a value"),
        ([], "no place"),
        ([".", "/"], "several places"),
        (["-c", "x", "."], "not a valid count"),
        (["-N", "."], "without -C or -D"),
        (["-HA", "."], "only with synchronous requests"),
        (["-n", "3", "."], r"no option -n; the nearest one there is: -c \(-count\)"),
        (["--duration=3", "."], "no option --duration=3; the nearest one there is: --work-time"),
        (["-s", "4q", "."], "not a valid size"),
        (["-nope", "."], "no option -nope; there are async"),
        (["--nope", "."], "no option --nope; there are async"),
    ],
)
def test_what_is_wrong_is_named(words: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse(words)


def test_marks_follow_the_mean_so_far() -> None:
    statistics = Statistics(parse(["-t", "50us", "-T", "1ms", "."]))
    latencies = [900_000, *[100_000] * 6, 49_000, 1_100_000, 201_000, 45_000_000, 60_000]
    marks = [statistics.see("read", index * SECOND, latency).mark for index, latency in enumerate(latencies)]
    assert marks == ["warmup", *[""] * 6, "too fast", "too slow", "slow", "too slow", ""]
    total = statistics.total
    assert (total.count, total.all_count, total.too_fast, total.too_slow) == (8, 12, 1, 2)
    assert (total.min_ns, total.max_ns) == (60_000, 201_000)


def test_a_part_lasts_from_the_end_of_the_one_before() -> None:
    """So that what is generated includes the time between requests, as with ioping."""
    statistics = Statistics(replace(parse(["."]), warmup=0))
    for start_ns in (0, 10_000_000):
        statistics.see("read", start_ns, 200_000)
    assert statistics.take_part().load_ns == 10_200_000
    statistics.see("read", 20_000_000, 300_000)
    assert statistics.take_part().load_ns == 10_100_000


@given(st.lists(st.integers(1, 10**9), min_size=2, max_size=50))
def test_figures(latencies: list[int]) -> None:
    statistics = Statistics(replace(parse(["."]), warmup=0))
    for index, latency in enumerate(latencies):
        statistics.see("read", index * SECOND, latency)
    total, count = statistics.total, len(latencies)
    mean = sum(latencies) / count
    assert total.mean_ns == pytest.approx(mean)
    assert total.deviation_ns == pytest.approx((sum((each - mean) ** 2 for each in latencies) / count) ** 0.5, abs=100)
    assert total.iops == pytest.approx(count * SECOND / sum(latencies))
    assert total.load_ns == (count - 1) * SECOND + latencies[-1]
    assert total.percentile(99.9) == pytest.approx(max(latencies), rel=0.01)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        (output.duration(962_200), "962.2 us"),
        (output.duration(11_800_000), "11.8 ms"),
        (output.duration(4_960_000), "4.96 ms"),
        (output.duration(0), "0 ns"),
        (output.duration(2_000), "2 us"),
        (output.duration(SECOND), "1 s"),
        (output.duration(90 * SECOND), "1.50 min"),
        (output.count(5850), "5.85 k"),
        (output.count(13), "13"),
        (output.count(159_000), "159 k"),
        (output.size(4096), "4 KiB"),
        (output.size(12 * 1024), "12 KiB"),
        (output.size(23_907_533), "22.8 MiB"),
        (output.size(0), "0 B"),
    ],
)
def test_numbers_as_ioping_prints_them(text: str, printed: str) -> None:
    assert text == printed


def test_lines_of_the_end() -> None:
    totals = Totals(
        count=3, sum_ns=513_100, squares=88_000_000_000, min_ns=142_300, max_ns=192_900, all_count=4, end_ns=305_400_000
    )
    place = output.Place(".", "ext4", "/dev/vda", 252 * 2**30)
    lines = list(output.summary(totals, parse(["."]), place))
    assert lines[1] == "--- . (ext4 /dev/vda 252 GiB) ioping statistics ---"
    assert lines[2] == "3 requests completed in 513.1 us, 12 KiB read, 5.85 k iops, 22.8 MiB/s"
    assert lines[3] == "generated 4 requests in 305.4 ms, 16 KiB, 13 iops, 52.4 KiB/s"
    assert lines[4].startswith("min/avg/max/mdev = 142.3 us / 171.0 us / 192.9 us / ")
