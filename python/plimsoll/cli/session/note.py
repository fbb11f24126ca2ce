"""`plimsoll session note`: what a reader should know of it."""

from __future__ import annotations

from typing import Annotated

import typer

from plimsoll.cli.options import Json, OneSession

NEEDS_ARGUMENTS = True
EXAMPLES = (
    '`plimsoll session note 3f9c "firmware 2.1, before the move"`, `plimsoll session note 3f9c ""` takes it away, '
    "`plimsoll session note 3f9c - < note.txt`"
)


def command(
    name: OneSession,
    text: Annotated[
        str | None,
        typer.Argument(metavar="[TEXT]", help="The note; - reads it from standard input; none: show the one it has."),
    ] = None,
    json: Json = False,
) -> None:
    """Attach a note to a session; reports show it."""
    import sys

    from plimsoll.cli.output import harmless, print_json, say
    from plimsoll.cli.session._presenting import as_table
    from plimsoll.store.housekeeping import set_note
    from plimsoll.store.names import short_id
    from plimsoll.store.opening import open_store

    with open_store() as store:
        found = store.find_session(name)
        if text is not None:
            found = set_note(store, found.id, sys.stdin.read() if text == "-" else text)
    if json:
        print_json(as_table(found))
    elif text is not None:
        say(f"session {short_id(found.id)} has {'this note now' if found.note else 'no note any more'}")
    elif found.note:
        typer.echo(harmless(found.note))
    else:
        say(f"session {short_id(found.id)} has no note")
