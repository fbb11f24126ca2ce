"""`plimsoll run`: measure, compare, store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from plimsoll.cli.cluster import Cluster
from plimsoll.cli.options import Destroy, ForceOutput, Json, Quiet, ReportFile
from plimsoll.cli.streams import LogJson, Otlp, Streams
from plimsoll.cli.study_options import StudyOptions, takes_study

if TYPE_CHECKING:
    from plimsoll.model import Session
    from plimsoll.run.study import Study
    from plimsoll.store.store import Store

DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="Only print what would be done, and how long it would take: `plimsoll plan`."),
]
EXAMPLES = (
    "`plimsoll run` (this directory, one minute) · "
    "`plimsoll run disk --on nvme=/mnt/a --on gp3=/mnt/b --mode standard` · "
    "`plimsoll run randread --on uring=/mnt/a --on sync=/mnt/a,engine=psync,depth=1` · "
    "`plimsoll run study.toml` · `plimsoll run --resume`"
)


@takes_study
def command(
    options: StudyOptions,
    destroy: Destroy = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Go on with the last interrupted session, or with the one named instead of a test."
        ),
    ] = False,
    output: ReportFile = None,
    force: ForceOutput = False,
    store_copy: Annotated[
        str | None,
        typer.Option(
            "--store-copy", metavar="DIR", help="Also write the session as a result file there: folder or address."
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="NAME",
            help="Compare with this baseline (`plimsoll baseline set`) at the end. Without a test: do what it did.",
        ),
    ] = None,
    cluster: Cluster = None,
    dry_run: DryRun = False,
    log_json: LogJson = None,
    otlp: Otlp = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure targets until the result is conclusive. Every finished run is kept."""
    from plimsoll.api.measuring import all_carried_out, all_gone_on
    from plimsoll.cli.cluster import machines
    from plimsoll.cli.commands import compare, plan
    from plimsoll.cli.ending import conclude
    from plimsoll.cli.output import check_report_file, say
    from plimsoll.cli.progress import observer
    from plimsoll.errors import UsageError
    from plimsoll.run.studies import load_line_among
    from plimsoll.store.opening import open_store

    streams = Streams(log_json, otlp)
    if not resume and (name := load_line_among(options.tests or [])):
        other = dry_run or store_copy or against
        _knee(name, options, destroy, output, cluster, streams, force=force, json=json, quiet=quiet, other=other)
        return
    if dry_run:
        if resume or cluster or against:
            raise UsageError("--dry-run plans a new session here; leave out --resume, --cluster and --against")
        plan.show_plan(options, destroy or [], json=json)
        return
    check_report_file(output, force)
    with open_store() as store, machines(cluster) as others, observer(quiet=quiet, streams=streams) as watching:
        if resume:
            sessions = all_gone_on(_named(store, options), store, watching, others, destroy=destroy or [])
        else:
            again = _baseline(store, against, options, json=json) if against is not None else None
            sessions = all_carried_out(options.study(again), store, watching, others, destroy=destroy or [])
        runs = store.runs([sessions[-1].id])
        for each in sessions if store_copy is not None else ():
            _copy(store, each, str(store_copy))
    conclude(sessions[-1], runs, output, force=force, json=json, quiet=quiet, earlier=sessions[:-1])
    if against is not None:
        say(f"against baseline {against}:")
        compare.command([sessions[-1].id], baseline=against)


def _baseline(store: Store, name: str, options: StudyOptions, *, json: bool) -> Study | None:
    """The study of a baseline, to be done again. Raises UsageError where nothing could be compared in the end."""
    from plimsoll.errors import UsageError
    from plimsoll.run.study import again
    from plimsoll.store.baselines import baseline

    if json:
        raise UsageError(
            f"--against ends in sentences; for JSON, `plimsoll compare --baseline {name} --json` afterwards"
        )
    saved = baseline(store, name)
    done = again(saved)
    if done is None and not options.tests:
        raise UsageError(f"baseline {name} was not measured by `plimsoll run`, so it cannot be done again: name a test")
    cases = {case.label for case in options.study(done).cases()}
    ran = {plan.case for plan in store.plans([saved.id]).values()}
    if not cases & ran:
        raise UsageError(
            f"baseline {name} has none of these tests ({', '.join(sorted(cases))}); it ran {', '.join(sorted(ran))}"
        )
    return done


def _knee(
    name: str,
    options: StudyOptions,
    destroy: list[str] | None,
    output: str | None,
    cluster: str | None,
    streams: Streams,
    *,
    force: bool,
    json: bool,
    quiet: bool,
    other: object,
) -> None:
    """A study that searches a load line."""
    from plimsoll.cli.commands import knee
    from plimsoll.errors import UsageError
    from plimsoll.run.load_study import wanted_load_study

    if other:
        raise UsageError(
            f"{name} is a search, whose runs are not known in advance; leave out --dry-run, --store-copy and --against"
        )
    study = wanted_load_study(name, options.study, {}, None, None, quick=options.quick_sizes, titled=True)
    knee.carry_out(study, destroy or [], output, cluster, streams, force=force, json=json, quiet=quiet)


def _copy(store: Store, session: Session, place: str) -> None:
    """A copy for others; the session is measured and stored, so a fault here must not hide its results."""
    from plimsoll.cli.output import say
    from plimsoll.cli.session_copies import copy_name, copy_session
    from plimsoll.errors import PlimsollError

    try:
        say(f"copy of the session: {copy_session(store, session, place)}")
    except PlimsollError as error:
        again = f"plimsoll export {session.id} -o {copy_name(session, place)}"
        say(f"no copy of the session: {error}; `{again}` tries again")


def _named(store: Store, options: StudyOptions) -> Session:
    """The session to go on with; it goes on as it was, so nothing else can be said about it."""
    from plimsoll.api.measuring import to_go_on
    from plimsoll.errors import UsageError

    if said := options.said(but="tests"):
        raise UsageError(f"--resume goes on with a session as it was; leave out {', '.join(said)}")
    words = options.tests or []
    if len(words) > 1:
        raise UsageError("--resume goes on with one session; name one, or none for the last interrupted one")
    return to_go_on(store, words[0] if words else None)
