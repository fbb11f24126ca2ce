"""`plimsoll baseline set`: name a session that later ones are held against."""

from __future__ import annotations

from typing import Annotated

import typer

from plimsoll.cli.completion import session_words

NEEDS_ARGUMENTS = True
EXAMPLES = "`plimsoll baseline set before-upgrade`, `plimsoll baseline set golden 3f9c`"


def command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="One lower-case word.")],
    session: Annotated[
        str | None,
        typer.Argument(
            metavar="[SESSION]", help="Short id or title. Default: the last session.", autocompletion=session_words
        ),
    ] = None,
) -> None:
    """Name a session to compare later ones with. A name belongs to one session at a time."""
    from plimsoll.api.finding import find_sessions
    from plimsoll.cli.baseline._presenting import told
    from plimsoll.cli.output import say
    from plimsoll.model import RunStatus
    from plimsoll.store.baselines import set_baseline
    from plimsoll.store.opening import open_store

    with open_store() as store:
        (found,) = find_sessions(store, [session] if session else None)
        before = set_baseline(store, name, found.id)
        if not any(run.status is RunStatus.OK for run in store.runs([found.id])):
            say(f"session {found.title!r} has no valid run, so nothing can be compared with it")
    say(f"baseline {name.strip().lower()}: {told(found)}" + (f", instead of {told(before)}" if before else ""))
