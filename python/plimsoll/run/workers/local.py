"""Block and file I/O on this machine: hands a plan to the compiled core and watches it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, TypeGuard, cast

from plimsoll import _core
from plimsoll.declared import IoParameters
from plimsoll.location import trace_place
from plimsoll.model import Plan
from plimsoll.parameters import io_defaults
from plimsoll.run.outcome import OnProgress, Outcome
from plimsoll.run.sampler import Sampler
from plimsoll.run.turns import Turn
from plimsoll.run.workers.execution import Execution, PausingJob, measured
from plimsoll.run.workers.sliced import in_slices
from plimsoll.volumes.restart import bypassed

LAID_OUT = (
    "size", "offset", "layout", "seed", "drop_cache", "content", "compressible", "dedupe", "working_set", "shared_seed",
)  # fmt: skip
"""Parameters that the state of a file before a measurement depends on."""


Keep = Literal["interval_histograms", "trace", "trace_syncs", "so_far"]
"""What an outcome can hold beside totals, or the progress tell."""


class IoJob(IoParameters):
    """What the core takes (`crates/io/src/parameters.rs`): the plan's parameters, and the place."""

    path: str
    recorded_at: str
    made: list[tuple[int, int]]
    interval_histograms: bool
    trace: bool
    trace_syncs: bool
    so_far: bool


@dataclass(frozen=True)
class Engine:
    """One engine of the core; what stands behind a field says `crates/io/src/engine.rs`."""

    name: str
    description: str
    max_depth: int | None
    direct: bool
    trim: bool
    asynchronous: bool
    stores: bool
    dataless: bool
    available: bool
    """On this machine."""
    reason: str | None
    """Why it is not."""


@cache
def engines() -> Mapping[str, Engine]:
    """The engines of the core by name, with what each can do on this machine."""
    return {engine["name"]: Engine(**engine) for engine in json.loads(_core.engines())}


def alignment(path: Path) -> dict[str, int]:
    """`memory` and `offset` alignment in bytes that direct I/O on `path` needs; OSError where it is refused."""
    answer: dict[str, int] = json.loads(_core.alignment(str(path)))
    return answer


def impossible(plan: Plan, path: Path) -> str | None:
    """Why the core would refuse the plan on any target, as one sentence; the target is not looked at."""
    return _core.validate(json.dumps(job_spec(plan.values(IoParameters), path)))


def cannot_alternate(plan: Plan, path: Path, slices: Sequence[Turn], discard_ns: int) -> str | None:
    """The same of a plan that works in slices only."""
    return _core.validate(json.dumps(in_slices(job_spec(plan.values(IoParameters), path), slices, discard_ns)))


def job_spec(
    values: IoParameters, path: Path, keep: Collection[Keep] = (), made: Sequence[tuple[int, int]] = ()
) -> IoJob:
    """The job that carries out the plan with these parameters on a file or device."""
    spec: IoJob = {
        **values,
        "path": str(path),
        "recorded_at": recorded_at(values),
        "made": list(made),
        "interval_histograms": "interval_histograms" in keep,
        "trace": "trace" in keep,
        "trace_syncs": "trace_syncs" in keep,
        "so_far": "so_far" in keep,
    }
    if files := spec.get("files"):
        spec["files"] = {**files, "more": [os.path.normpath(path.parent / name) for name in files["more"]]}
    return spec


def recorded_at(values: IoParameters) -> str:
    """The file of the trace that a job replays; empty where it does not."""
    recording = values.get("recording")
    return str(trace_place(recording["sha256"])) if recording else ""


def execute(
    plan: Plan,
    path: Path,
    sampler: Sampler,
    on_progress: OnProgress,
    deadline_reached: Callable[[], bool],
    keep: Collection[Keep] = (),
    made: Sequence[tuple[int, int]] = (),
    restarted: Sequence[Path] = (),
) -> Execution:
    """Carry out `plan` on `path`; returns when it ended or was stopped at the deadline.

    `keep` names what the outcome holds beside totals, or the progress tells.
    `made` are device and inode of the files where they are known: others in their places end the run.
    `restarted` are the folders of volumes that begin anew once the file is laid out.
    The file is laid out by a job of its own, so that the host's counters before and after see only the load.
    KeyboardInterrupt stops the job, waits for it, and is passed on: the file is not in use when it arrives.
    """
    with bypassed(restarted):
        laid = lay_out(plan, path, sampler, on_progress, deadline_reached)
    if is_unfinished(laid):
        return laid
    spec = job_spec({**plan.values(IoParameters), "layout": "keep"}, path, keep, made)
    return after_layout(measured(start, spec, Outcome, str(path), sampler, on_progress, deadline_reached), laid)


def lay_out(
    plan: Plan,
    path: Path,
    sampler: Sampler,
    on_progress: OnProgress,
    deadline_reached: Callable[[], bool],
) -> Execution | None:
    """Bring the file into the state that the plan asks for: what came back, nothing where it is to stay as it is."""
    if plan.values(IoParameters)["layout"] == "keep":
        return None
    return measured(start, _layout_spec(plan, path), Outcome, str(path), sampler, on_progress, deadline_reached)


def is_unfinished(laid: Execution | None) -> TypeGuard[Execution]:
    """Whether the file could not be laid out, so that nothing can be measured."""
    return laid is not None and laid.outcome["status"] != "ok"


def after_layout(execution: Execution, laid: Execution | None) -> Execution:
    """With the time that the layout took before: the next run does not need it, and its length is known by that."""
    if laid is not None:
        execution.outcome["phases"]["layout_ns"] += laid.outcome["phases"]["layout_ns"]
    return execution


def _layout_spec(plan: Plan, path: Path) -> IoJob:
    """A job that lays the file out and reads one block of it."""
    asked = plan.values(IoParameters)
    smallest = min(asked["block_size"])[0]
    of_the_file = {name: value for name, value in plan.parameters.items() if name in LAID_OUT}
    values: IoParameters = {
        **cast(IoParameters, {**io_defaults(), **of_the_file}),
        "engine": "psync",
        "mode": "read",
        "block_size": [[smallest, 1.0]],
        # Past the page cache where the load goes: that takes a fraction of the time, and leaves nothing to be dropped.
        "direct": asked["direct"],
        "max_operations": 1,
        "warmup": 0,
    }
    return job_spec(values, path)


def start(spec: IoJob) -> PausingJob:
    """A running job."""
    return _core.start(json.dumps(spec))
