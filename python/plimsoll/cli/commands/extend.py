"""`plimsoll extend`: more blocks for a finished session."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from plimsoll.cli.cluster import Cluster
from plimsoll.cli.completion import session_words
from plimsoll.cli.options import Destroy, Force, Json, Quiet, ReportFile
from plimsoll.cli.streams import LogJson, Otlp, Streams

if TYPE_CHECKING:
    from plimsoll.model import Session
    from plimsoll.run.extend import Standing
    from plimsoll.stats.parts import Extension
    from plimsoll.store.store import Store

EXAMPLES = (
    "`plimsoll extend` goes on with the last session until there is a verdict; `plimsoll extend 3f9c --blocks 10` "
    "adds ten blocks, `plimsoll extend 3f9c --for 10m` what fits into ten minutes, `plimsoll extend --until verdict "
    "--for 2h` goes on until there is a verdict, for two hours at most."
)


class Until(StrEnum):
    """What ends a case."""

    VERDICT = "verdict"


def command(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[SESSION]",
            help="Short id or title of a finished session. Default: the last one.",
            autocompletion=session_words,
        ),
    ] = None,
    blocks: Annotated[
        int | None, typer.Option("--blocks", min=1, max=1000, help="Add this many blocks to every case.")
    ] = None,
    time: Annotated[
        str | None,
        typer.Option("--for", metavar="10m", help="Add as many blocks as fit into this time, which is a hard limit."),
    ] = None,
    until: Annotated[
        Until | None,
        typer.Option(
            "--until",
            help="End each case when it has a verdict (with one target: a precise score), or at --blocks or --for. "
            "Default if neither is given.",
        ),
    ] = None,
    destroy: Destroy = None,
    output: ReportFile = None,
    force: Force = False,
    cluster: Cluster = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only print what would be added, and how long it would take.")
    ] = False,
    log_json: LogJson = None,
    otlp: Otlp = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Add blocks to a finished session, on the same places.

    You may extend a session because it was undecided: the boundaries allow for it, so that verdicts stay false with
    probability at most 5 %, however often a session is extended.
    """
    from plimsoll.cli.ending import conclude
    from plimsoll.cli.output import check_report_file, say
    from plimsoll.run.extend import extendable, planned, standings
    from plimsoll.store.opening import open_store
    from plimsoll.units import parse_duration

    check_report_file(output, force)
    bound_ns = parse_duration(time) if time is not None else None
    verdict = until is Until.VERDICT or (blocks is None and bound_ns is None)
    with open_store() as store:
        session = extendable(store, name)
        runs = store.runs([session.id])
        part = planned(session, runs, blocks, bound_ns, until_verdict=verdict)
        if not (json or quiet) or dry_run:
            say(_announced(session, part, standings(session, runs)))
        if not dry_run:
            session = _extend(store, session, part, destroy or [], cluster, Streams(log_json, otlp), quiet=quiet)
            runs = store.runs([session.id])
    if not dry_run:
        conclude(session, runs, output, force=force, json=json, quiet=quiet)


def _extend(
    store: Store,
    session: Session,
    part: Extension,
    destroy: list[str],
    cluster: str | None,
    streams: Streams,
    *,
    quiet: bool,
) -> Session:
    """Measure the part."""
    from plimsoll.cli.cluster import machines
    from plimsoll.cli.progress import observer
    from plimsoll.run.extend import extend_session
    from plimsoll.run.machines import ThisMachine
    from plimsoll.run.session_runner import SessionRunner

    with machines(cluster) as others, observer(quiet=quiet, streams=streams) as watching:
        return extend_session(session, part, SessionRunner(store, watching, destroy, others or ThisMachine()))


def _announced(session: Session, part: Extension, found: list[Standing]) -> str:
    """What would be added to which cases, and how long that takes at most."""
    from plimsoll.store.names import short_id
    from plimsoll.units import format_duration, format_estimate

    wanted = [each for each in found if not part.until_verdict or each.needed is not None]
    cases = f"{len(wanted)} of {len(found)} cases" if len(found) > 1 else "its case"
    if part.blocks is None:
        added = f"as many blocks as fit into {format_duration(part.time_ns or 0)}"
    else:
        longest = sum(part.blocks * each.block_ns for each in wanted)
        bound = min(longest, part.time_ns) if part.time_ns is not None else longest
        least = "up to " if part.until_verdict or part.time_ns is not None else ""
        added = f"{least}{part.blocks:,} block{'' if part.blocks == 1 else 's'} (about {format_estimate(bound)})"
    changed = f"; no longer the same here: {', '.join(part.changed)}" if part.changed else ""
    return f"session {short_id(session.id)} ({session.title}): {added} for {cases}{changed}"
