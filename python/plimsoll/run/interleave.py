"""Where the targets of a block may alternate in slices, and where that would mislead.

A target rests while another works. A device that is only as fast as it is does not care; one with a limit on its rate
saves up meanwhile, and would show up to twice what it gives for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from plimsoll.catalog.targets import AS, is_emulated, shape_of
from plimsoll.declared import IoParameters
from plimsoll.errors import UsageError
from plimsoll.model import Plan, Target
from plimsoll.parameters import kind_of
from plimsoll.run import originals
from plimsoll.run.plan import Step
from plimsoll.run.study import BLOCKS, Study
from plimsoll.run.turns import SHORTEST_RUNTIME_NS, turns
from plimsoll.run.workers.local import cannot_alternate
from plimsoll.units import format_duration

_CAPS = ("cap_iops", "cap_throughput")
INSTEAD = "leave --interleave out, so that one runs after the other"


def check(study: Study, planned: Sequence[Step]) -> None:
    """Refuse slices where they cannot be or would mislead. Raises UsageError, which says why."""
    if study.interleave == BLOCKS:
        return
    if len(study.targets) < 2:
        raise UsageError(f"--interleave {study.interleave}: there is one target, and nothing to alternate with")
    for target in study.targets:
        if why := _saves_up(target):
            raise UsageError(
                f"--interleave {study.interleave}: target {target.name} {why}, and what it saves up while another "
                f"target works would show as speed; {INSTEAD}"
            )
    for step in planned:
        if why := _why_not(step):
            raise UsageError(f"--interleave {study.interleave}: test {step.case} {why}; {INSTEAD}")


def _saves_up(target: Target) -> str | None:
    if is_emulated(target) and shape_of(target) is not None:
        return "is an emulated volume with limits"
    if target.options.get(AS):
        return f"has the limits of {target.options[AS]}"
    given = [f"{name}={target.options[name]}" for name in _CAPS if name in target.options]
    return f"has a limit ({given[0]})" if given else None


def _why_not(step: Step) -> str | None:
    plans = list(step.plans.values())
    if any(kind_of(plan.workload) != "io" for plan in plans):
        return "is no disk test, and only those can pause and go on yet"
    if any(originals.is_original(plan) for plan in plans):
        return "is carried out by another program, which cannot pause"
    runtimes = {name: plan.values(IoParameters)["runtime"] for name, plan in step.plans.items()}
    shortest = min(runtimes, key=lambda name: runtimes[name])
    longest = max(runtimes, key=lambda name: runtimes[name])
    if runtimes[shortest] < runtimes[longest]:
        return (
            f"runs for {format_duration(runtimes[shortest])} on {shortest} and {format_duration(runtimes[longest])} on "
            f"{longest}, and targets that alternate run equally long"
        )
    if runtimes[shortest] < SHORTEST_RUNTIME_NS:
        return f"runs for {format_duration(runtimes[shortest])}, and slices need {format_duration(SHORTEST_RUNTIME_NS)}"
    return next((f"cannot: {why}" for plan in plans if (why := _refused(plan))), None)


def _refused(plan: Plan) -> str | None:
    turn = turns(["a", "b"], plan.values(IoParameters)["runtime"], "")
    return cannot_alternate(plan, Path("data"), turn.of["a"], turn.discard_ns)
