"""fio's logs: refused before the run where they cannot be written; lines of operations with times since 1970."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.unit.frontends.test_fio_words import job

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import single_logs
from plimsoll.frontends.fio.logs import check
from plimsoll.frontends.fio.single_logs import SingleLogs
from plimsoll.units import MILLISECOND


@pytest.mark.parametrize(
    "words",
    [
        ["--write_bw_log=no/x"],
        ["--write_iops_log=no/x", "--log_avg_msec=500"],
        ["--write_hist_log=no/x", "--log_hist_msec=500"],
    ],
)
def test_a_log_that_cannot_be_written_costs_no_run(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="no directory no"):
        check([job(*words)])
    (tmp_path / "no").mkdir()
    check([job(*words)])


def lines(folder: Path, *records: dict[str, Any]) -> list[int]:
    """Times of the log of one job that told these records."""
    log = SingleLogs(job(f"--write_lat_log={folder / 'x'}", "--log_unix_epoch=1"))
    for record in records:
        log.see(record)
    log.close()
    return [int(line.split(",")[0]) for line in (folder / "x_lat.1.log").read_text().splitlines()]


def test_times_since_1970(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = [("read", 0, 2 * MILLISECOND, 0, 4096, 0, 0), ("read", 5 * MILLISECOND, MILLISECOND, 4096, 4096, 0, 0)]
    begin_ms = 1_700_000_000_000
    ended = {"trace": trace, "started_ns": begin_ms * MILLISECOND}
    assert lines(tmp_path, ended) == [begin_ms + 2, begin_ms + 6]
    monkeypatch.setattr(single_logs, "time", SimpleNamespace(time_ns=lambda: (begin_ms + 10) * MILLISECOND))
    running = {"phase": "measure", "elapsed_ns": 10 * MILLISECOND, "trace": trace}
    told = lines(tmp_path, {"phase": "layout", "elapsed_ns": 0, "trace": []}, running, {"trace": []})
    assert told == [begin_ms + 2, begin_ms + 6]


def test_a_line_has_the_parts_of_a_latency_the_offset_and_the_priority(tmp_path: Path) -> None:
    words = [f"--write_lat_log={tmp_path / 'x'}", f"--write_bw_log={tmp_path / 'x'}", "--log_offset=1", "--log_prio=1"]
    log = SingleLogs(job(*words, "--prio=4", "--bs=4k", "--size=1m"))
    log.see({"trace": [("read", 0, 3000, 8192, 4096, 1000, 0), ("write", MILLISECOND, 500, 0, 512, 0, 3 << 13)]})
    log.close()
    found = {name: (tmp_path / f"x_{name}.1.log").read_text().splitlines() for name in ("slat", "clat", "lat", "bw")}
    first, second = ("0, {}, 0, 4096, 8192, 0x4004", "1, {}, 1, 512, 0, 0x6000")
    # What was done at once has no time of submission.
    assert found["slat"] == [first.format(1000)]
    assert found["clat"] == [first.format(2000), second.format(500)]
    assert found["lat"] == [first.format(3000), second.format(500)]
    assert found["bw"] == [first.format(4096 * MILLISECOND // 3000), second.format(512 * MILLISECOND // 500)]


def test_when_the_kernel_had_an_operation(tmp_path: Path) -> None:
    """As fio 3.41 writes it: of the parts of a latency; the others have 0."""
    words = [f"--write_lat_log={tmp_path / 'x'}", f"--write_iops_log={tmp_path / 'x'}", "--log_issue_time=1"]
    log = SingleLogs(job(*words))
    log.see({"trace": [("read", 5000, 3000, 0, 4096, 1000, 0)]})
    log.close()
    found = {name: (tmp_path / f"x_{name}.1.log").read_text() for name in ("slat", "clat", "lat", "iops")}
    line = "0, {}, 0, 4096, 0, {}\n"
    assert found == {
        "slat": line.format(1000, 6000),
        "clat": line.format(2000, 6000),
        "lat": line.format(3000, 0),
        "iops": line.format(1, 0),
    }


def test_a_compressed_log_has_the_same_lines(tmp_path: Path) -> None:
    for packed in ("0", "1"):
        words = [f"--write_bw_log={tmp_path / 'x'}", "--log_compression=10k", f"--log_store_compressed={packed}"]
        log = SingleLogs(job(*words))
        log.see({"trace": [("read", number * MILLISECOND, 3000, 0, 4096, 0, 0) for number in range(100)]})
        log.close()
    lines = (tmp_path / "x_bw.1.log").read_text().splitlines(keepends=True)
    assert len(lines) == 100
    assert list(single_logs.inflated(str(tmp_path / "x_bw.1.log.fz"))) == lines
    for name, reason in (("x_bw.1.log", "did not leave it"), ("none", "No such file")):
        with pytest.raises(UsageError, match=f"--inflate-log: .*{reason}"):
            list(single_logs.inflated(str(tmp_path / name)))


def test_the_offset_is_that_in_its_file(tmp_path: Path) -> None:
    words = [f"--write_bw_log={tmp_path / 'x'}", "--log_offset=1", "--filename=a:b", "--size=2m", "--offset=64k"]
    log = SingleLogs(job(*words))
    log.see({"trace": [("read", 0, 1, 2**20 + 4096, 4096, 0, 0)]})
    log.close()
    assert (tmp_path / "x_bw.1.log").read_text().split(", ")[4] == str(64 * 1024 + 4096)
