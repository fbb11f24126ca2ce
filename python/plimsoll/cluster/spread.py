"""One run on many workers: the plan is split into parts, and what they measured is added."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any, TypeVar, cast

from hdrh.histogram import HdrHistogram

from plimsoll.declared import DbParameters, IoParameters, YcsbParameters
from plimsoll.errors import UsageError
from plimsoll.model import Finding, Interval, IntervalOperations, Level, Plan, Run, RunStatus
from plimsoll.parameters import kind_of
from plimsoll.run import workloads
from plimsoll.run.evidence import CPU_SHARES
from plimsoll.run.noise import guards_of_noise
from plimsoll.run.outcome import Outcome, Slices
from plimsoll.units import SECOND, format_duration

STRAGGLER = 0.8
"""A worker that did less than this share of the median for each of its clients is named."""
SKEW = 0.05
"""So much of the measured time may lie between the first and the last start or end."""
_OF_THE_FIRST = frozenset({"phases", "clock", "whole", "server", "messages", "counters", "outages"})

_OF_ONE = frozenset({"cpu", "kept", "slices"})
"""What cannot be added: each worker counts the rows that all of them have added, and has the same slices."""


@dataclass(frozen=True)
class Part:
    """What one worker measured, with the start of its measured time on the coordinator's clock."""

    worker: str
    run: Run
    began_ns: int
    machine: str = ""
    """The same for two workers of one machine."""

    @property
    def ended_ns(self) -> int:
        """End of its measured time on the coordinator's clock."""
        return self.began_ns + int(self.run.facts["elapsed_ns"])

    @property
    def operations(self) -> int:
        """What it did in all."""
        counts = self.run.facts["operations"].values()
        return int(self.run.facts.get("completed") or sum(each["operations"] for each in counts))

    @property
    def operations_per_client(self) -> float:
        """What it did for each of its clients, of which some workers have one more than others."""
        return self.operations / max(1, int(str(self.run.plan.parameters.get("clients", 1))))


Shared = TypeVar("Shared", IoParameters, DbParameters)


def split(plan: Plan, workers: int) -> list[Plan]:
    """A part for each worker: clients, rate and operations shared out, random streams of their own.

    With fewer clients than workers, as at the low end of a load line, only so many workers take part.
    Raises UsageError for a plan that cannot be shared out.
    """
    kind = kind_of(plan.workload)
    if kind not in ("io", "db"):
        raise UsageError(f"test {plan.test} cannot be spread over workers; name one worker, such as @worker1:/path")
    if plan.workload == "ycsb" and plan.values(YcsbParameters)["insert"]:
        raise UsageError(f"test {plan.test} inserts, and several machines would insert the same keys; name one worker")
    if kind == "io":
        return [plan.having(_share(plan.values(IoParameters), place, workers)) for place in range(workers)]
    clients = plan.values(DbParameters)["clients"]
    workers = min(workers, clients)
    parts = [_share(plan.values(DbParameters), place, workers) for place in range(workers)]
    for place, part in enumerate(parts):
        part["clients"] = _part(clients, place, workers)
    return [plan.having(part) for part in parts]


def _share(values: Shared, place: int, workers: int) -> Shared:
    part = values.copy()
    part["seed"] += place
    if values["max_operations"]:
        part["max_operations"] = _part(values["max_operations"], place, workers)
    if values["rate"]:
        part["rate"] = {**values["rate"], "per_second": values["rate"]["per_second"] / workers}
    return part


def _part(count: int, place: int, workers: int) -> int:
    return count // workers + (place < count % workers)


