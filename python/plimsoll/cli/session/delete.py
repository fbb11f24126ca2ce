"""`plimsoll session delete`: out of the store, with all its runs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from plimsoll.cli.options import Json, NamedSessions

if TYPE_CHECKING:
    from plimsoll.model import Session
    from plimsoll.store.store import Store

NEEDS_ARGUMENTS = True
EXAMPLES = (
    "`plimsoll session delete 3f9c` asks first; `plimsoll session delete 3f9c 77ab --yes` does not; "
    "`plimsoll export 3f9c` before it keeps a copy"
)


def command(
    names: NamedSessions,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Also remove one that another machine may still be running.")
    ] = False,
    json: Json = False,
) -> None:
    """Remove sessions with all their runs from the store.

    It cannot be undone. Copies in result files and other stores stay, and a merge with them brings a session back.
    """
    from plimsoll.cli.output import print_json, say
    from plimsoll.store.housekeeping import delete_sessions
    from plimsoll.store.opening import open_store

    with open_store() as store:
        found = list({session.id: session for session in map(store.find_session, names)}.values())
        _refuse_running(found, force)
        if not yes:
            _ask(store, found)
        removed = delete_sessions(store, [session.id for session in found])
    if json:
        print_json(asdict(removed))
    else:
        say(f"deleted {_count(removed.sessions, 'session')} with {_count(removed.runs, 'run')}")


def _refuse_running(sessions: list[Session], force: bool) -> None:
    from plimsoll.errors import UsageError
    from plimsoll.model import SessionState
    from plimsoll.store.liveness import state_now
    from plimsoll.store.names import short_id

    for session in sessions:
        if state_now(session) is SessionState.RUNNING and not force:
            raise UsageError(
                f"session {short_id(session.id)} ({session.title}) is running; stop it first, or say --force if its "
                "machine is gone; nothing was deleted"
            )


def _ask(store: Store, sessions: list[Session]) -> None:
    """Show what would go, and ask. Raises UsageError where nobody can answer, and Abort for a no."""
    import sys

    from plimsoll.cli.output import say
    from plimsoll.errors import UsageError
    from plimsoll.store import search
    from plimsoll.store.names import short_id

    if not sys.stdin.isatty():
        raise UsageError("nothing was deleted: nobody can be asked here; give --yes to delete without asking")
    counts = search.run_counts(store)
    for session in sessions:
        runs = counts.get(session.id, (0, 0))[1]
        say(f"{short_id(session.id)}  {session.title}, {_count(runs, 'run')}")
    if not typer.confirm(f"Delete from {store.place}?", err=True):
        say("nothing was deleted")
        raise typer.Abort


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
