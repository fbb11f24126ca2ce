"""Tests that run another program, which other packages bring: its command line, its output, its scores."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from plimsoll.catalog.bounds import Pace
from plimsoll.errors import TargetError, UnknownName
from plimsoll.model import Artefact, Interval, Plan, Score, Target
from plimsoll.parameter import value_text
from plimsoll.parameters import TIMEOUT, parameters_of, programs
from plimsoll.plugins import Plugin
from plimsoll.run.outcome import OnProgress, ProgramOutcome
from plimsoll.run.places import Place
from plimsoll.run.workers.execution import Execution
from plimsoll.run.workers.program import KEPT, Ended, carry_out
from plimsoll.units import SECOND

USUAL_NS = 10 * SECOND
"""What one run is thought to take where its package does not say."""


def of(plan: Plan) -> Plugin:
    """What carries out a plan. Raises UnknownName where its package is not installed here."""
    if plan.workload not in programs():
        raise UnknownName("workload", plan.workload, programs(), f"test {plan.case}")
    return programs()[plan.workload]


def _number(plan: Plan, function: str, otherwise: int | None) -> int | None:
    found = of(plan)
    if not hasattr(found.module, function):
        return otherwise
    answer = found.call(function, plan.parameters, answers=int, otherwise=otherwise)
    return None if answer is None else max(0, answer)


def run_ns(plan: Plan, pace: Pace | None = None) -> int:  # noqa: ARG001
    """What its package says, or a guess; the first block of a session tells better."""
    return _number(plan, "run_ns", USUAL_NS) or USUAL_NS


def problems(plan: Plan) -> Iterator[str]:
    """A program that is not installed, and what its package says."""
    found = of(plan)
    program = found.module.PROGRAM
    if shutil.which(program) is None:
        package = getattr(found.module, "PACKAGE", "")
        where = f" (Debian: {package})" if package else ""
        yield f"test {plan.test} needs {program}, which is not installed here{where}; install it"
    if hasattr(found.module, "problem"):
        problem = found.call("problem", plan.parameters, answers=(str, type(None)), otherwise=None)
        if problem:
            yield problem


def on_target(plan: Plan, target: Target) -> Plan:  # noqa: ARG001
    """The plan unchanged: a program has no parameter that depends on the target."""
    return plan


def check_place(plan: Plan, target: Target, destroy: Sequence[str]) -> None:  # noqa: ARG001
    """It gets a new folder, so it needs a directory."""
    if target.kind != "directory":
        raise TargetError(
            f"target {target.name}, test {plan.case}: {of(plan).module.PROGRAM} needs a directory, {target.where} is a "
            f"{target.kind}; make a file system on it, mount it, and give the mount point"
        )


def data_files(plan: Plan) -> Mapping[str, int]:  # noqa: ARG001
    """None is shared between runs."""
    return {}


def scratch_bytes(plan: Plan) -> int:
    """What its package says that lies there at most."""
    return _number(plan, "scratch_bytes", 0) or 0


def writes(plan: Plan) -> bool:  # noqa: ARG001
    """Its folder at least."""
    return True


def written_bytes(plan: Plan) -> int | None:
    """What its package says."""
    return _number(plan, "written_bytes", None)


def summary(plan: Plan) -> str:
    """All parameters but the time limit."""
    own = [each for each in parameters_of(plan.workload) if each.name != TIMEOUT.name]
    shown = ", ".join(f"{each.name} {value_text(each, plan.parameters[each.name])}" for each in own)
    return f"{plan.workload}: {shown}" if shown else plan.workload


def execute(
    plan: Plan,
    place: Place,
    on_progress: OnProgress,
    deadline_reached: Callable[[], bool],
) -> Execution:
    """Run the program in a new folder, which is removed whatever happens; its output is kept."""
    found = of(plan)
    program = found.module.PROGRAM

    def command(folder: Path) -> list[str]:
        words = found.call("command", plan.parameters, folder, answers=(list, tuple), otherwise=())
        if not words:
            raise TargetError(f"test {plan.case}: {found.label} made no command line")
        return [str(word) for word in words]

    ended = carry_out(program, command, place, cast(int, plan.parameters[TIMEOUT.name]), on_progress, deadline_reached)
    reason = ended.reason("raise timeout")
    scores: list[Score] = []
    if not (reason or ended.job.stopped):
        scores, reason = _read(found, plan, ended)
    told = [score.model_dump() for score in scores]
    outcome = ended.outcome(
        reason, {"program": {"name": program, "command": ended.command, "from": found.origin, "scores": told}}
    )
    digest = hashlib.sha256(ended.content).hexdigest()
    artefact = Artefact(name=f"{found.name}.txt", sha256=digest, content=ended.content)
    return Execution(outcome, ended.before, ended.after, ended.samples, (artefact,))


def _read(found: Plugin, plan: Plan, ended: Ended) -> tuple[list[Score], str]:
    """The scores in the output; or why there are none."""
    text = ended.content.decode("utf-8", "replace")
    answer = found.call("scores", text, plan.parameters, ended.job.elapsed_ns, answers=(list, tuple), otherwise=())
    try:
        read = [each if isinstance(each, Score) else Score.model_validate(each) for each in answer]
    except ValidationError:
        return [], f"{found.label} gives something else than scores; {KEPT}"
    by_name = {score.metric: score for score in read}
    if len(by_name) < len(read):
        return [], f"{found.label} gives two scores of one metric; {KEPT}"
    if missing := [metric for metric in plan.metrics if metric not in by_name]:
        return [], f"{ended.program} printed no {', '.join(missing)} that can be read: {ended.last_words}; {KEPT}"
    return read, ""


def scores(
    plan: Plan,  # noqa: ARG001
    outcome: ProgramOutcome,
    histograms: Mapping[str, bytes],  # noqa: ARG001
    intervals: Sequence[Interval],  # noqa: ARG001
) -> tuple[Score, ...]:
    """As they were read from the output."""
    return tuple(Score.model_validate(each) for each in outcome["program"]["scores"])


def file_facts(plan: Plan, place: Place) -> Mapping[str, Any]:  # noqa: ARG001
    """The files are gone."""
    return {}
