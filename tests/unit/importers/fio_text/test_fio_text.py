"""What fio 3.33 printed here for people: beside the JSON of the same fio, where that says more exactly the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.importers.importing import load, scores

from plimsoll.errors import ResultFileError
from plimsoll.importers.formats import fio_json, fio_text
from plimsoll.importers.reading import read_files
from plimsoll.importers.source import Options, Source
from plimsoll.model import Run, RunStatus
from plimsoll.units import KIB, MIB

FIXTURES = Path(__file__).parent / "fixtures"
JOBS = (FIXTURES / "v3_jobs.txt").read_text()


def runs(text: str) -> tuple[Run, ...]:
    return fio_text.read(Source("a.txt", text.encode()), Options()).runs


def test_every_job_is_a_run() -> None:
    reader, mixed, syncer = load("fio_text", "v3_jobs.txt").runs
    assert [each.plan.case for each in (reader, mixed, syncer)] == ["reader", "mixed", "syncer"]
    assert reader.plan.parameters == {"rw": "randread", "ioengine": "psync", "iodepth": 1, "bs": 4096}
    assert reader.facts["jobs"] == 2
    assert reader.facts["operations"] == {"read": 2001}
    found = scores(reader)
    assert found["iops"] == 2001 / 2.001
    assert found["throughput"] == 4000 * KIB
    assert found["read_mean"] == 325_630
    assert (found["read_p50"], found["read_p99"], found["read_p9999"]) == (78_000, 4_817_000, 12_911_000)
    assert found["read_max"] == 12_882_000
    assert all(each.findings == () for each in (reader, mixed, syncer))


def test_abbreviated_numbers_and_two_kinds() -> None:
    found = scores(load("fio_text", "v3_jobs.txt").runs[1])
    assert found["write_max"] == 4_021_300, "4021.3k ns"
    assert found["write_mean"] == 298_293.71
    assert found["iops"] == found["read_iops"] + found["write_iops"]
    assert found["read_p99"] == 44_288


def test_fsync_has_its_own_latencies_and_a_rate_that_fio_cuts_is_that_of_its_total() -> None:
    found = scores(load("fio_text", "v3_jobs.txt").runs[2])
    assert found["sync_p50"] == 3_228_000
    assert found["sync_mean"] == 4_319_880
    assert found["iops"] == 100 / 2.001


def test_the_latency_with_percentiles_is_taken() -> None:
    (run,) = load("fio_text", "v3_lat_percentiles.txt").runs
    assert run.facts["latency"] == {"read": "lat"}
    assert scores(run)["read_mean"] == 82_310
    assert scores(run)["read_p99"] == 1_385_000
    assert scores(run)["throughput"] == 1333 * MIB


def test_clones_are_one_run_without_percentiles() -> None:
    clone = JOBS[JOBS.index("reader: (groupid") : JOBS.index("mixed: (groupid")]
    (run,) = runs(clone + clone.replace("pid=10949", "pid=10950"))
    assert scores(run)["iops"] == 2 * 2001 / 2.001
    assert "read_p99" not in scores(run)
    assert any("cannot be added" in finding.message for finding in run.findings)


def test_reports_from_inside_a_run_and_two_runs_in_one_file() -> None:
    clone = JOBS[JOBS.index("reader: (groupid") : JOBS.index("mixed: (groupid")]
    early = clone.replace("IOPS=1000", "IOPS=900").replace("total=2001", "total=1800")
    (run,) = runs(early + clone)
    assert scores(run)["iops"] == 2001 / 2.001, "the last report of the same processes counts"
    both = runs(f"Starting 2 processes\n\n{clone}\n\nStarting 2 processes\n\n{clone}")
    assert [each.block for each in both] == [0, 1], "one after the other, not side by side"
    assert all("read_p99" in scores(each) for each in both)


def test_errors_are_told() -> None:
    first = JOBS[JOBS.index("reader: (groupid") : JOBS.index("mixed: (groupid")]
    text = "fio: io_u error on file /dev/x: Input/output error\n" + first.replace(
        "err= 0:", "err= 5 (file:io_u.c:1846, func=io_u error, error=Input/output error):"
    )
    assert not fio_json.recognise(text.encode(), "a.txt"), "its messages alone do not make it fio's JSON"
    assert fio_text.recognise(text.encode(), "a.txt")
    (run,) = runs(text)
    assert run.status is RunStatus.PARTIAL
    assert "Input/output error" in run.reason


def test_the_output_of_several_clients_is_refused_with_what_to_do() -> None:
    with pytest.raises(ResultFileError, match=r"several clients.*JSON"):
        runs(JOBS.replace("reader: (groupid", "All clients: (groupid"))


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [("IOPS=1000,", "IOPS=1,000,", 13), ("avg=325.63", "avg=325;63", 14), ("99.00th=[ 4817]", "99.00th=[ 48l7]", 20)],
)
def test_a_number_that_cannot_be_read_is_refused_with_its_line(tmp_path: Path, old: str, new: str, line: int) -> None:
    assert old in JOBS
    (tmp_path / "a.txt").write_text(JOBS.replace(old, new))
    (outcome,) = read_files([tmp_path / "a.txt"])
    assert f"a.txt: line {line}" in str(outcome.error)


def test_rates_that_contradict_each_other_are_told() -> None:
    (run,) = runs(
        JOBS[JOBS.index("reader: (groupid") : JOBS.index("mixed: (groupid")].replace("4000KiB/s", "4000MiB/s")
    )
    assert any("make" in finding.message and "the file says" in finding.message for finding in run.findings)
