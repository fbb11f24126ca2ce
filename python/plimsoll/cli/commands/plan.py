"""`plimsoll plan`: what would run, for how long, and what it writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from plimsoll.cli.options import Destroy, Json
from plimsoll.cli.study_options import StudyOptions, takes_study

if TYPE_CHECKING:
    from plimsoll.model import Plan, Target
    from plimsoll.run.plan import Step

EXAMPLES = "Takes the same arguments as `plimsoll run`, checks everything, and writes nothing."


@takes_study
def command(options: StudyOptions, destroy: Destroy = None, json: Json = False) -> None:
    """Print what `plimsoll run` would do with the same arguments."""
    from plimsoll.cli.output import print_json, print_table
    from plimsoll.run import plan
    from plimsoll.units import format_duration

    study = options.study()
    steps = plan.steps(study)
    plan.check(study, steps, destroy or [])
    estimate = plan.estimate(study, steps)
    if json:
        print_json(
            {
                "study": study.to_table(),
                "least_ns": estimate.least_ns,
                "most_ns": estimate.most_ns,
                "layout_bytes": estimate.layout_bytes,
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
        typer.echo(_writes(target, [step.plans[target.name] for step in steps], estimate.layout_bytes[target.name]))
    least, most = format_duration(estimate.least_ns), format_duration(estimate.most_ns)
    typer.echo(f"mode {study.mode}: {least} if everything is decided at once, {most} at most")


def _row(step: Step) -> dict[str, Any]:
    from plimsoll.units import format_duration

    what = list(dict.fromkeys(_what(plan) for plan in step.plans.values()))
    return {"test": step.case, "what": " / ".join(what), "one block": format_duration(step.block_ns)}


def _what(plan: Plan) -> str:
    """The parameters that matter most, as people say them."""
    from plimsoll.parameters import parameter, value_text

    def text(name: str) -> str:
        return value_text(parameter(plan.workload, name), plan.parameters[name])

    values = plan.parameters
    parts = [f"{text('mode')} {text('block_size')}", f"depth {text('depth')}"]
    parts += [f"{text('threads')} threads"] if values["threads"] > 1 else []
    parts += [f"over {text('size')}", "direct" if values["direct"] else "through the page cache"]
    parts += [f"{text('sync')} every {text('sync_every')}"] if values["sync"] in ("fsync", "fdatasync") else []
    return ", ".join([*parts, text("engine"), f"for {text('runtime')}"])


def _writes(target: Target, plans: list[Plan], layout_bytes: int) -> str:
    """Where a target is written, and how much."""
    from plimsoll.run.plan import written_bytes
    from plimsoll.units import format_size

    files = (
        "the device itself"
        if target.kind == "device"
        else f"{format_size(layout_bytes)} of test files, removed at the end"
    )
    loads = [written_bytes(plan) for plan in plans]
    if None in loads:
        load = "the write tests overwrite them as fast as the place allows"
    elif any(loads):
        load = f"the write tests overwrite at most {format_size(sum(load or 0 for load in loads))} in each block"
    else:
        load = "only read after that"
    return f"{target.name}: {target.where}: {files}; {load}"
