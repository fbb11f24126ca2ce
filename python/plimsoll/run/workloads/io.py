"""Block and file I/O as a kind of workload: test files, what is impossible where, and the way to the core."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from plimsoll.catalog.bounds import Pace
from plimsoll.declared import IoParameters
from plimsoll.errors import TargetError, UsageError
from plimsoll.metrics import DATA_KINDS, score
from plimsoll.model import Interval, Plan, Score, Target
from plimsoll.parameter import value_text
from plimsoll.parameters import parameter
from plimsoll.run import originals
from plimsoll.run.originals import _execution
from plimsoll.run.outcome import OnProgress, Outcome
from plimsoll.run.places import Place
from plimsoll.run.scores import scores as measured_scores
from plimsoll.run.turns import Turns, example, too_short
from plimsoll.run.workers import local
from plimsoll.run.workers.execution import Execution
from plimsoll.run.workers.local import alignment, engines, impossible
from plimsoll.run.workers.parallel import at_once
from plimsoll.run.workers.sliced import Part
from plimsoll.run.workers.sliced import alternate as alternating
from plimsoll.run.workloads._direct import offset_alignment
from plimsoll.targets import datafile, device, kept_trace
from plimsoll.targets.blockdev import SECTOR
from plimsoll.units import SECOND, format_duration, format_size

OVERHEAD_NS = 400_000_000
"""Start, samples, guards and storing of one run; measured on two slow cores."""

REPLAY = "replay"
"""The test that `plimsoll replay` runs."""
REPLAY_SMALLER = "say --space 4GiB to scale its addresses to that size"
ORIGINAL_SLACK_NS = 60 * SECOND
"""What an original may take beside its measured time before it is taken to hang."""


def run_ns(plan: Plan, pace: Pace | None = None) -> int:  # noqa: ARG001
    """Warm-up, measured time, and what goes around it."""
    values = plan.values(IoParameters)
    return values["warmup"] + _measured_ns(values) + OVERHEAD_NS


def _measured_ns(values: IoParameters) -> int:
    """How long it measures; a replay ends with its trace, and only a slow target needs more."""
    recording = values.get("recording") or {}
    return int(recording.get("lasts_ns") or values["runtime"])


def on_target(plan: Plan, target: Target) -> Plan:
    """On a device, "fill" means to keep what is there.

    A device always has its size, so that "fill" cannot see whether it was written; the guard for unwritten blocks
    tells, and layout=refill writes it.
    """
    values = plan.values(IoParameters).copy()
    if target.kind == "device" and values["layout"] == "fill":
        values["layout"] = "keep"
    return plan.having(values)


def data_name(plan: Plan) -> str:
    """Name of the file that plans with the same content and size share in a target's work folder."""
    values = plan.values(IoParameters)
    kind = values["content"] if not values["compressible"] else f"compressible-{values['compressible']:g}"
    return f"data-{kind}-{values['offset'] + values['size']}"


def data_files(plan: Plan) -> Mapping[str, int]:
    """The test file; none for the null engine."""
    values = plan.values(IoParameters)
    return {} if values["engine"] == "null" else {data_name(plan): values["offset"] + values["size"]}


def scratch_bytes(plan: Plan) -> int:  # noqa: ARG001 (asked of every kind)
    """Nothing lies beside the test file."""
    return 0


def written_bytes(plan: Plan) -> int | None:
    """Most bytes that one run of a plan writes beside its test file; None where only the time limits it."""
    values = plan.values(IoParameters)
    share = {"read": 0.0, "randread": 0.0, "rw": 1 - values["read_share"], "randrw": 1 - values["read_share"]}
    writing = share.get(values["mode"], 1.0)
    largest = max(size for size, _ in values["block_size"])
    bounds = [values["max_bytes"], values["max_operations"] and values["max_operations"] * largest]
    if not writing:
        return 0
    return min((int(bound * writing) for bound in bounds if bound is not None), default=None)


def writes(plan: Plan) -> bool:
    """Whether carrying out a plan changes what is on the target."""
    values = plan.values(IoParameters)
    return values["mode"] not in ("read", "randread") or values["layout"] != "keep"


