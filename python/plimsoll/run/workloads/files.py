"""File-system tests as a kind of workload: what they put on disk, and the way to the core and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from plimsoll.catalog.bounds import Pace
from plimsoll.declared import BonnieParameters, FilesParameters, SysbenchParameters, ZcavParameters
from plimsoll.drafts import scratch_folder
from plimsoll.errors import TargetError, UsageError
from plimsoll.metrics import score
from plimsoll.model import Interval, Plan, Score, Target
from plimsoll.parameter import parameters_in, value_text
from plimsoll.parameters import FILES_WORKLOADS
from plimsoll.phases import phase_scores, phases
from plimsoll.run import originals
from plimsoll.run.originals import _execution
from plimsoll.run.outcome import FilesOutcome, FilesPlan, OnProgress, Outcome
from plimsoll.run.places import Place
from plimsoll.run.workers import file_systems
from plimsoll.run.workers.execution import Execution, measured
from plimsoll.run.workers.file_systems import FilesJob
from plimsoll.run.workloads import _files_time
from plimsoll.run.workloads._direct import offset_alignment
from plimsoll.stats.histogram import decode
from plimsoll.targets.host import memory_limit_bytes
from plimsoll.units import GIB, SECOND

ZCAV_FILE_BYTES = 8 * GIB
PERCENTILES = {"p50": 50, "p99": 99}


def spec(plan: Plan, directory: Path) -> FilesJob:
    """The plan as the record that the core takes (`crates/files/src/spec.rs`)."""
    return {
        "directory": str(directory),
        "workload": plan.workload,
        "parameters": plan.parameters,
        "disk_bytes": None,
        "interval_ns": SECOND,
    }


def expected(plan: Plan) -> FilesPlan:
    """What the core says a plan would do. Raises UsageError if it refuses."""
    try:
        return file_systems.expected(spec(plan, Path("/")))
    except ValueError as error:
        raise UsageError(f"test {plan.case}: {error}") from None


def run_ns(plan: Plan, pace: Pace | None = None) -> int:
    """A guess; the first block of a session tells better."""
    return _files_time.run_ns(plan, expected(plan), pace)


def problems(plan: Plan) -> Iterator[str]:
    """What the core refuses."""
    try:
        expected(plan)
    except UsageError as error:
        yield str(error)
    if originals.is_original(plan) and (problem := originals.problem(plan)):
        yield problem


def on_target(plan: Plan, target: Target) -> Plan:
    """With the sizes that the originals take from the machine, and with the device that zcav reads."""
    if plan.workload == "bonnie":
        bonnie = plan.values(BonnieParameters).copy()
        bonnie["size"] = bonnie["size"] or -(-2 * memory_limit_bytes() // GIB) * GIB
        return plan.having(bonnie)
    if plan.workload == "zcav" and plan.values(ZcavParameters)["path"] is None:
        zcav = plan.values(ZcavParameters).copy()
        if target.kind == "device":
            zcav["path"] = target.where
        else:
            zcav["size"] = zcav["size"] or ZCAV_FILE_BYTES
        return plan.having(zcav)
    return plan


def check_place(plan: Plan, target: Target, destroy: Sequence[str]) -> None:  # noqa: ARG001
    """Files need a directory, with direct I/O where it is asked for; zcav reads a device and writes nothing there."""
    if target.kind != "directory" and plan.workload != "zcav":
        raise TargetError(
            f"target {target.name}, test {plan.case}: a file-system test needs a directory, {target.where} is a "
            f"{target.kind}; make a file system on it, mount it, and give the mount point"
        )
    asked = plan.workload == "sysbench" and plan.values(SysbenchParameters)["open"] == "direct"
    direct = asked or plan.parameters.get("direct")
    if target.kind == "directory" and direct:
        offset_alignment(target)


def data_files(plan: Plan) -> Mapping[str, int]:  # noqa: ARG001 (asked of every kind)
    """None is shared between runs."""
    return {}


def scratch_bytes(plan: Plan) -> int:
    """All files of a run."""
    return expected(plan)["disk_bytes"]


def writes(plan: Plan) -> bool:
    """All but zcav of something that is there."""
    return plan.workload != "zcav" or plan.values(ZcavParameters)["path"] is None


def written_bytes(plan: Plan) -> int | None:
    """By calls, in all phases; None where time decides."""
    written = expected(plan)["written_bytes"]
    return written if written or not writes(plan) else None


def summary(plan: Plan) -> str:
    """The parameters that are not as in the classic test; all of its own if none differs."""
    table = FILES_WORKLOADS[plan.workload]
    common = {each.name for each in parameters_in(FilesParameters)}
    own = [each for each in table if each.name not in common]
    changed = [each for each in table if plan.parameters[each.name] != each.default]
    shown = [f"{each.name} {value_text(each, plan.parameters[each.name])}" for each in changed or own]
    return f"{plan.workload}: {', '.join(shown)}"


def execute(
    plan: Plan,
    place: Place,
    on_progress: OnProgress,
    deadline_reached: Callable[[], bool],
) -> Execution:
    """Run it, or its original, in the session's folder, which is empty afterwards."""
    if not originals.is_original(plan):
        return execute_own(plan, place, on_progress, deadline_reached)
    timeout_ns = plan.values(FilesParameters)["timeout"]
    return _execution.execute(plan, place, None, timeout_ns, on_progress, deadline_reached)


def execute_own(
    plan: Plan, place: Place, on_progress: OnProgress, deadline_reached: Callable[[], bool]
) -> Execution[FilesOutcome]:
    """Run Plimsoll's own test; the core removes its files whatever happens."""
    with ExitStack() as stack:
        # A device is only read: the core's folder stays empty.
        folder = Path(place.folder or stack.enter_context(scratch_folder()))
        where, request = place.target.where, spec(plan, folder)
        return measured(file_systems.start, request, FilesOutcome, where, place.sampler, on_progress, deadline_reached)


def file_facts(plan: Plan, place: Place) -> Mapping[str, Any]:  # noqa: ARG001
    """The files are gone."""
    return {}


def scores(
    plan: Plan,  # noqa: ARG001
    outcome: Outcome,
    histograms: Mapping[str, bytes],
    intervals: Sequence[Interval],  # noqa: ARG001
) -> tuple[Score, ...]:
    """The originals' own scores, phase by phase, in base units; then the latencies of every kind of call."""
    found = [each.score for each in phase_scores(phases(outcome))]
    latencies = [
        score(f"{kind}_{name}", value)
        for kind, encoded in histograms.items()
        for decoded in (decode(encoded),)
        for name, q in PERCENTILES.items()
        if (value := decoded.percentile(q)) is not None
    ]
    return (*found, *latencies)
