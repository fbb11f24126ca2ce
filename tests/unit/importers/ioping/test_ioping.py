"""Golden: numbers of ioping 0.6, 1.3, its JSON, and raw lines in both units."""

import pytest
from tests.unit.importers.importing import load, read_text, scores, told

from plimsoll.model import RunStatus
from plimsoll.stats.histogram import decode
from plimsoll.units import KIB, MIB, MICROSECOND, MILLISECOND


def test_text_of_1_3() -> None:
    (run,) = load("ioping", "text_1.3.txt").runs
    assert scores(run) == pytest.approx(
        {
            "service_iops": 8390,
            "service_throughput": 32.8 * MIB,
            "iops": 22,
            "throughput": 91.4 * KIB,
            "read_mean": 119_100,
            "read_max": 146_600,
            "read_p50": 119_300,
        },
        rel=0.002,
    )
    # The first request is a warm-up.
    assert decode(run.histograms["read"]).count == 7
    assert run.target.facts == {"file_system": "ext4", "device": "/dev/sdz"}
    assert run.plan.parameters == {"operation": "read", "block_size": 4 * KIB}


def test_prefixes_of_a_seek_test() -> None:
    (run,) = load("ioping", "seek_1.3.txt").runs
    assert scores(run)["service_iops"] == 5170
    assert scores(run)["iops"] == 5010
    assert scores(run)["read_max"] == 8_150_000


def test_text_of_0_6_with_a_maximum_below_a_request() -> None:
    file, disk = load("ioping", "text_0.6.txt").runs
    assert scores(file)["service_iops"] == 312
    assert scores(file)["read_max"] == 8 * MILLISECOND
    assert told(file) == {"order"}
    assert (file.target.name, disk.target.name) == ("dev-sdb1", "dev-sdb"), "two places are not repeats of one"
    assert disk.target.where == "/dev/sdb"
    assert scores(disk)["read_mean"] == 16 * MILLISECOND
    assert not told(disk)


def test_json() -> None:
    (run,) = load("ioping", "array.json").runs
    assert scores(run)["service_iops"] == 679.42183
    assert scores(run)["read_mean"] == 1_471_840
    assert scores(run)["iops"] == 26.612068
    assert decode(run.histograms["read"]).count == 3


def test_raw_lines_say_their_unit_by_their_own_rate() -> None:
    nanoseconds = load("ioping", "raw_ns.txt").runs
    assert [scores(run)["request_mean"] for run in nanoseconds] == [169_843, 155_777]
    (microseconds,) = load("ioping", "raw_us.txt").runs
    assert scores(microseconds)["request_mean"] == 103 * MICROSECOND
    assert scores(microseconds)["service_iops"] == 9677


def test_an_interrupted_run_is_partial() -> None:
    (run,) = read_text("ioping", "4 KiB <<< . (ext4 /dev/sdz 1 GiB): request=1 time=2 ms\n").runs
    assert run.status is RunStatus.PARTIAL
    assert scores(run)["read_max"] == 2 * MILLISECOND


PARTS = [
    "5 321381 15558 63724987 60471 64276 72979 4531 6 502710",
    "5 305727 16354 66987868 58758 61145 63775 2154 5 345746",
    "5 509029 9823 40233464 60310 101806 253709 76140 5 535018",
]
TOTAL = "16 1356476 11795 48313424 58758 84780 253709 58005 17 1613587"


def test_the_total_of_a_batch_is_no_repeat() -> None:
    imported = load("ioping", "raw_parts_and_total.txt")
    assert [scores(run)["request_mean"] for run in imported.runs] == [64_276, 61_145, 101_806]
    assert imported.warnings == ("raw_parts_and_total.txt: 1 line with the total of those before it was left out",)


def test_totals_of_several_batches_are_left_out() -> None:
    imported = read_text("ioping", "\n".join([*PARTS, TOTAL] * 2))
    assert len(imported.runs) == 6


def test_a_total_alone_and_repeats_without_one_stay() -> None:
    assert len(read_text("ioping", TOTAL).runs) == 1
    assert len(read_text("ioping", "\n".join(PARTS)).runs) == 3
    # Longer than all before it, but not their sum: another run.
    other = TOTAL.replace(" 58758 ", " 59999 ")
    assert len(read_text("ioping", "\n".join([*PARTS, other])).runs) == 4
    assert len(read_text("ioping", "\n".join(PARTS[:2])).runs) == 2
    # One part and its total are the same line; two runs never take the same ns.
    assert len(read_text("ioping", "\n".join([PARTS[0], PARTS[0]])).runs) == 1
