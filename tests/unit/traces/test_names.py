"""Devices of clouds that are called alike: they are told apart, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.traces.test_counters import close, read

from plimsoll.errors import UsageError

WAYS = [(way, what) for way in ("Read", "Write") for what in ("Operations", "Bytes")]


def _long(*rows: tuple[str, str, str, int], head: str = "TimeGenerated,ResourceId,Resource,MetricName,Average") -> str:
    """Two minutes of every metric of each resource and kind."""
    lines = [
        f"2026-09-21T00:0{minute}:00Z,{own},{name},{kind}Disk {way} {what}/Sec,{value}"
        for minute in range(2)
        for own, name, kind, value in rows
        for way, what in WAYS
    ]
    return "\n".join([head, *lines])


def test_disks_of_a_machine_are_told_apart(tmp_path: Path) -> None:
    text = _long(("/a", "vm-1", "OS ", 1), ("/a", "vm-1", "Data ", 20), ("/a", "vm-1", "", 21))
    with pytest.raises(UsageError, match="the file has vm-1, vm-1 Data Disk, vm-1 OS Disk"):
        read(tmp_path, text)
    assert close(read(tmp_path, text, device="vm-1 OS Disk").reads, [60, 60])
    assert close(read(tmp_path, text, device="vm-1 Data Disk").reads, [1200, 1200])
    assert close(read(tmp_path, text, device="vm-1").reads, [1260, 1260])
    own = _long(("/a", "data-1", "Composite ", 5))
    assert read(tmp_path, own).name == "data-1"


def test_resources_of_one_name_are_not_mixed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="line 6: another resource is called data, too; export one of them: /b"):
        read(tmp_path, _long(("/a", "data", "Composite ", 1), ("/B", "data", "Composite ", 20)))
    assert close(read(tmp_path, _long(("/A", "data", "Composite ", 1))).reads, [60, 60])


def _wide(*columns: str) -> str:
    heads = [column.format(way=way, what=what) for column in columns for way, what in WAYS]
    values = ",".join(str(i // 4 + 1) for i in range(len(heads)))
    quoted = ",".join(f'"{head}"' for head in heads)
    return f"TimeStamp,{quoted}\n2026-09-21 00:00:00,{values}\n2026-09-21 00:01:00,{values}\n"


def test_columns_of_a_chart_are_told_apart(tmp_path: Path) -> None:
    both = _wide("OS Disk {way} {what}/Sec (Avg), vm-1", "Data Disk {way} {what}/Sec (Avg), vm-1")
    with pytest.raises(UsageError, match="the file has vm-1 Data Disk, vm-1 OS Disk"):
        read(tmp_path, both)
    assert close(read(tmp_path, both, device="vm-1 Data Disk").reads, [120, 120])
    machines = _wide("Disk {way} {what}/Sec (Avg), vm-1", "Disk {way} {what}/Sec (Avg), vm-2")
    assert close(read(tmp_path, machines, device="vm-2").reads, [120, 120])
    with pytest.raises(UsageError, match="column 6: a second column of reads of disk; keep one of them"):
        read(tmp_path, _wide("Disk {way} {what}/Sec", "Disk {way} {what}/Sec"))


def _google(*labels: tuple[str, ...]) -> str:
    """Four metrics of each disk, of which each label has a row."""
    disks = len(labels[0]) - 1
    metrics = [
        f"compute.googleapis.com/instance/disk/{way}_{what}_count"
        for way in ("read", "write")
        for what in ("ops", "bytes")
    ]
    rows = [",".join(["TimeSeries ID", *metrics * disks])]
    rows += [",".join([name, *(value for value in values for _ in metrics)]) for name, *values in labels]
    values = ",".join(str(i + 1) for i in range(disks) for _ in metrics)
    return "\n".join([*rows, f"2026-09-21 00:00:00,{values}", f"2026-09-21 00:01:00,{values}"])


def test_disks_of_two_machines_are_told_apart(tmp_path: Path) -> None:
    names = ("device_name", "persistent-disk-0", "persistent-disk-0")
    text = _google(names, ("instance_name", "vm-1", "vm-2"))
    with pytest.raises(UsageError, match="the file has vm-1 persistent-disk-0, vm-2 persistent-disk-0"):
        read(tmp_path, text, stat="rate")
    assert close(read(tmp_path, text, stat="rate", device="vm-2 persistent-disk-0").reads, [120, 120])
    by_id = _google(("metric.labels.device_name", *names[1:]), ("resource.labels.instance_id", "17", "18"))
    assert close(read(tmp_path, by_id, stat="rate", device="17 persistent-disk-0").reads, [60, 60])
    with pytest.raises(UsageError, match="column 6: a second column of reads of persistent-disk-0; show device_name"):
        read(tmp_path, _google(names), stat="rate")
