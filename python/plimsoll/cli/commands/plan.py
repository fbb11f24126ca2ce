"""`plimsoll plan`: what would run, for how long, and what it writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from plimsoll.cli.options import Destroy, Json
from plimsoll.cli.study_options import StudyOptions, load_line, takes_study

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plimsoll.model import Plan, Target
    from plimsoll.run.interleave import Way
    from plimsoll.run.plan import Step

EXAMPLES = "Takes the same arguments as `plimsoll run`, checks everything, and writes nothing."


@takes_study
def command(options: StudyOptions, destroy: Destroy = None, json: Json = False) -> None:
    """Print what `plimsoll run` would do with the same arguments."""
    show_plan(options, destroy or [], json=json)


def show_plan(options: StudyOptions, destroy: list[str], *, json: bool) -> None:
    """Check everything, and print what would run, for how long, and what it writes."""
    from plimsoll.cli import plan_cost
    from plimsoll.cli.output import print_json, print_table
    from plimsoll.errors import UsageError
    from plimsoll.run import plan
    from plimsoll.run.run_lengths import in_turns
    from plimsoll.units import format_estimate

    if name := load_line(options):
        raise UsageError(f"{name} is a search, whose runs are not known in advance; run it with `plimsoll knee {name}`")
    study = options.study()
    steps, ways = in_turns(study)
    plan.check(study, steps, destroy)
    estimate = plan.estimate(study, steps)
    if json:
        print_json(
            {
                "study": study.to_table(),
                "least_ns": estimate.least_ns,
                "most_ns": estimate.most_ns,
                "layout_bytes": estimate.layout_bytes,
                "scratch_bytes": estimate.scratch_bytes,
                "cost": plan_cost.rows(study.targets, estimate.most_ns),
                "interleave": {case: {"slices": way.slices, "why": way.why} for case, way in ways.items()},
                "plans": [
                    {"case": step.case, "target": name, "hash": each.hash, "parameters": each.parameters}
                    for step in steps
                    for name, each in step.plans.items()
                ],
            }
        )
        return
    print_table([_row(step) for step in steps], right=("one block",))
    for target in study.targets:
        plans = [step.plans[target.name] for step in steps]
        typer.echo(_writes(target, plans, estimate.layout_bytes[target.name], estimate.scratch_bytes[target.name]))
    for sentence in _turns(ways):
        typer.echo(sentence)
    for sentence in plan_cost.sentences(study.targets, estimate.most_ns):
        typer.echo(sentence)
    least, most = format_estimate(estimate.least_ns), format_estimate(estimate.most_ns)
    within = f"about {most}" if least == most else f"{least} if everything is decided at once, {most} at most"
    typer.echo(f"mode {study.mode}: {within}")


def _row(step: Step) -> dict[str, Any]:
    from plimsoll.run import workloads
    from plimsoll.units import format_duration

    what = list(dict.fromkeys(workloads.of(plan).summary(plan) for plan in step.plans.values()))
    return {"test": step.case, "what": " / ".join(what), "one block": format_duration(step.block_ns)}


def _turns(ways: Mapping[str, Way]) -> list[str]:
    """How the targets of a block take turns; tests are named where they do it otherwise than most."""
    alike: dict[Way, list[str]] = {}
    for case, way in ways.items():
        alike.setdefault(way, []).append(case)
    usual, *others = sorted(alike, key=lambda way: -len(alike[way]))
    told = [f"{way}, for {', '.join(alike[way])}" for way in others]
    return [f"targets run {each}" for each in [str(usual), *told]] if usual.why else []


def _writes(target: Target, plans: list[Plan], layout_bytes: int, scratch_bytes: int) -> str:
    """Where a target is written, and how much."""
    from plimsoll.run import workloads
    from plimsoll.units import format_size

    said = []
    if target.kind == "device":
        said.append("the device itself")
    if layout_bytes:
        said.append(f"{format_size(layout_bytes)} of test files, removed at the end")
    if scratch_bytes:
        said.append(f"at most {format_size(scratch_bytes)} more while a file-system test runs, removed afterwards")
    loads = [workloads.of(plan).written_bytes(plan) for plan in plans]
    if None in loads:
        said.append("some tests write as fast as the place allows, for as long as they run")
    elif any(loads):
        said.append(f"at most {format_size(sum(load or 0 for load in loads))} are written by the tests in each block")
    else:
        said.append("only read after that" if layout_bytes else "only read")
    return f"{target.name}: {target.where}: {'; '.join(said)}"
