"""`plimsoll session rename`: another title."""

from __future__ import annotations

from typing import Annotated

import typer

from plimsoll.cli.options import Json, OneSession

NEEDS_ARGUMENTS = True
EXAMPLES = '`plimsoll session rename 3f9c "gp3 before the move"`'


def command(
    name: OneSession,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="The new title, one line.")],
    json: Json = False,
) -> None:
    """Give a session another title."""
    from plimsoll.cli.output import print_json, say
    from plimsoll.cli.session._presenting import as_table
    from plimsoll.store.housekeeping import set_title
    from plimsoll.store.names import short_id
    from plimsoll.store.opening import open_store

    with open_store() as store:
        found = set_title(store, store.find_session(name).id, title)
    if json:
        print_json(as_table(found))
    else:
        say(f"session {short_id(found.id)} is now {found.title!r}")
