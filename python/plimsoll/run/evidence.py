"""What the guards look at: everything known about one run, and the views of it that several guards share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

from plimsoll.declared import DbParameters, IoParameters
from plimsoll.model import Plan, Target
from plimsoll.run.outcome import DbOutcome, Outcome, Totals, totals_of
from plimsoll.run.sampler import DiskCounters, HostSample
from plimsoll.targets.chain import Chain
from plimsoll.units import MIB, SECOND

SHORTEST_JUDGED_NS = 2 * SECOND
"""Below this, counters are dominated by what happens around a run: nothing is invalid because of them."""
FLOOR_BYTES = 4 * MIB
"""Journal, metadata and directory updates of a run; differences below it say nothing."""
CPU_SHARES = ("busiest_thread", "all_processors")
"""What an outcome's `cpu` says of the processors that cannot be added over jobs or machines."""


@dataclass(frozen=True)
class Window:
    """A stretch of the measured part between two samples, with what the test did in it."""

    before: HostSample
    after: HostSample
    duration_ns: int
    tool_bytes: Mapping[str, float]
    """Bytes by operation kind."""
    tool_operations: Mapping[str, float]
    uncertain_bytes: Mapping[str, float]
    """How far `tool_bytes` may be off, because the samples do not fall on the edges of the test's own intervals."""

    @property
    def judged(self) -> bool:
        """Whether it is long enough to call a run invalid."""
        return self.duration_ns >= SHORTEST_JUDGED_NS

    def device(self, names: Sequence[str]) -> DiskCounters:
        """What some devices did in it."""
        return self.after.disk(names) - self.before.disk(names)


