"""Block and file I/O on this machine: hands a plan to the compiled core and watches it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from plimsoll import _core
from plimsoll.model import Plan
from plimsoll.parameters import defaults
from plimsoll.run.outcome import OnProgress, Outcome
from plimsoll.run.sampler import Sampler
from plimsoll.run.workers.execution import Execution, PausingJob, measured

LAID_OUT = (
    "size", "offset", "layout", "seed", "drop_cache", "content", "compressible", "dedupe", "working_set", "shared_seed",
)  # fmt: skip
"""Parameters that the state of a file before a measurement depends on."""


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
    return _core.validate(json.dumps(job_spec(plan, path)))


def cannot_alternate(plan: Plan, path: Path, turns: Mapping[str, Any]) -> str | None:
    """The same of a plan that works in slices only."""
    return _core.validate(json.dumps({**job_spec(plan, path), **turns, "warmup": 0}))


def job_spec(plan: Plan, path: Path) -> dict[str, Any]:
    """The record that the core takes (`crates/io/src/parameters.rs`): the plan's parameters, and the place."""
    spec = {**plan.parameters, "path": str(path)}
    if files := plan.parameters.get("files"):
        spec["files"] = {**files, "more": [os.path.normpath(path.parent / name) for name in files["more"]]}
    return spec


def execute(
    plan: Plan,
    path: Path,
    sampler: Sampler,
    on_progress: OnProgress,
    deadline_reached: Callable[[], bool],
    keep: Iterable[str] = (),
    made: Sequence[tuple[int, int]] = (),
) -> Execution:
    """Carry out `plan` on `path`; returns when it ended or was stopped at the deadline.

    `keep` names what the outcome holds beside totals: `interval_histograms`, `trace` (also told by the progress).
    `made` are device and inode of the files where they are known: others in their places end the run.
    The file is laid out by a job of its own, so that the host's counters before and after see only the load.
    KeyboardInterrupt stops the job, waits for it, and is passed on: the file is not in use when it arrives.
    """
    if unfinished := lay_out(plan, path, sampler, on_progress, deadline_reached):
        return unfinished
    spec = {**job_spec(plan, path), "layout": "keep", **dict.fromkeys(keep, True), "made": list(made)}
    return measured(start, spec, Outcome, str(path), sampler, on_progress, deadline_reached)


def lay_out(
    plan: Plan,
    path: Path,
    sampler: Sampler,
    on_progress: OnProgress,
    deadline_reached: Callable[[], bool],
) -> Execution | None:
    """Bring the file into the state that the plan asks for; what came back where that was not possible."""
    if plan.parameters["layout"] == "keep":
        return None
    spec = _layout_spec(plan, path)
    laid = measured(start, spec, Outcome, str(path), sampler, on_progress, deadline_reached)
    return None if laid.outcome["status"] == "ok" else laid


def _layout_spec(plan: Plan, path: Path) -> dict[str, Any]:
    """A job that lays the file out and reads one block of it."""
    smallest = min(plan.parameters["block_size"])[0]
    return {
        **defaults("io"),
        **{name: value for name, value in plan.parameters.items() if name in LAID_OUT},
        "path": str(path),
        "engine": "psync",
        "mode": "read",
        "block_size": [[smallest, 1.0]],
        "direct": False,
        "max_operations": 1,
        "warmup": 0,
    }


def start(spec: Mapping[str, object]) -> PausingJob:
    """A running job."""
    return _core.start(json.dumps(spec))
