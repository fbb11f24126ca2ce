"""The host's counters at one moment, taken about once a second beside a run."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields
from pathlib import Path

from plimsoll.catalog.waits import WAITED
from plimsoll.model import Interval
from plimsoll.targets.blockdev import SECTOR, text_of
from plimsoll.targets.chain import Chain
from plimsoll.units import MILLISECOND, SECOND

CLOCK_ATTEMPTS = 5
VM_COUNTERS = ("pswpin", "pswpout", "pgmajfault", "oom_kill")
MEMORY_FIELDS = ("MemTotal", "MemAvailable", "MemFree", "Dirty", "Writeback", "SwapFree")


@dataclass(frozen=True)
class DiskCounters:
    """One line of /proc/diskstats since boot, in its order; 0 where the kernel is too old for a field."""

    reads: int = 0
    reads_merged: int = 0
    read_sectors: int = 0
    read_ms: int = 0
    writes: int = 0
    writes_merged: int = 0
    write_sectors: int = 0
    write_ms: int = 0
    in_flight: int = 0
    busy_ms: int = 0
    queue_ms: int = 0
    """Time weighted by requests in flight."""
    discards: int = 0
    discards_merged: int = 0
    discard_sectors: int = 0
    discard_ms: int = 0
    flushes: int = 0
    flush_ms: int = 0

    @property
    def read_bytes(self) -> int:
        """Bytes read since boot."""
        return self.read_sectors * SECTOR

    @property
    def write_bytes(self) -> int:
        """Bytes written since boot."""
        return self.write_sectors * SECTOR

    def __add__(self, other: DiskCounters) -> DiskCounters:
        return DiskCounters(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))

    def __sub__(self, other: DiskCounters) -> DiskCounters:
        return DiskCounters(*(mine - theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True)
class CpuTimes:
    """Clock ticks since boot of all processors, or of one."""

    total: int = 0
    idle: int = 0
    """Idle and waiting for I/O."""
    steal: int = 0


@dataclass(frozen=True)
class HostSample:
    """Counters since boot; only differences between two samples mean anything, but for memory."""

    monotonic_ns: int
    realtime_offset_ns: int = 0
    """Wall clock minus monotonic clock: constant unless somebody sets the clock."""
    disks: Mapping[str, DiskCounters] = field(default_factory=dict)
    cpu: CpuTimes = CpuTimes()
    cpus: tuple[CpuTimes, ...] = ()
    memory_bytes: Mapping[str, int] = field(default_factory=dict)
    vm: Mapping[str, int] = field(default_factory=dict)
    pressure_us: Mapping[str, int] = field(default_factory=dict)
    """Time in which some task waited, by `cpu`, `io`, `memory`; empty where the kernel has no PSI."""
    own_io: Mapping[str, int] = field(default_factory=dict)
    """/proc/self/io: this process with the threads of the engine."""
    family_ns: int = 0
    """CPU time of this process and of all that it started, ended ones too; 0 where nobody asked for it."""
    family_read_bytes: int = 0
    """Bytes that these had read from storage."""
    servers_ns: int = 0
    """CPU time of the processes that serve the emulated volume below the place."""
    waited_ns: Mapping[str, int] = field(default_factory=dict)
    """Time in which I/Os waited for each limit of the emulated volume below the place; empty where nobody counts."""
    clock_source: str = ""
    cost_ns: int = 0
    """Time that taking this sample took."""

    def disk(self, names: Sequence[str]) -> DiskCounters:
        """Sum over some devices."""
        return sum((self.disks[name] for name in names if name in self.disks), DiskCounters())


class Sampler:
    """Takes samples of the devices of a chain and of the host."""

    def __init__(
        self,
        chain: Chain | None = None,
        root: Path = Path("/"),
        servers: Sequence[int] = (),
        waited: Callable[[], Mapping[str, int]] = dict,
    ) -> None:
        """`servers` are the processes that serve the chain's emulated volume, and `waited` asks them for how long I/Os
        waited for each of its limits; `root` stands in for `/` in tests."""
        self._names = frozenset(device.name for device in chain.devices) if chain else frozenset()
        self._root = root
        self._servers = tuple(servers)
        self.with_family = False
        """Whether samples count the processes that this one started: private servers, and each of their workers."""
        self._waited = waited

    def sample(self) -> HostSample:
        """The counters now. Never fails: what cannot be read is left out."""
        monotonic_ns, offset_ns = _clocks()
        proc = self._root / "proc"
        cpu, cpus = _cpu_times(text_of(proc / "stat"))
        family = _family(proc) if self.with_family else ()
        source = self._root / "sys/devices/system/clocksource/clocksource0/current_clocksource"
        return HostSample(
            monotonic_ns=monotonic_ns,
            realtime_offset_ns=offset_ns,
            disks=parse_diskstats(text_of(proc / "diskstats"), self._names),
            cpu=cpu,
            cpus=cpus,
            memory_bytes=_memory(text_of(proc / "meminfo")),
            vm=_named_numbers(text_of(proc / "vmstat"), VM_COUNTERS),
            pressure_us=_pressure(proc / "pressure"),
            own_io=_named_numbers(text_of(proc / "self/io").replace(":", ""), ()),
            family_ns=sum(_process_cpu_ns(text_of(each / "stat"), ended=True) for each in family),
            family_read_bytes=sum(_read_bytes(each) for each in family),
            servers_ns=sum(_process_cpu_ns(text_of(proc / str(pid) / "stat")) for pid in self._servers),
            waited_ns=self._waited(),
            clock_source=text_of(source),
            cost_ns=time.monotonic_ns() - monotonic_ns,
        )

    @staticmethod
    def age_ns(sample: HostSample) -> int:
        """Time since a sample was taken."""
        return time.monotonic_ns() - sample.monotonic_ns


def _clocks() -> tuple[int, int]:
    """Monotonic clock, and wall clock minus it.

    Being descheduled between the two readings would look like a jump of the clock, so the tightest of a few is taken.
    """
    tightest: tuple[int, int, int] | None = None
    for _ in range(CLOCK_ATTEMPTS):
        before, wall, after = time.monotonic_ns(), time.time_ns(), time.monotonic_ns()
        if tightest is None or after - before < tightest[0]:
            tightest = (after - before, after, wall - (before + after) // 2)
        if tightest[0] < MILLISECOND // 100:
            break
    assert tightest is not None
    return tightest[1], tightest[2]


def parse_diskstats(text: str, names: frozenset[str]) -> dict[str, DiskCounters]:
    """The counters of the named devices from the text of /proc/diskstats."""
    counters = {}
    known = len(fields(DiskCounters))
    for line in text.splitlines():
        words = line.split()
        if len(words) > 13 and words[2] in names:
            counters[words[2]] = DiskCounters(*(int(word) for word in words[3 : 3 + known]))
    return counters


def _cpu_times(text: str) -> tuple[CpuTimes, tuple[CpuTimes, ...]]:
    every, single = CpuTimes(), []
    for line in text.splitlines():
        if not line.startswith("cpu"):
            break
        name, *words = line.split()
        ticks = [int(word) for word in words] + [0] * 8
        # guest time (fields 9 and 10) is already part of user time.
        times = CpuTimes(total=sum(ticks[:8]), idle=ticks[3] + ticks[4], steal=ticks[7])
        if name == "cpu":
            every = times
        else:
            single.append(times)
    return every, tuple(single)


def _process_cpu_ns(text: str, *, ended: bool = False) -> int:
    """User and system time of a process, from its `stat`, with `ended` also of its ended children; 0 if it is gone."""
    # The command name may hold blanks and brackets; the numbers start after the last bracket.
    numbers = text.rpartition(")")[2].split()
    return sum(int(ticks) for ticks in numbers[11 : 15 if ended else 13]) * SECOND // os.sysconf("SC_CLK_TCK")


def _family(proc: Path) -> list[Path]:
    """This process and all that descend from it, as folders of /proc."""
    found = [str(os.getpid())]
    for member in found:
        # A child belongs to the thread that made it; looking through all processes of the machine takes much longer.
        tasks = proc / member / "task"
        try:
            threads = os.listdir(tasks)
        except OSError:  # it has ended since its parent named it
            continue
        for thread in threads:
            found += text_of(tasks / thread / "children").split()
    return [proc / member for member in found]


def _read_bytes(process: Path) -> int:
    """Bytes that a process had read from storage; 0 where that is not for us to see, or it is gone."""
    return _named_numbers(text_of(process / "io").replace(":", ""), ("read_bytes",)).get("read_bytes", 0)


def _memory(text: str) -> dict[str, int]:
    found = re.findall(r"^(\w+):\s+(\d+) kB", text, re.MULTILINE)
    return {name: int(number) * 1024 for name, number in found if name in MEMORY_FIELDS}


def _named_numbers(text: str, names: Sequence[str]) -> dict[str, int]:
    """`name number` lines; all of them if no names are given."""
    pairs = (line.split() for line in text.splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and (not names or pair[0] in names)}


def _pressure(folder: Path) -> dict[str, int]:
    found = {}
    for name in ("cpu", "io", "memory"):
        if match := re.search(r"^some .*total=(\d+)", text_of(folder / name), re.MULTILINE):
            found[name] = int(match[1])
    return found


def attach(
    intervals: Sequence[Interval], samples: Sequence[HostSample], started_ns: int, devices: Sequence[str]
) -> tuple[Interval, ...]:
    """The intervals with the change of the counters of `devices` and of the processors in each of them.

    `started_ns` is the wall clock at the start of the measured part. Counters between two samples are taken to grow
    evenly; intervals that no samples enclose stay as they are.
    """
    if len(samples) < 2:
        return tuple(intervals)
    first_ns = started_ns - samples[0].realtime_offset_ns
    attached = []
    for interval in intervals:
        start = first_ns + interval.start_ns
        end = start + interval.duration_ns
        if start < samples[0].monotonic_ns or end > samples[-1].monotonic_ns or not interval.duration_ns:
            attached.append(interval)
            continue
        opened, closed = _at(samples, start, devices), _at(samples, end, devices)
        change = {name: closed[name] - opened[name] for name in opened.keys() & closed.keys()}
        attached.append(interval.model_copy(update=_as_fields(change, interval.duration_ns)))
    return tuple(attached)


def _as_fields(change: Mapping[str, float], duration_ns: int) -> dict[str, dict[str, float]]:
    total = change["cpu_total"]
    cpu = {"busy": 1 - change["cpu_idle"] / total, "steal": change["cpu_steal"] / total} if total > 0 else {}
    device = {name: change[name] for name in ("read_bytes", "write_bytes", "reads", "writes", "flushes")}
    device["busy"] = min(1.0, change["busy_ms"] * MILLISECOND / duration_ns)
    device["in_flight"] = change["queue_ms"] * MILLISECOND / duration_ns
    waited = {name: each for name, each in change.items() if name.startswith(WAITED)}
    seen = any(change[name] for name in ("reads", "writes", "flushes"))
    return {"device": {**(device if seen else {}), **waited}, "cpu": cpu}


def _at(samples: Sequence[HostSample], moment_ns: int, devices: Sequence[str]) -> dict[str, float]:
    """Counters at a moment between two samples."""
    after = next(index for index, sample in enumerate(samples) if sample.monotonic_ns >= moment_ns)
    low, high = samples[max(0, after - 1)], samples[after]
    span = high.monotonic_ns - low.monotonic_ns
    share = (moment_ns - low.monotonic_ns) / span if span else 0.0
    start, end = _flat(low, devices), _flat(high, devices)
    return {name: start[name] + share * (end[name] - start[name]) for name in start if name in end}


def _flat(sample: HostSample, devices: Sequence[str]) -> dict[str, float]:
    disk = sample.disk(devices)
    names = ("read_bytes", "write_bytes", "reads", "writes", "flushes", "busy_ms", "queue_ms")
    cpu = {"cpu_total": sample.cpu.total, "cpu_idle": sample.cpu.idle, "cpu_steal": sample.cpu.steal}
    waited = {WAITED + name: float(ns) for name, ns in sample.waited_ns.items()}
    return {**{name: float(getattr(disk, name)) for name in names}, **cpu, **waited}