def summary(plan: Plan) -> str:
    """Such as `randread 4 KiB, depth 1, over 1 GiB, direct, io_uring, for 5 s`."""

    def text(name: str) -> str:
        return value_text(parameter(plan.workload, name), plan.parameters[name])

    values = plan.values(IoParameters)
    parts = [f"{text('mode')} {text('block_size')}", f"depth {text('depth')}"]
    parts += [f"{text('threads')} threads"] if values["threads"] > 1 else []
    parts += [f"over {text('size')}", "direct" if values["direct"] else "through the page cache"]
    parts += [f"{text('sync')} every {text('sync_every')}"] if values["sync"] in ("fsync", "fdatasync") else []
    recording = values.get("recording")
    lasts = f"a trace of {format_duration(_measured_ns(values))}" if recording else f"for {text('runtime')}"
    return ", ".join([*parts, text("engine"), lasts])


def path_for(plan: Plan, place: Place) -> Path:
    """The file or device that a plan works on."""
    if place.file is not None:
        return place.file
    return Path(place.target.where) if place.folder is None else place.folder / data_name(plan)


def execute(
    plan: Plan,
    place: Place,
    on_progress: OnProgress,
    deadline_reached: Callable[[], bool],
) -> Execution:
    """Lay out and measure with the compiled core; or lay out, and let the original measure."""
    path = path_for(plan, place)
    if not originals.is_original(plan):
        watched = (place.sampler, on_progress, deadline_reached)
        return local.execute(plan, path, *watched, restarted=place.restarted)
    values = plan.values(IoParameters)
    timeout_ns = values["warmup"] + values["runtime"] + ORIGINAL_SLACK_NS
    laid = local.lay_out(plan, path, place.sampler, on_progress, deadline_reached)
    if local.is_unfinished(laid):
        return laid
    done = _execution.execute(plan, place, path, timeout_ns, on_progress, deadline_reached)
    return local.after_layout(done, laid)


def against_slices(plan: Plan, asked: bool) -> Iterator[str]:  # noqa: ARG001 (of others it makes a difference)
    """Programs that cannot pause, writes that are done later, and what the core refuses."""
    values = plan.values(IoParameters)
    if originals.is_original(plan):
        yield "is run by another program, which cannot pause"
    if values.get("recording"):
        yield "replays a trace, whose times go on while another works"
    if _leaves_writes_behind(values):
        yield "leaves writes in the page cache, which would be done while another works"
    turn = example(values["runtime"], values["warmup"])
    if not too_short(values["runtime"]) and (
        refused := local.cannot_alternate(plan, Path("data"), turn.of["a"], turn.discard_ns)
    ):
        yield f"cannot: {refused}"


def _leaves_writes_behind(values: IoParameters) -> bool:
    each_synced = values["sync"] != "none" and values["sync_every"] == 1
    return values["mode"] not in ("read", "randread") and not values["direct"] and not each_synced


def alternate(
    plans: Sequence[Plan],
    places: Sequence[Place],
    turns: Turns,
    on_progress: OnProgress,
    deadline_reached: Callable[[], bool],
) -> list[Execution]:
    """Lay the files of a block's targets out, and let them alternate; where that fails for one, none is measured."""
    return _laid_out(
        plans,
        places,
        lambda parts: alternating(parts, turns, on_progress, deadline_reached),
        on_progress,
        deadline_reached,
    )


def parallel(
    plans: Sequence[Plan], places: Sequence[Place], on_progress: OnProgress, deadline_reached: Callable[[], bool]
) -> list[Execution]:
    """Lay the files of a block's targets out, and let all run at once; where that fails for one, none is measured."""
    return _laid_out(
        plans, places, lambda parts: at_once(parts, on_progress, deadline_reached), on_progress, deadline_reached
    )


def _laid_out(
    plans: Sequence[Plan],
    places: Sequence[Place],
    measure: Callable[[Sequence[Part]], list[Execution]],
    on_progress: OnProgress,
    deadline_reached: Callable[[], bool],
) -> list[Execution]:
    paths = [path_for(plan, place) for plan, place in zip(plans, places, strict=True)]
    laid = [
        local.lay_out(plan, path, place.sampler, on_progress, deadline_reached)
        for plan, path, place in zip(plans, paths, places, strict=True)
    ]
    if unfinished := next(filter(local.is_unfinished, laid), None):
        return [each if local.is_unfinished(each) else unfinished for each in laid]
    parts = [
        Part(local.start, _of_laid_out(plan, path), Outcome, str(path), place.sampler, place.target.name)
        for plan, path, place in zip(plans, paths, places, strict=True)
    ]
    done = measure(parts)
    return [local.after_layout(each, before) for each, before in zip(done, laid, strict=True)]


