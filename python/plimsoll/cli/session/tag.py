"""`plimsoll session tag`: words to find sessions by."""

from __future__ import annotations

from typing import Annotated

import typer

from plimsoll.cli.options import Json, OneSession

NEEDS_ARGUMENTS = True
EXAMPLES = (
    "`plimsoll session tag 3f9c baseline nvme`, `plimsoll session tag 3f9c --remove nvme`; "
    "`plimsoll list sessions tag:baseline` finds them"
)


def command(
    name: OneSession,
    tags: Annotated[
        list[str] | None, typer.Argument(metavar="[TAG…]", help="Tags to add; none: show those it has.")
    ] = None,
    remove: Annotated[list[str] | None, typer.Option("--remove", metavar="TAG", help="Tag to remove.")] = None,
    json: Json = False,
) -> None:
    """Add tags to a session, or remove them. A tag is one lower-case word."""
    from plimsoll.cli.output import print_json, say
    from plimsoll.cli.session._presenting import as_table
    from plimsoll.store.housekeeping import change_tags
    from plimsoll.store.names import short_id
    from plimsoll.store.opening import open_store

    with open_store() as store:
        found = store.find_session(name)
        if tags or remove:
            found = change_tags(store, found.id, tags or (), remove or ())
    if json:
        print_json(as_table(found))
    else:
        say(f"session {short_id(found.id)} has {'the tags ' + ', '.join(found.tags) if found.tags else 'no tags'}")
