"""`plimsoll plan`: what would run, for how long, and what it writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from plimsoll.cli.options import Destroy, Json
from plimsoll.cli.study_options import StudyOptions, takes_study

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plimsoll.clouds.offer import Offer
    from plimsoll.model import Plan, Target
    from plimsoll.run.interleave import Way
    from plimsoll.run.plan import Step
    from plimsoll.run.probe import Expected
    from plimsoll.run.study import Study

EXAMPLES = (
    "Takes the same arguments as `plimsoll run`, checks everything, and writes nothing, but for `--probe`: that makes "
    "the test files, measures for about 3 s, and removes them."
)


@takes_study
def command(
    options: StudyOptions,
    destroy: Destroy = None,
    probe: Annotated[
        bool,
        typer.Option("--probe", help="Measure the noise in a few short blocks: how precise after how long?"),
    ] = False,
    json: Json = False,
) -> None:
    """Print what `plimsoll run` would do with the same arguments."""
    show_plan(options, destroy or [], json=json, probe=probe)


def show_plan(options: StudyOptions, destroy: list[str], *, json: bool, probe: bool = False) -> None:
    """Check everything, and print what would run, for how long, and what it writes."""
    from plimsoll.cli import plan_cost, rent_plan
    from plimsoll.cli.output import print_json, print_table
    from plimsoll.errors import UsageError
    from plimsoll.run import interleave, plan
    from plimsoll.run.outlasting import bursts
    from plimsoll.run.run_lengths import in_turns
    from plimsoll.run.studies import load_line_among

    if name := load_line_among(options.tests or []):
        _show_search(name, options, destroy, json=json)
        return
    study = options.study()
    if probe and study.rented:
        raise UsageError(
            "--probe measures, and `plimsoll plan` rents nothing: leave it out for targets that are rented"
        )
    steps, ways = in_turns(study, interleave.of_rented if study.rented else interleave.ways)
    plan.check(study, steps, destroy)
    estimate = plan.estimate(study, steps)
    expected = _probed(study, steps, ways, destroy) if probe else {}
    rented = _offer(study, steps) if study.rented else None
    own = [target for target in study.targets if target not in study.rented]
    if json:
        print_json(
            {
                "study": study.to_table(),
                "least_ns": estimate.least_ns,
                "most_ns": estimate.most_ns,
                "layout_bytes": estimate.layout_bytes,
                "scratch_bytes": estimate.scratch_bytes,
                "cost": plan_cost.rows(own, estimate.most_ns),
                "rent": rent_plan.as_json(rented) if rented else None,
                "bursts": list(bursts(study, steps)),
                "interleave": {case: {"how": way.how, "why": way.why} for case, way in ways.items()},
                "probe": {case: _as_json(study, each) for case, each in expected.items()} if probe else None,
                "plans": [
                    {"case": step.case, "target": name, "hash": each.hash, "parameters": each.parameters}
                    for step in steps
                    for name, each in step.plans.items()
                ],
            }
        )
        return
    if rented and (outlives := rented.unattended):
        typer.echo(outlives)
    print_table([_row(step) for step in steps], right=("one block",))
    for target in study.targets:
        plans = [step.plans[target.name] for step in steps]
        typer.echo(_writes(target, plans, estimate.layout_bytes[target.name], estimate.scratch_bytes[target.name]))
    for sentence in (*_turns(ways), *bursts(study, steps)):
        typer.echo(sentence)
    for sentence in plan_cost.sentences(own, estimate.most_ns):
        typer.echo(sentence)
    most = {step.case: study.repeats or step.most_blocks(study) for step in steps}
    for case, each in expected.items():
        typer.echo(f"{case}: {_in_words(study.band, most[case], each)}")
    typer.echo(_length(study, estimate.least_ns, estimate.most_ns))
    if rented:
        rent_plan.print_offer(rented)


def _show_search(name: str, options: StudyOptions, destroy: list[str], *, json: bool) -> None:
    """What a search for a load line would rent; its runs are not known in advance."""
    from plimsoll.cli import rent_plan
    from plimsoll.cli.output import print_json
    from plimsoll.clouds.session import offered
    from plimsoll.errors import UsageError
    from plimsoll.run.load_study import wanted_load_study

    search = wanted_load_study(name, options.study, {}, None, None, quick=options.quick_sizes, titled=True)
    known = f"{name} is a search, whose runs are not known in advance"
    if not search.study.rented:
        raise UsageError(f"{known}; run it with `plimsoll knee {name}`")
    made = offered(search, destroy)
    if json:
        print_json({"study": search.study.to_table(), "rent": rent_plan.as_json(made)})
        return
    if outlives := made.unattended:
        typer.echo(outlives)
    typer.echo(f"{known}; this is what it would rent, and how long at most")
    rent_plan.print_offer(made)


def _offer(study: Study, steps: list[Step]) -> Offer:
    from plimsoll.clouds.offer import offer, times_of

    return offer(study, times_of(study, steps))


def _length(study: Study, least_ns: float, most_ns: float) -> str:
    from plimsoll.units import format_estimate

    least, most = format_estimate(least_ns), format_estimate(most_ns)
    within = f"about {most}" if least == most else f"{least} if everything is decided at once, {most} at most"
    return f"mode {study.mode}: {within}"


def _probed(study: Study, steps: list[Step], ways: Mapping[str, Way], destroy: list[str]) -> dict[str, Expected]:
    from plimsoll.cli.output import say
    from plimsoll.run.probe import check, probed

    check(study, steps)
    say("probing: test files, then 5 short blocks of each test")
    return probed(study, steps, ways, destroy)


def _in_words(band: float, most: int, found: Expected) -> str:
    """`±10 % in about 12 s, ±3 % in about 2 min, if the noise stays as in 5 short blocks (2.3 %)`."""
    from plimsoll.run.probe import BLOCKS, TIGHT
    from plimsoll.stats.policy import log_width
    from plimsoll.stats.stopping import within
    from plimsoll.units import format_estimate

    if found.noise is None:
        return f"no estimate: {found.valid} of {BLOCKS} short blocks are valid on all targets, and it takes 3"
    told = []
    for width in sorted({band, TIGHT}, reverse=True):
        blocks, name = found.blocks(width), within(log_width(width))
        if blocks is None:
            told.append(f"{name} not at all")
        elif blocks > most:
            told.append(f"{name} after about {blocks} blocks, of which it has {most} at most")
        else:
            told.append(f"{name} in about {format_estimate(blocks * found.block_ns)}")
    scattered = f"if blocks go on to scatter by {within(found.noise)} as {found.valid} short ones did"
    return f"expect the ratio to within {', '.join(told)}, {scattered}"


def _as_json(study: Study, found: Expected) -> dict[str, Any]:
    from plimsoll.run.probe import TIGHT

    widths = sorted({study.band, TIGHT}, reverse=True)
    expected = [{"width": width, "blocks": found.blocks(width)} for width in widths]
    return {"valid_blocks": found.valid, "noise": found.noise, "block_ns": found.block_ns, "expected": expected}


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
