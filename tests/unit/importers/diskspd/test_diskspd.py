"""Golden: tables of DiskSpd, also as PowerShell writes them."""

import pytest
from tests.unit.importers.importing import HERE, load, read, read_text, scores, told

from plimsoll.errors import ResultFileError
from plimsoll.importers.source import Source
from plimsoll.model import RunStatus
from plimsoll.units import MIB, MILLISECOND, SECOND


def test_a_mixed_test() -> None:
    (run,) = load("diskspd", "mixed.txt").runs
    assert scores(run)["iops"] == 10_000
    assert scores(run)["throughput"] == 39.06 * MIB
    assert scores(run)["read_iops"] == 7000
    assert scores(run)["write_mean"] == 1.833 * MILLISECOND
    assert scores(run)["read_p99"] == 7.406 * MILLISECOND
    assert scores(run)["write_p999"] == 15.804 * MILLISECOND
    assert scores(run)["write_max"] == 25.514 * MILLISECOND
    assert run.plan.parameters["block_size"] == 4096
    assert run.plan.parameters["outstanding"] == 8
    assert run.target.where == "D:\\test.dat"
    assert run.started_ns == 1_767_323_045 * SECOND
    assert not told(run)


def test_an_old_version_calls_mebibytes_megabytes() -> None:
    (run,) = load("diskspd", "read_2.0.15.txt").runs
    assert scores(run) == {"iops": 2000, "throughput": 125 * MIB}
    assert not told(run)


def test_utf_16_and_windows_line_ends() -> None:
    text = (HERE / "diskspd/fixtures/mixed.txt").read_text().replace("\n", "\r\n")
    (run,) = read("diskspd", Source("out.txt", text.encode("utf-16"))).runs
    assert scores(run)["iops"] == 10_000


def test_rates_that_disagree_are_told() -> None:
    text = (HERE / "diskspd/fixtures/read_2.0.15.txt").read_text()
    (run,) = read_text("diskspd", text.replace("2000.00", "1000.00")).runs
    assert told(run) == {"rates"}


def test_a_run_without_table_failed() -> None:
    text = (HERE / "diskspd/fixtures/mixed.txt").read_text()
    (run,) = read_text("diskspd", text[: text.index("Total IO")]).runs
    assert run.status is RunStatus.FAILED


def test_sizes_of_2_2_have_units() -> None:
    (run,) = load("diskspd", "mixed_2.2.txt").runs
    (before,) = load("diskspd", "mixed.txt").runs
    assert run.plan.parameters == {**before.plan.parameters, "file_size": 2**30}
    assert run.plan.case == before.plan.case == "diskspd random mix 4096"
    assert scores(run) == scores(before)


@pytest.mark.parametrize("size", ["4KiX", "KiB", "4.0001KiB"])
def test_a_size_that_is_none_is_refused_with_its_line(size: str) -> None:
    text = (HERE / "diskspd/fixtures/mixed_2.2.txt").read_text().replace("block size: 4KiB", f"block size: {size}")
    with pytest.raises(ResultFileError, match=r"file.txt: line 19: "):
        read_text("diskspd", text)
