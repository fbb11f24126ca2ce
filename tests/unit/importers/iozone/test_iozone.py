"""IOzone: what its numbers are it says above them, or they are refused; its kilobytes are KiB."""

import pytest
from tests.unit.importers.importing import HERE, load, read_text, scores

from plimsoll.errors import ResultFileError
from plimsoll.units import KIB, MICROSECOND

REPORTS = (HERE / "iozone" / "fixtures" / "reports.txt").read_text(encoding="utf-8")
THROUGHPUT = (HERE / "iozone" / "fixtures" / "throughput.txt").read_text(encoding="utf-8")


def test_a_file_size_with_a_record_size_is_a_run() -> None:
    runs = load("iozone", "reports.txt").runs
    assert [(each.plan.parameters["file_size_kib"], each.plan.parameters["record_size_kib"]) for each in runs] == [
        (1048576, 4),
        (1048576, 16),
        (2097152, 4),
    ], "the zeros were not measured"
    assert scores(runs[1]) == {
        "write_throughput": 61440 * KIB,
        "rewrite_throughput": 62464 * KIB,
        "read_throughput": 81920 * KIB,
    }
    assert runs[0].plan.parameters["direct"] is True


def test_what_processes_reached_together() -> None:
    (run,) = load("iozone", "throughput.txt").runs
    assert scores(run) == {"write_iops": 1994.33, "reread_iops": 2032.95}
    assert run.plan.parameters["processes"] == 2
    (run,) = read_text("iozone", THROUGHPUT.replace("ops/sec", "kB/sec")).runs
    assert scores(run)["write_throughput"] == pytest.approx(1994.33 * KIB)


def test_microseconds_are_a_latency() -> None:
    first, *_ = read_text("iozone", REPORTS.replace("kBytes/sec", "microseconds per operation")).runs
    assert scores(first)["write_mean"] == 30720 * MICROSECOND


def test_reports_without_their_unit_are_refused_with_what_they_could_be() -> None:
    with pytest.raises(
        ResultFileError, match=r"could be in KiB/s, operations per second \(-O\) or microseconds \(-N\)"
    ):
        read_text("iozone", REPORTS[REPORTS.index('"Writer report"') :])


def test_the_table_for_people_alone_is_refused() -> None:
    with pytest.raises(ResultFileError, match="run it with -R"):
        read_text("iozone", REPORTS[: REPORTS.index("iozone test complete")])