def joined(whole: Run, parts: Sequence[Part]) -> Run:
    """The run of all workers together. `whole` has identity, target and plan; everything measured comes from `parts`.

    Histograms and counts are added, intervals aligned on the coordinator's clock. The measured time goes from the first
    start to the last end, so that a worker who begins late costs throughput.
    """
    failed = next((part for part in parts if part.run.status is RunStatus.FAILED), None)
    ended = {"ended_ns": max(part.run.ended_ns for part in parts)}
    if failed is not None:
        reason = f"worker {failed.worker}: {failed.run.reason}"
        return whole.model_copy(update={**ended, "status": RunStatus.FAILED, "reason": reason})
    began = min(part.began_ns for part in parts)
    sliced = all(part.run.in_slices for part in parts)
    # In slices only parts of the time count, the same ones on every worker.
    elapsed_ns = _longest_elapsed(parts) if sliced else max(part.ended_ns for part in parts) - began
    facts = {
        **_added([{name: each for name, each in part.run.facts.items() if name not in _OF_ONE} for part in parts]),
        **({"slices": _slices([part.run.facts["slices"] for part in parts])} if sliced else {}),
        "elapsed_ns": elapsed_ns,
        "cpu": _cpu(parts),
        "parts": {part.worker: _about(part, began) for part in parts},
    }
    histograms = {
        kind: _added_histograms([part.run.histograms[kind] for part in parts if kind in part.run.histograms])
        for kind in dict.fromkeys(kind for part in parts for kind in part.run.histograms)
    }
    intervals = by_slice(parts) if sliced else aligned(parts, began)
    findings = (*_findings(parts), _together(parts, elapsed_ns))
    invalid = next((finding for finding in findings if finding.level is Level.INVALID), None)
    partial = next((part for part in parts if part.run.status is RunStatus.PARTIAL), None)
    status = RunStatus.PARTIAL if partial else RunStatus.INVALID if invalid else RunStatus.OK
    return whole.model_copy(
        update={
            **ended,
            "status": status,
            "reason": partial.run.reason if partial else invalid.message if invalid else "",
            "scores": workloads.of(whole.plan).scores(whole.plan, cast(Outcome, facts), histograms, intervals),
            "histograms": histograms,
            "intervals": intervals,
            "findings": findings,
            "facts": facts,
        }
    )


def _about(part: Part, began_ns: int) -> dict[str, Any]:
    facts = part.run.facts
    return {
        "started_ns": part.began_ns - began_ns,
        "ended_ns": part.ended_ns - began_ns,
        "operations": part.operations,
        "operations_per_s": part.operations * SECOND / max(1, int(facts["elapsed_ns"])),
        **{share: facts["cpu"][share] for share in CPU_SHARES},
    }


def _cpu(parts: Sequence[Part]) -> dict[str, Any]:
    """All processor time; the shares are those of the busiest thread and machine of all."""
    each = [part.run.facts["cpu"] for part in parts]
    added: dict[str, Any] = _added(each)
    return {**added, **{share: max(cpu[share] for cpu in each) for share in CPU_SHARES}}


def _added(values: Sequence[Any], name: str = "") -> Any:
    """Numbers added, tables added by key; of anything else the first."""
    known = [value for value in values if value is not None]
    if not known or name in _OF_THE_FIRST:
        return known[0] if known else None
    if all(isinstance(value, Mapping) for value in known):
        keys = dict.fromkeys(key for value in known for key in value)
        return {key: _added([value.get(key) for value in known], str(key)) for key in keys}
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in known):
        return sum(known)
    return known[0]


def _added_histograms(encoded: Sequence[bytes]) -> bytes:
    first, *others = [HdrHistogram.decode(base64.b64encode(each)) for each in encoded]
    for other in others:
        first.add(other)
    return base64.b64decode(first.encode())


def aligned(parts: Sequence[Part], began_ns: int) -> tuple[Interval, ...]:
    """The workers' intervals added at the moments when they were.

    Each interval is put where most of it lies. Percentiles of an interval are the largest of the parts: the true ones
    lie between the parts', and nothing more can be said without a histogram for each second.
    """
    longest = max((each.duration_ns for part in parts for each in part.run.intervals), default=1)
    places: dict[int, list[Interval]] = {}
    for part in parts:
        shift = part.began_ns - began_ns
        for each in part.run.intervals:
            places.setdefault(round((each.start_ns + shift) / longest), []).append(each)
    return tuple(_one(place * longest, found) for place, found in sorted(places.items()))


def by_slice(parts: Sequence[Part]) -> tuple[Interval, ...]:
    """The workers' slices added one by one: all work in the same ones. Those that one of them lacks are left out."""
    each = zip(*(part.run.intervals for part in parts), strict=False)
    return tuple(_one(slices[0].start_ns, slices) for slices in each)


