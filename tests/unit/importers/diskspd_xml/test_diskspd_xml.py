"""DiskSpd's XML: exact counts over its time, latencies in ms."""

import pytest
from tests.unit.importers.importing import HERE, load, read_text, scores

from plimsoll.errors import ResultFileError
from plimsoll.model import RunStatus
from plimsoll.units import MILLISECOND

TEXT = (HERE / "diskspd_xml" / "fixtures" / "mixed.xml").read_text(encoding="utf-8")


def test_sums_of_all_threads_over_the_time() -> None:
    (run,) = load("diskspd_xml", "mixed.xml").runs
    found = scores(run)
    assert (found["iops"], found["read_iops"], found["write_iops"]) == (30_000, 21_000, 9_000)
    assert found["throughput"] == 30_000 * 4096
    assert found["read_p50"] == pytest.approx(0.39 * MILLISECOND)
    assert found["write_p999"] == 2.5 * MILLISECOND
    assert found["read_max"] == 9 * MILLISECOND
    assert run.target.where == "D:\\test.dat"
    assert run.plan.parameters["outstanding"] == 8
    assert run.plan.parameters["threads"] == 2
    assert run.status is RunStatus.OK
    assert not run.findings


def test_a_sum_with_a_part_missing_is_unknown() -> None:
    (run,) = read_text("diskspd_xml", TEXT.replace("<WriteCount>45000</WriteCount>", "", 1)).runs
    assert "iops" not in scores(run)
    assert "write_iops" not in scores(run)
    assert "throughput" in scores(run)


def test_nothing_done_is_a_failed_run() -> None:
    text = TEXT
    for count in ("105000", "45000", "430080000", "184320000"):
        text = text.replace(f">{count}<", ">0<")
    (run,) = read_text("diskspd_xml", text).runs
    assert run.status is RunStatus.FAILED


def test_more_in_flight_than_was_asked_for_is_told() -> None:
    (run,) = read_text("diskspd_xml", TEXT.replace("<RequestCount>8<", "<RequestCount>2<")).runs
    assert [finding.guard for finding in run.findings] == ["concurrency"]


def test_a_document_type_is_refused() -> None:
    with pytest.raises(ResultFileError, match="document type"):
        read_text("diskspd_xml", "<!DOCTYPE Results [<!ENTITY a 'b'>]>" + TEXT)
