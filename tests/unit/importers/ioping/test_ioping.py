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
