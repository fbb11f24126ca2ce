"""node_exporter's disk counters: which of them are ours."""

from __future__ import annotations

from collections.abc import Mapping

from plimsoll.errors import UsageError
from plimsoll.traces.counters._together import Key
from plimsoll.traces.series import Column, Found

METRICS = {
    "node_disk_reads_completed_total": "reads",
    "node_disk_writes_completed_total": "writes",
    "node_disk_read_bytes_total": "read_bytes",
    "node_disk_written_bytes_total": "write_bytes",
    "node_disk_read_time_seconds_total": "read_waited_s",
    "node_disk_write_time_seconds_total": "write_waited_s",
}
RATES = ("reads", "writes", "read_bytes", "write_bytes", "waited_s")


def device(labels: Mapping[str, str]) -> str:
    """`host:9100 sda`, or `sda` where no instance is named; raises UsageError without a device."""
    name = labels.get("device")
    if not name:
        raise UsageError(
            "a series without the label device: ask for node_disk_… by device, not for a sum over all disks"
        )
    instance = labels.get("instance", "")
    return f"{instance} {name}" if instance else name


def founds(columns: Mapping[Key, Column]) -> list[Found]:
    """One entry per device; the times of reads and writes become one sum."""
    by_device: dict[str, dict[str, Column]] = {}
    for (name, column), values in columns.items():
        by_device.setdefault(name, {})[column] = values
    for each in by_device.values():
        waits = [each.pop(name) for name in ("read_waited_s", "write_waited_s") if name in each]
        if len(waits) == 2 and list(waits[0].times) == list(waits[1].times):
            sums = [a + b for a, b in zip(waits[0].values, waits[1].values, strict=True)]
            each["waited_s"] = Column(waits[0].kind, waits[0].times, sums)
    return [Found(name, each, zone="UTC") for name, each in by_device.items()]
