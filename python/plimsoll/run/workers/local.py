"""Block and file I/O on this machine: hands a plan to the compiled core and watches it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from plimsoll import _core
from plimsoll.model import Plan
from plimsoll.parameters import interval_of
from plimsoll.run.sampler import HostSample, Sampler
from plimsoll.run.workers.execution import Execution, watch

RARE = (
    "sequence", "batch", "write_distribution", "verification", "passes", "mix", "draws", "burn", "submission", "align",
    "flow", "strides", "replay", "pattern", "nowait", "hipri", "priorities", "tolerance",
)  # fmt: skip
"""Parameters that a plan holds only where it asks for them, and the core under the same names."""


def engines() -> dict[str, dict[str, Any]]:
    """The engines of the core by name, with what each can do on this machine."""
    return {engine["name"]: engine for engine in json.loads(_core.engines())}


def alignment(path: Path) -> dict[str, int]:
    """`memory` and `offset` alignment in bytes that direct I/O on `path` needs; OSError where it is refused."""
    answer: dict[str, int] = json.loads(_core.alignment(str(path)))
    return answer


def impossible(plan: Plan, path: Path) -> str | None:
    """Why the core would refuse the plan on any target, as one sentence; the target is not looked at."""
    return _core.check(json.dumps(job_spec(plan, path)))


def job_spec(plan: Plan, path: Path) -> dict[str, Any]:
    """The plan as the record that the core takes (`crates/core/src/spec.rs`)."""
    values = plan.parameters
    syncs = values["sync"] in ("fsync", "fdatasync")
    return {
        "path": str(path),
        **{name: values[name] for name in ("engine", "mode", "read_share", "depth", "threads")},
        **{name: values[name] for name in ("offset", "size", "direct")},
        "block_sizes": _sizes(values["block_size"]),
        "write_block_sizes": _sizes(values["write_block_size"] or []),
        "sync": {
            "kind": values["sync"],
            "every": values["sync_every"] if syncs else 0,
            "at_end": values["sync_at_end"],
            "beside": values.get("sync_beside"),
        },
        "limit": {
            "runtime_ns": values["runtime"],
            "bytes": values["max_bytes"],
            "operations": values["max_operations"],
        },
        "warmup_ns": values["warmup"],
        "rate": {**values["rate"], "arrival": values["arrival"]} if values["rate"] else None,
        "think": _think(values) if values["think_time"] else None,
        **{name: values[name] for name in ("distribution", "random_share", "seed", "layout", "verify")},
        **{name: values[name] for name in ("alternate", "drop_cache", "drop_each")},
        "content": {
            "zero": values["content"] == "zero",
            "compressible": values["compressible"],
            "dedupe": values.get("dedupe", 0.0),
            **{name: values[name] for name in ("working_set", "shared_seed") if name in values},
        },
        **{name: values[name] for name in ("cpus", "count_errors", "sqpoll", "iopoll")},
        "interval_ns": interval_of(values),
        **_rare(values, path),
    }


def _rare(values: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """What only some plans hold, so that the others are what they were."""
    found: dict[str, Any] = {name: values[name] for name in RARE if name in values}
    if "files" in values:
        files = values["files"]
        found["files"] = {**files, "more": [os.path.normpath(path.parent / name) for name in files["more"]]}
    mixed = values["mode"] == "rw" or (values["mode"] == "randrw" and values["random_share"] < 1)
    if mixed and not values["alternate"]:
        # As with fio, reads and writes each follow those of their own kind.
        found.setdefault("sequence", {"every": 1, "stay": False, "skip": 0})
    return found


def _sizes(mix: Iterable[Sequence[float]]) -> list[dict[str, float]]:
    return [{"size": int(size), "weight": weight} for size, weight in mix]


def _think(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "time_ns": values["think_time"],
        "every": values["think_every"],
        "from_start": values["think_from"] == "start",
        "spin_ns": values.get("think_spin", 0),
    }


def execute(
    plan: Plan,
    path: Path,
    sampler: Sampler,
    on_progress: Callable[[Mapping[str, Any]], None],
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
    before = sampler.sample()
    spec = {**job_spec(plan, path), "layout": "keep", **dict.fromkeys(keep, True), "made": list(made)}
    outcome, samples = _watch(spec, sampler, on_progress, deadline_reached)
    return Execution(outcome, before, sampler.sample(), samples)


def lay_out(
    plan: Plan,
    path: Path,
    sampler: Sampler,
    on_progress: Callable[[Mapping[str, Any]], None],
    deadline_reached: Callable[[], bool],
) -> Execution | None:
    """Bring the file into the state that the plan asks for; what came back where that was not possible."""
    if plan.parameters["layout"] == "keep":
        return None
    before = sampler.sample()
    outcome, _ = _watch(_layout_spec(plan, path), sampler, on_progress, deadline_reached)
    return None if outcome["status"] == "ok" else Execution(outcome, before, sampler.sample(), ())


def _layout_spec(plan: Plan, path: Path) -> dict[str, Any]:
    """A job that lays the file out and reads one block of it."""
    smallest = min(plan.parameters["block_size"])[0]
    changes = {
        "engine": "psync",
        "mode": "read",
        "block_size": [[smallest, 1.0]],
        "write_block_size": None,
        "alternate": False,
        "depth": 1,
        "threads": 1,
        "direct": False,
        "sync": "none",
        "sync_at_end": False,
        "max_operations": 1,
        "warmup": 0,
        "rate": None,
        "think_time": 0,
        "drop_each": "never",
        "verify": False,
        "cpus": [],
        "sqpoll": False,
        "iopoll": False,
    }
    return job_spec(plan.model_copy(update={"parameters": {**plan.parameters, **changes}}), path)


def _watch(
    spec: Mapping[str, Any],
    sampler: Sampler,
    on_progress: Callable[[Mapping[str, Any]], None],
    deadline_reached: Callable[[], bool],
) -> tuple[Mapping[str, Any], tuple[HostSample, ...]]:
    return watch(_core.start(json.dumps(spec)), spec["path"], sampler, on_progress, deadline_reached)
