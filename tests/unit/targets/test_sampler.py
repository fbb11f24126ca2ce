"""The host's counters: recorded texts, and intervals that get their share of them."""

from __future__ import annotations

import subprocess
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.targets.machine_tree import Machine

from plimsoll.model import Interval
from plimsoll.run.sampler import CpuTimes, DiskCounters, HostSample, Sampler, attach, parse_diskstats
from plimsoll.targets.chain import chain_of, chain_of_device
from plimsoll.units import SECOND

DISKSTATS = """\
   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
 254       0 vda 58340 9238 3947706 30232 29538 33246 4399016 32757 1 14412 64091 8607 31 1146064 880 4004 220
   8       0 sda 10 1 80 5 20 2 160 9 0 7 14
   8       1 sda1 5 40 10 80
"""


def test_diskstats_of_new_and_old_kernels() -> None:
    counters = parse_diskstats(DISKSTATS, frozenset({"vda", "sda", "sda1"}))
    vda = counters["vda"]
    assert (vda.reads, vda.read_bytes, vda.write_bytes) == (58340, 3947706 * 512, 4399016 * 512)
    assert (vda.in_flight, vda.discards, vda.flushes, vda.flush_ms) == (1, 8607, 4004, 220)
    assert counters["sda"].flushes == 0
    assert "sda1" not in counters, "the four fields of ancient kernels mean something else"


def test_counters_add_and_subtract() -> None:
    one, two = DiskCounters(reads=3, flush_ms=1), DiskCounters(reads=5, flush_ms=7)
    assert two - one == DiskCounters(reads=2, flush_ms=6)
    assert (two - one) + one == two


def test_a_sample_of_a_described_machine(machine: Machine) -> None:
    machine.disk("vda", "254:0")
    machine.write("proc/diskstats", DISKSTATS)
    machine.write("proc/stat", "cpu  100 0 50 800 40 0 0 10 30 0\ncpu0 50 0 25 400 20 0 0 5 15 0\nintr 5\n")
    machine.write("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 600 kB\nHugePages_Total: 0\n")
    machine.write("proc/vmstat", "pswpin 4\npswpout 5\nnr_free_pages 9\noom_kill 0\n")
    machine.write("proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=123\nfull avg10=0.00 total=9\n")
    machine.write("proc/self/io", "rchar: 1\nread_bytes: 4096\nwrite_bytes: 8192\n")
    sample = Sampler(chain_of_device("254:0", machine.root), machine.root).sample()
    assert set(sample.disks) == {"vda"}
    assert sample.cpu == CpuTimes(total=1000, idle=840, steal=10)
    assert len(sample.cpus) == 1
    assert sample.memory_bytes == {"MemTotal": 1024_000, "MemAvailable": 614_400}
    assert sample.vm == {"pswpin": 4, "pswpout": 5, "oom_kill": 0}
    assert sample.pressure_us == {"io": 123}
    assert sample.own_io["write_bytes"] == 8192


def test_a_machine_that_tells_nothing(tmp_path: Path) -> None:
    sample = Sampler(None, tmp_path).sample()
    assert sample.disks == {}
    assert sample.cpu == CpuTimes()


def test_samples_of_this_machine_never_go_back() -> None:
    sampler = Sampler(chain_of(Path("/")))
    first, second = sampler.sample(), sampler.sample()
    assert second.monotonic_ns > first.monotonic_ns
    assert second.cpu.total >= first.cpu.total
    assert sampler.age_ns(first) > 0


def interval(start_s: float, duration_s: float = 1.0) -> Interval:
    return Interval(start_ns=int(start_s * SECOND), duration_ns=int(duration_s * SECOND), errors=0, operations={})


def sample_at(second: float) -> HostSample:
    """A device that reads 1000 sectors and a processor that is half busy, per second."""
    return HostSample(
        monotonic_ns=int(second * SECOND),
        realtime_offset_ns=100 * SECOND,
        disks={"sda": DiskCounters(reads=int(second * 10), read_sectors=int(second * 1000), busy_ms=int(second * 250))},
        cpu=CpuTimes(total=int(second * 200), idle=int(second * 100), steal=int(second * 20)),
    )


@pytest.mark.slow
def test_a_child_that_ends_while_it_is_looked_at_ends_no_sampling() -> None:
    """The processes of a private server come and go while samples are taken."""
    sampler = Sampler()
    sampler.with_family = True
    over = threading.Event()

    def come_and_go() -> None:
        while not over.is_set():
            subprocess.run(["true"], check=True)

    comings = [threading.Thread(target=come_and_go) for _ in range(4)]
    for each in comings:
        each.start()
    try:
        for _ in range(400):
            sampler.sample()
    finally:
        over.set()
        for each in comings:
            each.join()


def test_intervals_get_their_share_of_the_counters() -> None:
    samples = [sample_at(second) for second in (0, 1.5, 2.5, 4)]
    first, second = attach([interval(0), interval(1)], samples, 101 * SECOND, ["sda"])
    for each in (first, second):
        assert each.device["read_bytes"] == pytest.approx(512_000)
        assert each.device["busy"] == pytest.approx(0.25)
        assert each.cpu == pytest.approx({"busy": 0.5, "steal": 0.1})


def test_intervals_outside_the_samples_stay_as_they_are() -> None:
    samples = [sample_at(1), sample_at(2)]
    intervals = [interval(0), interval(0.5), interval(2)]
    assert attach(intervals, samples, 100 * SECOND, ["sda"]) == tuple(intervals)
    assert attach(intervals, samples[:1], 100 * SECOND, ["sda"]) == tuple(intervals)


def test_waits_of_an_emulated_volume_are_attached_even_where_nothing_moved() -> None:
    samples = [replace(sample_at(i), waited_ns={"volume.iops": i * SECOND // 4}) for i in range(3)]
    first, second = attach([interval(0), interval(1)], samples, 100 * SECOND, [])
    assert first.device == second.device == {"waited_ns.volume.iops": SECOND / 4}
    # A server that did not answer once leaves a hole, not a zero.
    samples[1] = replace(samples[1], waited_ns={})
    assert [each.device for each in attach([interval(0), interval(1)], samples, 100 * SECOND, [])] == [{}, {}]


def test_without_a_device_only_processors_are_attached() -> None:
    (only,) = attach([interval(0)], [sample_at(0), sample_at(1)], 100 * SECOND, [])
    assert only.device == {}
    assert only.cpu["busy"] == pytest.approx(0.5)