def _of_laid_out(plan: Plan, path: Path) -> local.IoJob:
    return local.job_spec({**plan.values(IoParameters), "layout": "keep"}, path)


def scores(
    plan: Plan, outcome: Outcome, histograms: Mapping[str, bytes], intervals: Sequence[Interval]
) -> tuple[Score, ...]:
    """Rates and latencies; of an original that tells no single latencies, their means."""
    found = measured_scores(plan, outcome, histograms, intervals)
    means = {
        f"{kind}_mean": totals["latency_sum_ns"] / totals["operations"]
        for kind, totals in outcome["operations"].items()
        if kind in (*DATA_KINDS, "commit") and kind not in histograms and totals["latency_sum_ns"]
    }
    return (*found, *(score(name, mean) for name, mean in means.items()))


def file_facts(plan: Plan, place: Place) -> Mapping[str, Any]:
    """Holes, unwritten extents and zero blocks of the test file."""
    values = plan.values(IoParameters)
    return datafile.facts(path_for(plan, place), values["offset"], values["size"])


def problems(plan: Plan) -> Iterator[str]:
    """What is impossible in a plan whatever the place: a test that would say nothing, then all that the core knows."""
    engine = plan.values(IoParameters)["engine"]
    recording = plan.values(IoParameters).get("recording")
    if plan.test == REPLAY and not recording:
        yield "a replay needs a trace: `plimsoll replay load.trace --on NAME=WHERE`"
    if recording and (problem := kept_trace.problem(recording["sha256"])):
        yield problem
    if engine in engines() and engines()[engine].dataless:
        yield (
            f"engine {engine} moves no data, and the test would say nothing about the disk; "
            f"`plimsoll fio --ioengine={engine}` runs it, engine=psync moves data"
        )
    if reason := impossible(plan, Path(data_name(plan))):
        yield reason
    if originals.is_original(plan) and (problem := originals.problem(plan)):
        yield problem


def check_place(plan: Plan, target: Target, destroy: Sequence[str]) -> None:
    """A device must be ours to destroy and large enough; direct I/O must be possible and aligned."""
    if target.kind == "database":
        raise TargetError(
            f"target {target.name}, test {plan.case}: a disk test needs a directory or a device, {target.where} is a "
            "database; run a database test such as ycsb-a or tpcb on it"
        )
    values = plan.values(IoParameters)
    if target.kind == "device":
        _check_device(plan, target, destroy)
    elif values["direct"] and values["engine"] != "null":
        _check_alignment(plan, target, offset_alignment(target))


def _check_device(plan: Plan, target: Target, destroy: Sequence[str]) -> None:
    values = plan.values(IoParameters)
    facts = device.facts(target)
    device.check(target, writes=writes(plan), destroy=destroy)
    if values["offset"] + values["size"] > facts["size_bytes"]:
        smaller = REPLAY_SMALLER if plan.test == REPLAY else "set size= to less"
        raise TargetError(
            f"target {target.name}, test {plan.case}: {target.where} has {format_size(facts['size_bytes'])}, "
            f"the test uses {format_size(values['offset'] + values['size'])}; {smaller}"
        )
    if values["direct"]:
        try:
            needed = alignment(Path(target.where))["offset"]
        except OSError as error:
            raise TargetError(
                f"target {target.name}: cannot open {target.where} for direct I/O ({error.strerror}); "
                "devices need root or the group of the device, or set direct=no"
            ) from None
        _check_alignment(plan, target, needed)


def needed_alignment(target: Target) -> int:
    """What direct I/O on a target works in multiples of; a sector where that is not known yet, or not direct."""
    if target.options.get("direct") == "no":
        return SECTOR
    try:
        return alignment(Path(target.where))["offset"] if target.kind == "device" else offset_alignment(target)
    except (OSError, TargetError):
        return SECTOR


def _check_alignment(plan: Plan, target: Target, needed: int) -> None:
    values = plan.values(IoParameters)
    for number in (*(int(size) for size, _ in values["block_size"]), values["offset"]):
        if number % needed:
            raise UsageError(
                f"target {target.name}, test {plan.case}: direct I/O at {target.where} works in multiples of "
                f"{needed} bytes, which {number} is not; change block_size or offset, or set direct=no"
            )