def _longest_elapsed(parts: Sequence[Part]) -> int:
    return max(int(part.run.facts["elapsed_ns"]) for part in parts)


def _slices(parts: Sequence[Slices]) -> Slices:
    """What the slices of all show: the longest drain of each, and the mean carry-over of those that know theirs."""
    after_other = [each["after_other"] for each in parts if each["after_other"] is not None]
    after_own = [each["after_own"] for each in parts if each["after_own"] is not None]
    return Slices(
        slice_ns=parts[0]["slice_ns"],
        discard_ns=parts[0]["discard_ns"],
        shared_by=parts[0]["shared_by"],
        drain_ns=[max(drains) for drains in zip(*(each["drain_ns"] for each in parts), strict=False)],
        after_other=fmean(after_other) if after_other else None,
        after_own=fmean(after_own) if after_own else None,
    )


def _one(start_ns: int, found: Sequence[Interval]) -> Interval:
    kinds = dict.fromkeys(kind for each in found for kind in each.operations)
    return Interval(
        start_ns=start_ns,
        duration_ns=max(each.duration_ns for each in found),
        errors=sum(each.errors for each in found),
        operations={kind: _counts([e.operations[kind] for e in found if kind in e.operations]) for kind in kinds},
    )


def _counts(found: Sequence[IntervalOperations]) -> IntervalOperations:
    return IntervalOperations(
        operations=sum(each.operations for each in found),
        bytes=sum(each.bytes for each in found),
        p50_ns=max(each.p50_ns for each in found),
        p99_ns=max(each.p99_ns for each in found),
        max_ns=max(each.max_ns for each in found),
    )


def _findings(parts: Sequence[Part]) -> tuple[Finding, ...]:
    """Of every guard the worst that it says of any worker, with its name.

    On a machine with several of them each finds other programs at work, which are the other ones.
    """
    order, neighbours, noise = list(Level), _on_one_machine(parts), guards_of_noise()
    worst: dict[str, Finding] = {}
    for part in parts:
        for finding in part.run.findings:
            if part.worker in neighbours and finding.guard in noise:
                continue
            known = worst.get(finding.guard)
            if known is None or order.index(finding.level) > order.index(known.level):
                message = f"worker {part.worker}: {finding.message}"
                worst[finding.guard] = finding.model_copy(update={"message": message})
    return tuple(worst.values())


def _on_one_machine(parts: Sequence[Part]) -> list[str]:
    """Names of the workers that have another one beside them."""
    count = Counter(part.machine for part in parts if part.machine)
    return [part.worker for part in parts if count[part.machine] > 1]


def _together(parts: Sequence[Part], elapsed_ns: int) -> Finding:
    """Whether the workers ran at the same time and did as much: first and last are named."""
    first, last = min(parts, key=lambda part: part.ended_ns), max(parts, key=lambda part: part.ended_ns)
    starts = max(part.began_ns for part in parts) - min(part.began_ns for part in parts)
    usual = median(part.operations_per_client for part in parts)
    slow = [part.worker for part in parts if part.operations_per_client < STRAGGLER * usual]
    skewed = max(starts, last.ended_ns - first.ended_ns) > SKEW * elapsed_ns
    told = (
        f"{len(parts)} workers began within {format_duration(starts)}; first done {first.worker}, last done "
        f"{last.worker} {format_duration(last.ended_ns - first.ended_ns)} later"
    )
    neighbours = _on_one_machine(parts)
    if neighbours:
        told += f"; {' and '.join(neighbours)} are on one machine, where each slows the others"
    alike = "Run longer, or use workers that are alike." if slow or skewed else ""
    return Finding(
        guard="cluster",
        level=Level.WARN if slow or skewed or neighbours else Level.OK,
        message=told + (f"; stragglers: {', '.join(slow)}" if slow else ""),
        advice=f"{alike} {'Use one worker for each machine.' if neighbours else ''}".strip(),
        values={"start_skew_ns": float(starts), "end_skew_ns": float(last.ended_ns - first.ended_ns)},
    )
