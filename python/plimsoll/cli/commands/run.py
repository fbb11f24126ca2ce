"""`plimsoll run`: measure, compare, store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from plimsoll.cli.options import (
    Band,
    Baseline,
    Blocks,
    Destroy,
    Json,
    Mode,
    NoisyHost,
    On,
    SamePlace,
    Seed,
    Set,
    Tests,
    Time,
    Title,
    study_from,
)

if TYPE_CHECKING:
    from plimsoll.model import Run, Session
    from plimsoll.store.store import Store

EXAMPLES = (
    "`plimsoll run` (this directory, one minute) · "
    "`plimsoll run disk --on nvme=/mnt/a --on gp3=/mnt/b --mode standard` · "
    "`plimsoll run randread --on uring=/mnt/a --on sync=/mnt/a,engine=psync,depth=1` · "
    "`plimsoll run study.toml` · `plimsoll run --resume`"
)


def command(
    tests: Tests = None,
    on: On = None,
    mode: Mode = None,
    blocks: Blocks = None,
    time: Time = None,
    band: Band = None,
    settings: Set = None,
    title: Title = None,
    baseline: Baseline = None,
    seed: Seed = None,
    same_place: SamePlace = False,
    noisy_host: NoisyHost = False,
    destroy: Destroy = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the last interrupted session.")] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Also write a report, as `plimsoll report -o` does."),
    ] = None,
    json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Measure targets until the answer is safe; every finished run is kept."""
    from plimsoll.cli.commands import report, show
    from plimsoll.cli.output import say
    from plimsoll.cli.progress import observer
    from plimsoll.errors import NothingMeasured, UsageError
    from plimsoll.model import RunStatus
    from plimsoll.report import format_of
    from plimsoll.run.session import resume_session, run_study
    from plimsoll.store.store import open_store

    if output is not None:
        format_of(output)
    if resume and (tests or on):
        raise UsageError("--resume goes on with the last interrupted session as it was; leave out tests and --on")
    with open_store() as store, observer(quiet=quiet) as watching:
        try:
            if resume:
                session = resume_session(_interrupted(store), store, watching, destroy or [])
            else:
                study = study_from(
                    tests,
                    on,
                    settings,
                    mode=mode,
                    blocks=blocks,
                    time=time,
                    band=band,
                    title=title,
                    baseline=baseline,
                    seed=seed,
                    same_place=same_place,
                    noisy_host=noisy_host,
                )
                session = run_study(study, store, watching, destroy or [])
        except KeyboardInterrupt:
            say("interrupted; finished runs are kept, test files are removed: `plimsoll run --resume` goes on")
            raise
        runs = store.runs([session.id])
    show.command([session.id], json=json)
    if output is not None:
        report.command([session.id], output=output)
    if not any(run.status is RunStatus.OK for run in runs):
        raise NothingMeasured(f"no run of this session is valid; {_first_reason(runs)}")


def _first_reason(runs: list[Run]) -> str:
    return next((f"{run.plan.case} on {run.target.name}: {run.reason}" for run in runs if run.reason), "nothing ran")


def _interrupted(store: Store) -> Session:
    """The newest session that did not end by itself; one that was killed still says that it is running."""
    from plimsoll.errors import UsageError
    from plimsoll.model import SessionState

    for session in store.sessions():
        if session.state is not SessionState.DONE:
            return session
    raise UsageError("no session was interrupted; `plimsoll list sessions` shows what there is")
