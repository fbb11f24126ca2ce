"""CrystalDiskMark: decimal megabytes, rows of versions 5 to 8, and that it shows the best of its runs."""

import pytest
from tests.unit.importers.importing import HERE, load, read, read_text, scores, told

from plimsoll.errors import ResultFileError
from plimsoll.importers.source import Source
from plimsoll.units import MICROSECOND

V8 = (HERE / "crystaldiskmark" / "fixtures" / "v8.txt").read_text(encoding="utf-8")


def test_version_8_says_rate_throughput_and_latency() -> None:
    imported = load("crystaldiskmark", "v8.txt")
    assert len(imported.runs) == 5, "the row of zeros was not measured"
    _, random_read, *_, mix = imported.runs
    assert scores(random_read) == {"throughput": 40.96e6, "iops": 10_000, "read_mean": 99.5 * MICROSECOND}
    assert random_read.plan.parameters | {"block_size": 4096, "queue_depth": 1, "threads": 1, "access": "random"} == (
        random_read.plan.parameters
    )
    assert mix.plan.parameters["operation"] == "mix 70/30"
    assert told(random_read) == {"best_of"}
    assert random_read.target.where == "D:"


def test_version_6_has_no_latency_and_may_have_no_rate() -> None:
    runs = load("crystaldiskmark", "v6.txt").runs
    assert scores(runs[0]) == {"throughput": pytest.approx(471.231e6)}
    assert scores(runs[2]) == {"throughput": 409.6e6, "iops": 100_000}
    assert "queue_depth" not in runs[4].plan.parameters


def test_a_single_run_is_not_the_best_of_several() -> None:
    assert all("best_of" not in told(run) for run in read_text("crystaldiskmark", V8.replace("(x5)", "(x1)")).runs)


def test_utf_16_as_windows_writes_it() -> None:
    runs = read("crystaldiskmark", Source("a.txt", V8.encode("utf-16"))).runs
    assert [scores(run) for run in runs] == [scores(run) for run in load("crystaldiskmark", "v8.txt").runs]


def test_a_rate_that_does_not_fit_is_told() -> None:
    _, edited, *_ = read_text("crystaldiskmark", V8.replace("40.960 MB/s", "80.960 MB/s")).runs
    assert "rates" in told(edited)


def test_a_heading_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(ResultFileError, match=r"line 12: '.Schreiben.' is not a heading of CrystalDiskMark"):
        read_text("crystaldiskmark", V8.replace("[Write]", "[Schreiben]"))
