"""One run that each guard objects to and one that it accepts. A new guard needs a case here, or its test fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hdrh.histogram import HdrHistogram

from plimsoll.model import Level, Plan, Target
from plimsoll.parameters import defaults
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.sampler import CpuTimes, DiskCounters, HostSample
from plimsoll.targets.blockdev import SECTOR, BlockDevice
from plimsoll.targets.chain import Chain
from plimsoll.units import GIB, MIB, MILLISECOND, SECOND

WALL_NS = 1_700_000_000 * SECOND
TICKS = 200
"""Clock ticks of two processors in a second."""


def disk(**changes: Any) -> BlockDevice:
    """A plain disk `sda`."""
    values: dict[str, Any] = {
        **dict.fromkeys(("kind", "disk"), "disk"),
        **dict.fromkeys(("backing_file", "model", "serial", "scheduler"), ""),
        **dict.fromkeys(("backing_direct", "read_only", "removable", "rotational", "forced_unit_access"), False),
        **dict.fromkeys(("partitions", "slaves", "holders"), ()),
        **dict.fromkeys(("start_bytes", "optimal_io_bytes", "alignment_offset_bytes", "read_ahead_bytes"), 0),
        "name": "sda",
        "number": "8:0",
        "size_bytes": 100 * GIB,
        "logical_block_bytes": 512,
        "physical_block_bytes": 4096,
        "largest_request_bytes": MIB,
        "write_cache": "write back",
        "queue_requests": 256,
        "counts_io": True,
    }
    return BlockDevice(**{**values, "disk": "sda", **changes})


SNAPSHOT = {"as": "gp3+size=100GiB+first_touch=yes"}
"""Of a target that is a volume from a snapshot."""
_DATABASE: Mapping[str, Any] = {
    "server": {}, "completed": 100_000, "whole": [], "errors": {}, "messages": {}, "not_found": {}, "outages": [],
    "reconnects": 0, "failed_reconnects": 0, "clients": 0, "loaded_records": None, "kept": None,
    "counters": {"before": {}, "after": {}},
}  # fmt: skip
"""What guards of databases read of a run that they have nothing against."""


@dataclass
class RunMaker:
    """Builds the evidence of a run of constant speed; every field can be set to something implausible."""

    workload: str = "io"
    parameters: dict[str, Any] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    """Of the target."""
    metrics: tuple[str, ...] = ()
    """Judged metrics; rate and p99 of the run's kind if not given."""
    seconds: int = 10
    operations_per_s: int = 10_000
    size: int = 4096
    kind: str = "read"
    latency_ns: int | None = None
    """Mean latency; as long as one operation in flight takes if not given."""
    device_share: float = 1.0
    """Bytes that the device moved / bytes of the test."""
    device_other: Mapping[str, int] = field(default_factory=dict)
    """Counters of the device at the end of the run that the test does not explain."""
    own_share: float = 1.0
    steal_share: float = 0.0
    busy_share: float = 0.3
    busiest_thread: float = 0.2
    all_processors: float = 0.1
    family: float = 0.0
    """Processors that the test and all that it started use; 0 where nobody counts them."""
    family_read_bytes: int = 0
    servers: float = 0.0
    """Processors that the server of an emulated volume uses."""
    clock_source: str = "tsc"
    clock_jump_ns: int = 0
    vm: Mapping[str, int] = field(default_factory=dict)
    available: float = 0.5
    syncs_per_s: int = 0
    errors: int = 0
    rates: Sequence[int] = ()
    """Operations of each second, where they are not all alike."""
    devices: tuple[BlockDevice, ...] = field(default_factory=lambda: (disk(),))
    file: Mapping[str, Any] = field(
        default_factory=lambda: {
            "region_bytes": GIB,
            "hole_bytes": 0,
            "unwritten_bytes": 0,
            "sampled_blocks": 200,
            "zero_blocks": 0,
        }
    )
    waited_ns: Mapping[str, int] = field(default_factory=dict)
    """Time in which I/Os waited for limits of the emulated volume."""
    drain_ns: tuple[int, ...] = ()
    """Of the slices of another target of the block, which did the same on the same disk; none: it had a block alone."""
    first: bool = False
    """Whether nobody ran the test on this target before."""
    sample_cost_ns: int = 600_000
    outcome: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the outcome that replace the computed ones."""

    def make(self) -> RunEvidence:
        per_second = list(self.rates) or [self.operations_per_s] * self.seconds
        done = [sum(per_second[:second]) for second in range(len(per_second) + 1)]
        samples = [self._sample(second, total, done[-1]) for second, total in enumerate(done)]
        return RunEvidence(
            plan=Plan(
                test="case",
                case="case",
                workload=self.workload,
                parameters={**defaults(self.workload), "warmup": 0, **self.parameters},
                metrics=self.metrics or ("iops", f"{self.kind}_p99"),
            ),
            target=Target(name="t", where="/t", options=self.options, facts=self.facts),
            outcome={**_DATABASE, **self._outcome(per_second), **self.outcome, **self._slices(())},
            before=samples[0],
            after=samples[-1],
            samples=tuple(samples[1:-1]),
            chain=Chain(
                devices=self.devices,
                counters=tuple(device.name for device in self.devices),
                disks=tuple(device.name for device in self.devices if device.kind != "partition"),
                reason="" if self.devices else "tmpfs keeps its files in memory",
            ),
            file=self.file,
            memory_limit_bytes=16 * GIB,
            first=self.first,
            beside=({**self._outcome(per_second), **self._slices(self.drain_ns)},) if self.drain_ns else (),
        )

    def _slices(self, drain_ns: Sequence[int]) -> dict[str, Any]:
        about = {
            "slice_ns": SECOND,
            "discard_ns": 20 * MILLISECOND,
            "shared_by": 2,
            "after_other": None,
            "after_own": None,
        }
        return {"slices": {**about, "drain_ns": list(drain_ns)}} if self.drain_ns else {}

    def _sample(self, second: int, done: int, all_done: int) -> HostSample:
        share = done / all_done if all_done else 0.0
        moved = round(done * self.size * self.device_share) * (2 if self.drain_ns else 1)
        other = {name: round(number * share) for name, number in self.device_other.items()}
        counters = {
            f"{self.kind}s": round(moved / self.size) if moved else 0,
            f"{self.kind}_sectors": moved // SECTOR,
        }
        last = done == all_done
        return HostSample(
            monotonic_ns=second * SECOND,
            realtime_offset_ns=WALL_NS + (self.clock_jump_ns if last else 0),
            disks={device.name: DiskCounters(**counters) + DiskCounters(**other) for device in self.devices[:1]},
            cpu=CpuTimes(
                total=second * TICKS,
                idle=round(second * TICKS * (1 - self.busy_share)),
                steal=round(second * TICKS * self.steal_share),
            ),
            cpus=(CpuTimes(), CpuTimes()),
            memory_bytes={"MemTotal": 16 * GIB, "MemAvailable": round(16 * GIB * self.available)},
            vm={name: round(number * share) for name, number in {"pswpin": 0, "oom_kill": 0, **self.vm}.items()},
            own_io={f"{self.kind}_bytes": round(done * self.size * self.own_share) * (2 if self.drain_ns else 1)},
            waited_ns={name: round(ns * share) for name, ns in self.waited_ns.items()},
            family_ns=round((second + 1) * SECOND * self.family),
            family_read_bytes=round(self.family_read_bytes * share),
            servers_ns=round(second * SECOND * self.servers),
            clock_source=self.clock_source,
            cost_ns=self.sample_cost_ns,
        )

    def _outcome(self, per_second: list[int]) -> dict[str, Any]:
        total = sum(per_second)
        seconds = len(per_second)
        syncs = self.syncs_per_s * seconds
        latency_ns = self.latency_ns or SECOND * seconds // max(1, total)
        kinds = {self.kind: (total, total * self.size, latency_ns), "sync": (syncs, 0, MILLISECOND)}
        return {
            "started_ns": WALL_NS,
            "elapsed_ns": seconds * SECOND,
            "operations": {
                kind: {
                    "operations": count,
                    "bytes": size,
                    "errors": self.errors if kind == self.kind else 0,
                    "latency_sum_ns": count * latency,
                }
                for kind, (count, size, latency) in kinds.items()
                if count
            },
            "intervals": [
                {
                    "start_ns": second * SECOND,
                    "duration_ns": SECOND,
                    "errors": 0,
                    "operations": {
                        self.kind: {"operations": count, "bytes": count * self.size},
                        **({"sync": {"operations": self.syncs_per_s, "bytes": 0}} if syncs else {}),
                    },
                }
                for second, count in enumerate(per_second)
            ],
            "cpu": {
                "busiest_thread": self.busiest_thread,
                "all_processors": self.all_processors,
                "user_ns": round(self.busiest_thread * seconds * SECOND),
                "system_ns": 0,
            },
            "mean_in_flight": (total * latency_ns + syncs * MILLISECOND) / SECOND / seconds,
            "offered_operations": None,
            "verified": None,
        }


def write_run(**changes: Any) -> RunMaker:
    """Random writes with an fdatasync after each."""
    return RunMaker(
        **{
            "kind": "write",
            "operations_per_s": 500,
            "syncs_per_s": 500,
            "parameters": {"mode": "randwrite", "sync": "fdatasync"},
            "device_other": {"flushes": 5000},
            **changes,
        }
    )


def buffered(**changes: Any) -> RunMaker:
    """Reads through the page cache, of a file half as large as the memory."""
    return RunMaker(**{"parameters": {"direct": False, "size": 8 * GIB}, **changes})


@dataclass(frozen=True)
class Case:
    """A run a guard objects to, at which level, what its message must say, and a run it accepts."""

    bad: RunMaker
    good: RunMaker
    level: Level = Level.INVALID
    says: str = ""


_BURST = [4000] * 40 + [1000] * 80
_VERIFIED = {"blocks": 1000, "bad_blocks": 3, "first_bad_offset": 8192}

_READING = {
    "name": "read",
    "start_ns": 0,
    "elapsed_ns": 10 * SECOND,
    "scores": [],
    "kinds": {"read": {"bytes": 409_600_000}},
}


def queries(**changes: Any) -> RunMaker:
    """A run against a database server."""
    served = {"server": {"version": "15"}, "completed": 100_000, "whole": ["read"], "clients": 8}
    outcome = {**served, **changes.pop("outcome", {})}
    parameters = {"threads": 1, "server": "postgresql", **changes.pop("parameters", {})}
    return RunMaker(
        **{"workload": "ycsb", "parameters": parameters, "outcome": outcome, "latency_ns": 799_000, **changes}
    )


def away(start_s: float, seconds: float, back: bool = True) -> dict[str, Any]:
    """One outage."""
    return {"start_ns": round(start_s * SECOND), "duration_ns": round(seconds * SECOND), "back": back}


PROMISING = {"server": "PostgreSQL", "fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}


def counted(before: dict[str, int], after: dict[str, int], **changes: Any) -> RunMaker:
    """A run against a server that tells these numbers of itself."""
    outcome = {"counters": {"before": before, "after": after}, **changes.pop("outcome", {})}
    return queries(outcome=outcome, **changes)


SMALL = {"data_bytes": 100 * MIB, "cache_bytes": 128 * MIB}
LARGE = {"data_bytes": 100 * GIB, "cache_bytes": 128 * MIB}


TRACE = {"operations": 1000, "lasts_ns": 4 * SECOND, "together": 500}


def late(lateness_ns: int, **outcome: Any) -> RunMaker:
    """A replay whose I/Os were all issued so late."""
    histogram = HdrHistogram(1, 60 * SECOND, 3)
    histogram.record_value(lateness_ns, 100)
    histograms = {"lateness": histogram.encode().decode()}
    return RunMaker(outcome={"histograms": histograms, **outcome})


_SHORT_DRAINS = (3 * MILLISECOND,) * 10

CASES: dict[str, Case] = {
    "alignment": Case(
        RunMaker(parameters={"mode": "randwrite", "block_size": [[512, 1.0]]}, kind="write", size=512),
        RunMaker(parameters={"mode": "randwrite"}, kind="write"),
        says="blocks of 512 B",
    ),
    "cap_plateau": Case(
        RunMaker(options={"cap_iops": "3000"}, operations_per_s=2990),
        RunMaker(options={"cap_iops": "3000"}, operations_per_s=1500),
        Level.WARN,
        "without scatter: near its limit",
    ),
    "change_point": Case(RunMaker(rates=_BURST), RunMaker(rates=[1000] * 120), Level.WARN, "burst"),
    "client_cpu": Case(RunMaker(busiest_thread=0.99), RunMaker(), says="99 % of a processor"),
    "clock": Case(RunMaker(clock_jump_ns=2 * MILLISECOND), RunMaker(), says="by 2 ms"),
    "db_background": Case(
        counted({"checkpoints": 7}, {"checkpoints": 9}),
        counted({"checkpoints": 7}, {"checkpoints": 7}),
        Level.WARN,
        "the database began 2 checkpoints within warm-up and run",
    ),
    "db_cache": Case(
        counted(SMALL, SMALL),
        counted({**LARGE, "cache_hits": 0, "cache_misses": 0}, {**LARGE, "cache_hits": 900, "cache_misses": 300}),
        Level.WARN,
        "the data (100 MiB) fit into the server's cache (128 MiB): reads may have come from memory, and the speed",
    ),
    "db_client": Case(queries(busiest_thread=0.93), queries(), Level.WARN, "the server might be able to do more"),
    "db_errors": Case(
        queries(outcome={"errors": {"read": {"timeout": 1000}}, "messages": {"timeout": "read: no answer for 30.0 s"}}),
        queries(),
        says="1,000 of 101,000 operations failed",
    ),
    "db_foreign": Case(
        queries(busy_share=0.9, family=0.5, family_read_bytes=10 * 10_000 * 4096),
        queries(busy_share=0.3, family=0.55, family_read_bytes=10 * 10_000 * 4096),
        Level.WARN,
        "other programs used 65 % of the time of all processors",
    ),
    "db_promises": Case(
        queries(parameters={"server": "none"}, outcome={"server": {**PROMISING, "fsync": "off"}}),
        queries(parameters={"server": "none"}, outcome={"server": PROMISING}),
        Level.WARN,
        "the server does not keep what it acknowledges (fsync=off): nothing waits for stable storage",
    ),
    "db_schedule": Case(
        queries(outcome={"offered_operations": 200_000}),
        queries(outcome={"offered_operations": 100_001}),
        Level.WARN,
        "100,000 of 200,000 scheduled operations were done in time (50 %)",
    ),
    "db_service": Case(
        queries(
            outcome={"outages": [away(4.02, 1.2)], "reconnects": 8, "messages": {"closed": "terminating connection"}}
        ),
        queries(),
        says="the server was away for 1.2 s, beginning 4.02 s into the measured time; clients were told: terminating",
    ),
    "device_bytes": Case(RunMaker(device_share=0.5), RunMaker(device_share=0.99), says="50 % never reached it"),
    "discard": Case(RunMaker(device_other={"discards": 5000}), RunMaker(), Level.WARN, "5,000 discards"),
    "durability": Case(write_run(device_other={}), write_run(), says="0 flushes reached the device for 5,000 syncs"),
    "errors": Case(RunMaker(errors=1000), RunMaker(errors=1), says="1,000 of 101,000"),
    "foreign_io": Case(RunMaker(device_share=1.2), RunMaker(device_share=1.001), says="17 %"),
    "instance_memory": Case(
        RunMaker(outcome={"small_memory": {"bytes": 2**30, "why_not": "this host has no memory cgroups"}}),
        RunMaker(outcome={"small_memory": {"bytes": 2**30, "why_not": ""}}),
        Level.WARN,
        "The memory was not limited to 1 GiB: this host has no memory cgroups",
    ),
    "littles_law": Case(RunMaker(outcome={"mean_in_flight": 2.0}), RunMaker(), says="-50 % off"),
    "memory": Case(RunMaker(vm={"pswpout": 5000}), RunMaker(vm={"pswpout": 0}), says="5,000 pages"),
    "memory_answer": Case(
        RunMaker(outcome={"results": [_READING]}, device_share=0.1),
        RunMaker(outcome={"results": [_READING]}),
        Level.WARN,
        "this measured memory, not the disk, in 1 of 1 phases; 10 % of the bytes",
    ),
    "memory_file_system": Case(
        RunMaker(devices=(), facts={"in_memory": True, "file_system": "tmpfs"}),
        RunMaker(facts={"in_memory": False, "file_system": "ext4"}),
        Level.WARN,
        "the files lie in memory (tmpfs): this is no disk",
    ),
    "open_loop": Case(
        RunMaker(outcome={"offered_operations": 120_000}),
        RunMaker(outcome={"offered_operations": 100_000}),
        Level.WARN,
        "83 %",
    ),
    "page_cache": Case(buffered(device_share=0.2), buffered(), says="80 %"),
    "queue": Case(
        RunMaker(parameters={"depth": 64}),
        RunMaker(parameters={"depth": 64}, latency_ns=6_400_000),
        says="of the 64 asked for",
    ),
    "replay_schedule": Case(
        late(3 * MILLISECOND, late_since_ns=12 * SECOND),
        late(MILLISECOND // 20),
        Level.WARN,
        "from 12 s on every one was late: target or host could not follow the trace",
    ),
    "parallel": Case(
        RunMaker(outcome={"parallel": {"shared_by": 2, "overlap": 0.5}}),
        RunMaker(outcome={"parallel": {"shared_by": 2, "overlap": 0.99}}),
        says="all targets of the block were measured together for only 50 % of the run",
    ),
    "replay_end": Case(
        RunMaker(parameters={"recording": TRACE}, outcome={"unissued": 250}),
        RunMaker(parameters={"recording": TRACE}),
        says="250 of 1,000 I/Os of the trace were never issued (25 %): after 10 s the place was not done with 4 s of "
        "it",
    ),
    "request_shape": Case(
        RunMaker(device_other={"reads": -60_000}), RunMaker(), says="reached the device as requests of 10 KiB"
    ),
    "sampler": Case(RunMaker(sample_cost_ns=50 * MILLISECOND), RunMaker(), Level.WARN, "4.5 %"),
    "first_touch": Case(
        RunMaker(options=SNAPSHOT, first=True),
        RunMaker(options=SNAPSHOT),
        says="the first touch of a volume that was made from a snapshot: 10,000/s; measured a second time, and that "
        "counts",
    ),
    "short_run": Case(
        RunMaker(operations_per_s=10), RunMaker(), Level.WARN, "read p99 rests on 100 operations; it needs at least 368"
    ),
    "slices": Case(
        RunMaker(drain_ns=_SHORT_DRAINS, waited_ns={"volume.iops": 5 * SECOND}),
        RunMaker(drain_ns=_SHORT_DRAINS, waited_ns={"volume.iops": SECOND // 10}),
        says="I/Os waited for volume IOPS in 50 % of the block",
    ),
    "steal": Case(RunMaker(steal_share=0.1), RunMaker(steal_share=0.005), says="10 %"),
    "unwritten": Case(
        RunMaker(file={"region_bytes": GIB, "hole_bytes": GIB // 2, "sampled_blocks": 0}),
        RunMaker(),
        says="50 % of the region was never written",
    ),
    "verify": Case(
        RunMaker(outcome={"verified": _VERIFIED}),
        RunMaker(outcome={"verified": {"blocks": 1000, "bad_blocks": 0, "first_bad_offset": None}}),
        says="the first at byte 8192",
    ),
    "working_set": Case(
        buffered(device_share=0.2), buffered(parameters={"direct": False, "size": 64 * GIB}), says="0.5 times"
    ),
}


def shorter(maker: RunMaker) -> RunMaker:
    """The same run, one second long."""
    return replace(maker, seconds=1)
