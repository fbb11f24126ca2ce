"""fio's disk statistics: what the devices below the files did while all jobs ran."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from plimsoll.declared import IoParameters
from plimsoll.frontends.fio.execution import Done
from plimsoll.run.sampler import DiskCounters
from plimsoll.units import MILLISECOND


@dataclass(frozen=True)
class Disk:
    """A block device and what it counted during the run."""

    name: str
    counters: DiskCounters
    duration_ms: float

    @property
    def utilisation(self) -> float:
        """Percent of the time in which it had work."""
        return min(100.0, 100 * self.counters.busy_ms / self.duration_ms) if self.duration_ms else 0.0

    def as_table(self) -> dict[str, Any]:
        """As in JSON."""
        found = self.counters
        return {
            "name": self.name,
            "read_ios": found.reads,
            "write_ios": found.writes,
            "read_sectors": found.read_sectors,
            "write_sectors": found.write_sectors,
            "read_merges": found.reads_merged,
            "write_merges": found.writes_merged,
            "read_ticks": found.read_ms,
            "write_ticks": found.write_ms,
            "in_queue": found.read_ms + found.write_ms + found.discard_ms + found.flush_ms,
            "util": round(self.utilisation, 6),
        }


def disks_of(done: Sequence[Done]) -> list[Disk]:
    """The devices below the files of all jobs, each once, with its counters from the first start to the last end.

    Those of jobs with `disk_util=0`, and of jobs that use no device, are left out.
    """
    told = [
        each for each in done if each.job.words.on("disk_util") and each.plan.values(IoParameters)["engine"] != "null"
    ]
    ended = [each for each in told if each.ended is not None]
    names = dict.fromkeys(name for each in ended for name in each.place.chain.counters)
    found = []
    for name in names:
        samples = [
            sample
            for each in ended
            if each.ended is not None and name in each.place.chain.counters
            for sample in (each.ended.execution.before, each.ended.execution.after)
        ]
        first, last = (pick(samples, key=lambda each: each.monotonic_ns) for pick in (min, max))
        if name in first.disks and name in last.disks:
            span_ms = (last.monotonic_ns - first.monotonic_ns) / MILLISECOND
            found.append(Disk(name, last.disks[name] - first.disks[name], span_ms))
    return found
