"""Golden: means over rows as fio wrote them; units, groups and histograms."""

import pytest
from tests.unit.importers.importing import load, scores, told

from plimsoll.errors import ResultFileError
from plimsoll.importers.formats.fio_logs import group
from plimsoll.importers.formats.fio_logs import read as read_logs
from plimsoll.importers.source import Options, Source
from plimsoll.stats.histogram import decode
from plimsoll.units import KIB, MICROSECOND


def test_averaged_logs_of_two_jobs_are_added() -> None:
    names = ("avg_bw.1.log", "avg_bw.2.log", "avg_clat.1.log", "avg_iops.1.log")
    (run,) = load("fio_logs", *names).runs
    assert scores(run) == pytest.approx(
        {
            "read_throughput": ((10464 + 13632) / 2 + (10880 + 13920) / 2) * KIB,
            "write_throughput": ((11456 + 13376) / 2 + (12224 + 14592) / 2) * KIB,
            "throughput": (24096 + 24800 + 24832 + 26816) / 2 * KIB,
            "read_iops": (654 + 852) / 2,
            "write_iops": (716 + 836) / 2,
            "iops": 753 + 776,
            "read_mean": (778_005 + 577_515) / 2,
            "write_mean": (680_741 + 602_705) / 2,
        }
    )
    assert run.target.name == "avg"
    assert run.facts["averaged"]
    assert run.facts["series"]["columns"]["read_throughput"]["values"] == [10464 * KIB + 12400 * KIB]


def test_logs_of_single_operations_give_percentiles() -> None:
    (run,) = load("fio_logs", "each_bw.1.log", "each_lat.1.log").runs
    assert scores(run)["read_max"] == 2_961_424
    assert scores(run)["read_p50"] == pytest.approx(1_441_149, rel=0.002)
    assert scores(run)["throughput"] == pytest.approx(16 * 64 * KIB / 0.024)
    assert decode(run.histograms["read"]).count == 16


def test_an_old_log_is_in_microseconds_and_says_so() -> None:
    (run,) = load("fio_logs", "old_lat.log").runs
    assert scores(run)["read_max"] == 1400 * MICROSECOND
    assert told(run) == {"units"}


def test_histograms_of_both_generations() -> None:
    (new,) = load("fio_logs", "three_clat_hist.1.log").runs
    # 58 bins are fio 3 with coarseness 5: bin 22 holds 2^(64·11 / 64)… of ns.
    assert decode(new.histograms["read"]).count == 2000
    assert scores(new)["read_iops"] == 1000
    assert scores(new)["write_iops"] == 250
    assert scores(new)["read_p50"] == pytest.approx((65_536 + 98_304) / 2, rel=0.001)
    (old,) = load("fio_logs", "two_clat_hist.1.log").runs
    assert scores(old)["iops"] == 50
    assert scores(old)["read_p50"] == pytest.approx((128 + 192) / 2 * MICROSECOND, rel=0.001)


def test_files_of_one_prefix_belong_together() -> None:
    assert {group(name) for name in ("a_bw.1.log", "a_clat.2.log", "a_clat_hist.1.log", "a_iops.log")} == {"a"}


def test_a_log_whose_name_says_nothing_is_refused() -> None:
    with pytest.raises(ResultFileError, match="_bw"):
        read_logs(Source("numbers.txt", b"1, 2, 0, 4096\n"), Options())