@dataclass(frozen=True)
class RunEvidence:
    """One run as the guards see it."""

    plan: Plan
    target: Target
    outcome: Outcome
    before: HostSample
    after: HostSample
    samples: tuple[HostSample, ...] = ()
    """About one a second during the measured part."""
    chain: Chain = field(default_factory=Chain)
    """The devices below the data file."""
    file: Mapping[str, Any] = field(default_factory=dict)
    """Facts of the data file (`plimsoll.targets.datafile`); empty if nobody looked."""
    memory_limit_bytes: int = 0
    """RAM that the process may use; 0 if unknown."""
    first: bool = False
    """Whether nobody ran this test on this target before in the session."""
    beside: tuple[Outcome, ...] = ()
    """What the other targets of its block did on the same devices meanwhile, in slices or at once."""

    @property
    def parameters(self) -> Mapping[str, object]:
        """Parameters of the plan by name, in base units."""
        return self.plan.parameters

    @property
    def io(self) -> IoParameters:
        """Parameters of block I/O, which guards of the kind `io` get."""
        return self.plan.values(IoParameters)

    @property
    def is_paced(self) -> bool:
        """Whether block I/O was issued at times of its own: at a rate, or as a trace has it."""
        return bool(self.io["rate"] or self.io.get("recording"))

    @property
    def db(self) -> DbParameters:
        """Parameters of a database test, which guards of the kind `db` get."""
        return self.plan.values(DbParameters)

    @property
    def database(self) -> DbOutcome:
        """The outcome of a database test, which is what guards of the kind `db` get."""
        return cast(DbOutcome, self.outcome)

    @property
    def elapsed_ns(self) -> int:
        """Length of the measured part."""
        return self.outcome["elapsed_ns"]

    @property
    def long_enough(self) -> bool:
        """Whether the run is long enough to be called invalid because of the host's counters."""
        return self.elapsed_ns >= SHORTEST_JUDGED_NS

    @property
    def in_flight(self) -> int:
        """Operations that the plan keeps in flight."""
        return self.io["depth"] * self.io["threads"]

    @property
    def reads(self) -> bool:
        """Whether the plan reads."""
        mode, share = self.io["mode"], self.io["read_share"]
        return mode in ("read", "randread") or (mode in ("rw", "randrw") and share > 0)

    @property
    def writes(self) -> bool:
        """Whether the plan writes."""
        mode, share = self.io["mode"], self.io["read_share"]
        return mode in ("write", "randwrite") or (mode in ("rw", "randrw") and share < 1)

    @property
    def random(self) -> bool:
        """Whether places are chosen at random."""
        return self.io["mode"].startswith("rand")

    @property
    def syncs(self) -> bool:
        """Whether writes are made durable one group at a time."""
        return self.writes and self.io["sync"] != "none"

    @property
    def reaches_nothing(self) -> bool:
        """Whether the test is one of the null engine."""
        return self.plan.workload == "io" and self.io["engine"] == "null"

    @property
    def on_device(self) -> bool:
        """Whether the test reached for a device whose counters can be read."""
        if self.reaches_nothing:
            return False
        devices = [device for device in self.chain.devices if device.name in self.chain.counters]
        return bool(devices) and all(device.counts_io and device.name in self.after.disks for device in devices)

    @property
    def why_not_checkable(self) -> str:
        """Why there are no device counters, as a clause."""
        if self.reaches_nothing:
            return "the null engine reaches no device"
        return self.chain.reason or "the kernel keeps no counters for the device"

    def totals(self, kind: str) -> Totals:
        """Counts of one operation kind; zeros if there were none."""
        return totals_of(self.outcome, kind)

    @property
    def in_slices(self) -> bool:
        """Whether it alternated with the other runs of its block."""
        return "slices" in self.outcome

    def _whole_block(self) -> Window:
        """The block, with what all its targets did on these devices: samples cannot tell whose slice it was."""
        tool_bytes: Counter[str] = Counter()
        tool_operations: Counter[str] = Counter()
        for outcome in (self.outcome, *self.beside):
            for done in (outcome["operations"], outcome.get("discarded", {})):
                for kind, each in done.items():
                    tool_bytes[kind] += each["bytes"]
                    tool_operations[kind] += each["operations"]
        duration_ns = self.after.monotonic_ns - self.before.monotonic_ns
        return Window(self.before, self.after, duration_ns, tool_bytes, tool_operations, {})

    @cached_property
    def measured(self) -> tuple[HostSample, ...]:
        """All samples in order of time."""
        every = {sample.monotonic_ns: sample for sample in (self.before, *self.samples, self.after)}
        return tuple(every[moment] for moment in sorted(every))

    @cached_property
    def window(self) -> Window | None:
        """The longest stretch of the measured part between two samples; None if there is none of use.

        Samples before the start cover layout and warm-up, which the test's own counts leave out.
        """
        if self.in_slices:
            return self._whole_block()
        start_ns = self.outcome["started_ns"] - self.before.realtime_offset_ns
        end_ns = start_ns + self.elapsed_ns
        inside = [sample for sample in self.measured if start_ns <= sample.monotonic_ns <= end_ns]
        if self.before not in inside and not self.io["warmup"]:
            # Nothing ran between this sample and the start, so that it stands for the start.
            inside.insert(0, self.before)
        if self.after not in inside and not self.io["verify"]:
            inside.append(self.after)
        if len(inside) < 2 or not self.elapsed_ns:
            return None
        lasted_ns = max((each["start_ns"] + each["duration_ns"] for each in self.outcome["intervals"]), default=0)
        edges = [min(max(sample.monotonic_ns - start_ns, 0), lasted_ns) for sample in (inside[0], inside[-1])]
        duration_ns = edges[1] - edges[0]
        if duration_ns < self.elapsed_ns // 2:
            return None
        counts = [self._counts_until(edge) for edge in edges]
        kinds = list(counts[1].bytes)
        return Window(
            before=inside[0],
            after=inside[-1],
            duration_ns=duration_ns,
            tool_bytes={kind: counts[1].bytes.get(kind, 0) - counts[0].bytes.get(kind, 0) for kind in kinds},
            tool_operations={
                kind: counts[1].operations.get(kind, 0) - counts[0].operations.get(kind, 0) for kind in kinds
            },
            uncertain_bytes={
                kind: counts[0].uncertain.get(kind, 0) + counts[1].uncertain.get(kind, 0) for kind in kinds
            },
        )

    def _counts_until(self, moment_ns: int) -> _Counts:
        """What the test, and those that ran beside it, had done at a moment of the measured part."""
        counts = _counts_until(self.outcome, moment_ns)
        for other in self.beside:
            counts.add(_counts_until(other, moment_ns + self.outcome["started_ns"] - other["started_ns"]))
        return counts


@dataclass
class _Counts:
    bytes: dict[str, float] = field(default_factory=dict)
    operations: dict[str, float] = field(default_factory=dict)
    uncertain: dict[str, float] = field(default_factory=dict)

    def add(self, other: _Counts) -> None:
        for name in ("bytes", "operations", "uncertain"):
            mine, theirs = getattr(self, name), getattr(other, name)
            mine.update({kind: mine.get(kind, 0.0) + each for kind, each in theirs.items()})


def _counts_until(outcome: Outcome, moment_ns: int) -> _Counts:
    """What the test had done at a moment of the measured part, from its intervals, which have all that came back."""
    counts = _Counts()
    for interval in outcome["intervals"]:
        share = min(1.0, max(0.0, (moment_ns - interval["start_ns"]) / max(1, interval["duration_ns"])))
        for kind, done in interval["operations"].items():
            counts.bytes[kind] = counts.bytes.get(kind, 0) + share * done["bytes"]
            counts.operations[kind] = counts.operations.get(kind, 0) + share * done["operations"]
            # A rate that varies within the interval is furthest from even growth in its middle.
            off = done["bytes"] * min(share, 1 - share) / 2
            counts.uncertain[kind] = counts.uncertain.get(kind, 0) + off
    return counts
