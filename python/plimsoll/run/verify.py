"""The session that asks a place whether it is the volume that somebody pays for.

Read three times, random reads, deeper random reads, random writes, sequential reads: one run each, long enough for
windows. A device that nobody ever wrote is written first, or, where it may not be, only read so.
What follows from them is `catalog/delivery.py`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from plimsoll.catalog.bounds import Use, burst
from plimsoll.catalog.delivery import Role
from plimsoll.catalog.shape import VolumeShape
from plimsoll.catalog.targets import AS
from plimsoll.model import Run, RunStatus, Target
from plimsoll.profile import Entry
from plimsoll.run.study import Study
from plimsoll.targets import datafile, device, directory
from plimsoll.units import GIB, KIB, SECOND, exact_size

BLOCK_BYTES = 16 * KIB
"""The size in which instances state their IOPS; 16 KiB never reach a throughput limit before the IOPS do."""
DEPTH_PER_IOPS = 4 / 1000
"""The provider advises one in flight per 1,000 IOPS; four times as many leave no doubt who limits."""
DEPTHS = (32, 256)
SHORT_SHARE = 0.25
"""Length of the deeper run, as a share of the runtime."""
SHORTEST_S = 2.0
PASSES = (Role.FIRST, Role.AGAIN, Role.CONTROL)
TOUCHES = 200
"""Places that are read three times."""


@dataclass(frozen=True)
class Verification:
    """A study, and what each of its cases is for."""

    study: Study
    roles: Mapping[str, Role]
    """Role by the label of the case."""

    def runs(self, runs: Sequence[Run]) -> dict[Role, Run]:
        """The run of each role: the valid one, else the last; of a pass the first, for later ones touch nothing anew.

        Whether a pass counts for anything else, such as that its blocks hold only zeros, is of no interest here.
        """
        found: dict[Role, Run] = {}
        for run in runs:
            role = self.roles[run.plan.case]
            open_still = role not in found or (role not in PASSES and found[role].status is not RunStatus.OK)
            if open_still:
                found[role] = run
        return found


def size_of(target: Target) -> int:
    """Bytes of the volume below a target: a device's own size, or that of the device below its file system."""
    if target.kind == "device":
        return int(device.facts(target)["size_bytes"])
    facts = directory.facts(target)
    below = [each["size_bytes"] for each in facts.get("devices", []) if each.get("size_bytes")]
    return int(below[0] if below else facts["total_bytes"])


def whole_gib(size_bytes: int) -> str:
    """A size as volumes are sold."""
    return f"{max(1, math.ceil(size_bytes / GIB))}GiB"


def never_written(target: Target, region_bytes: int) -> bool:
    """Whether the region of a device holds only zeros; files are written before they are read."""
    return target.kind == "device" and datafile.only_zeros(Path(target.where), region_bytes)


def verification(
    target: Target, shape: VolumeShape, runtime_ns: int, region_bytes: int, depth: int | None, writes: bool, empty: bool
) -> Verification:
    """What to run on a target to verify that it is `shape`.

    An `empty` region is written before the loads; where it may not be, there are none, for they would prove nothing.
    """
    in_flight = depth or _depth(shape)
    whole_s, part_s = runtime_ns / SECOND, max(SHORTEST_S, runtime_ns / SECOND * SHORT_SHARE)
    size = exact_size(region_bytes).replace(" ", "")
    random = {"block_size": "16KiB", "size": size, "warmup": "2s"}
    listed: list[tuple[Role, Entry]] = []
    if target.kind == "device":
        # The same places again and again, one at a time, so that no limit but the first touch makes a difference.
        touch = {**random, "runtime": "30s", "warmup": "0s", "depth": "1", "max_operations": str(TOUCHES)}
        # Without pauses, their number changes nothing; a case of its own needs a name of its own.
        listed += [(role, Entry("randread", {**touch, "think_every": str(i)})) for i, role in enumerate(PASSES, 1)]
    if writes or not empty:
        whole = {**random, "runtime": f"{whole_s:g}s", "depth": str(in_flight)}
        deeper = {**whole, "runtime": f"{part_s:g}s", "depth": str(2 * in_flight)}
        listed.append((Role.READS, Entry("randread", {**whole, "layout": "refill"} if empty else whole)))
        listed.append((Role.DEEPER, Entry("randread", deeper)))
        if writes:
            listed.append((Role.WRITES, Entry("randwrite", whole)))
        stream = {"block_size": "256KiB", "size": size, "warmup": "2s", "runtime": f"{whole_s:g}s", "depth": "16"}
        listed.append((Role.STREAM, Entry("seqread", stream)))
    said = "+".join(f"{name}={value}" for name, value in shape.options.items())
    study = Study(
        title=f"verify {target.name}: {shape.one}",
        targets=(target.model_copy(update={"options": {**target.options, AS: said}}),),
        entries=tuple(entry for _, entry in listed),
        blocks=1,
        noisy_host=True,
    )
    return Verification(study, {entry.label: role for role, entry in listed})


def _depth(shape: VolumeShape) -> int:
    """In flight so that the limit, and not the round trip, decides."""
    most = burst(shape, Use(BLOCK_BYTES, 1.0))
    wanted = math.ceil(most.per_second * DEPTH_PER_IOPS) if most else DEPTHS[0]
    return min(max(wanted, DEPTHS[0]), DEPTHS[1])
