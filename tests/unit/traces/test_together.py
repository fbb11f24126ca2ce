"""Pieces of one device, from several files or from several parts of one: what is joined, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.unit.traces.test_counters import NODE, T, close, cloudwatch, matrix, node, read

from plimsoll.errors import UsageError
from plimsoll.traces.counters import Options, load
from plimsoll.traces.counters._together import joined
from plimsoll.traces.series import Column, Found, Series


def iostat(first: str, *reads: float, queue: bool = True, device: str = "sda") -> str:
    """Reports every 10 s from a time on."""
    start = datetime.strptime(first, "%Y-%m-%d %H:%M:%S%z" if first[19:] else "%Y-%m-%d %H:%M:%S")
    parts = []
    for i, each in enumerate((0.0, *reads)):
        at = start + timedelta(seconds=10 * i)
        time = at.strftime("%Y-%m-%dT%H:%M:%S%z" if first[19:] else "%m/%d/%Y %I:%M:%S %p")
        head, values = "Device r/s rkB/s w/s wkB/s", f"{device} {each} {4 * each} 0 0"
        if queue:
            head, values = f"{head} aqu-sz", f"{values} 0.5"
        parts.append(f"{time}\n{head}\n{values}\n")
    return "\n".join(parts)


def files(tmp_path: Path, *texts: str, **options: Any) -> Series:
    paths = [tmp_path / str(i) for i in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return load(paths, Options(**options))


def test_files_of_one_device_are_joined(tmp_path: Path) -> None:
    monday, tuesday = iostat("2026-09-21 00:00:00", 9000, 9000), iostat("2026-09-21 00:00:20", 10, 10)
    for texts in ((monday, tuesday), (tuesday, monday)):
        found = files(tmp_path, *texts)
        assert (found.start_s, found.observed_s) == (T, 40.0)
        assert close(found.reads, [90_000, 90_000, 100, 100])
    apart = files(tmp_path, monday, iostat("2026-09-21 00:00:40", 10, 10))
    assert (apart.periods, apart.observed_s) == (6, 40.0)
    assert any("20 s were not observed (a gap)" in note for note in apart.notes)
    twice = files(tmp_path, monday, iostat("2026-09-21 00:00:10", 10, 10))
    assert any("moments with several values: 1; the last of each was used" in note for note in twice.notes)


def test_counters_go_on_from_file_to_file(tmp_path: Path) -> None:
    zeros = [0.0, 0.0]
    first = matrix(node("sda", [0, 60], zeros, [0, 100], zeros))
    second = matrix(node("sda", [360, 660], zeros, [200, 300], zeros), start=T + 120)
    found = files(tmp_path, first, second)
    assert close(found.reads, [60, 300, 300])


def test_files_that_do_not_go_together_are_refused(tmp_path: Path) -> None:
    monday = iostat("2026-09-21 00:00:00", 9000, 9000)
    with pytest.raises(UsageError, match=r"times in different zones for sda \(\+0200 and one that they do not name\)"):
        files(tmp_path, iostat("2026-09-21 00:00:20+0200", 10, 10), monday)
    counted = matrix(node("sda", [0, 60], [0, 0], [0, 100], [0, 0]))
    rate = matrix([({"device": "sda"}, [10.0, 20.0])])
    with pytest.raises(UsageError, match="sda, reads: a counter in one place and a rate in another"):
        files(tmp_path, counted, rate, rate=("reads",))
    with pytest.raises(UsageError, match="--rate has 2 names for 3 files"):
        files(tmp_path, rate, rate, rate, rate=("reads", "writes"))
    sar = "00:00:00 DEV tps rkB/s wkB/s\n00:00:10 sda 1 1 1\n00:00:20 sda 1 1 1\n"
    with pytest.raises(UsageError, match="without a date, so nobody can tell which came first"):
        files(tmp_path, sar, sar)


def test_lengths_of_periods_that_differ_are_refused() -> None:
    column = Column("sum", [T + 300.0], [1.0])
    both = [Found("vol-1", {name: column}, period_s) for name, period_s in (("reads", 60.0), ("writes", 300.0))]
    with pytest.raises(UsageError, match="the files have periods of 60 s and of 5 min for vol-1"):
        joined(both)
    assert joined([both[0], replace(both[1], period_s=None)])[0].period_s == 60.0


def test_latencies_of_a_part_are_left_out(tmp_path: Path) -> None:
    monday = iostat("2026-09-21 00:00:00", 9000, 9000)
    found = files(tmp_path, monday, iostat("2026-09-21 00:00:20", 10, 10, queue=False))
    assert found.waited_s is None
    assert any("latencies are known of 50 % of the time only" in note for note in found.notes)
    assert files(tmp_path, monday).waited_s is not None


def test_pages_of_one_answer_are_joined(tmp_path: Path) -> None:
    answer, queries = cloudwatch()
    query = tmp_path / "q.json"
    query.write_text(queries)
    pages = json.loads(answer)["MetricDataResults"]
    later = [{**each, "Timestamps": ["2026-09-21T00:10:00+00:00"], "Values": [900.0]} for each in pages]
    found = read(tmp_path, json.dumps({"MetricDataResults": [*pages, *later]}), query=query)
    assert close(found.reads, [300, 600, 900])


def test_series_of_the_same_time_are_not_mixed(tmp_path: Path) -> None:
    one, other = ({"device": "sda", "job": job} for job in ("a", "b"))
    with pytest.raises(UsageError, match="several series are reads of sda at the same time"):
        read(tmp_path, matrix([(one, [1.0, 2.0]), (other, [3.0, 4.0])]), rate=("reads",))
    lines = [f'node_disk_{NODE[0]}_total{{device="vda",job="{job}"}} 1 {T + i}' for job in "ab" for i in range(2)]
    with pytest.raises(UsageError, match="several series are reads of vda at the same time"):
        read(tmp_path, "\n".join(lines))
