"""`plimsoll token`: who may read from and send to this store's server."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plimsoll.cli.options import Json

if TYPE_CHECKING:
    from plimsoll.store.tokens import Token

NEEDS_ARGUMENTS = True
EXAMPLES = (
    "`plimsoll token create ci`, `plimsoll token create intern --allow read --days 30`, `plimsoll token list`, "
    "`plimsoll token revoke ci`. The store keeps only a hash: a token is shown once."
)


class Action(StrEnum):
    """What to do."""

    CREATE = "create"
    LIST = "list"
    REVOKE = "revoke"


class Allow(StrEnum):
    """What the holder may do."""

    READ = "read"
    UPLOAD = "upload"
    MERGE = "merge"


def command(
    action: Annotated[Action, typer.Argument(help="Create a token, list all, or revoke one.", show_default=False)],
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Name of the token: whom or what it is for.")
    ] = None,
    allow: Annotated[
        Allow,
        typer.Option(
            "--allow",
            help="read pages; upload results as well; or merge: also add to sessions that others sent or measured.",
        ),
    ] = Allow.UPLOAD,
    days: Annotated[
        int | None, typer.Option("--days", min=1, max=36500, help="Days for which the token is valid.")
    ] = None,
    json: Json = False,
) -> None:
    """Create, list and revoke tokens of the server (`plimsoll serve`)."""
    from plimsoll.cli.listing import print_list
    from plimsoll.cli.output import print_json, say
    from plimsoll.errors import UsageError
    from plimsoll.store import tokens
    from plimsoll.store.opening import open_store

    if action is not Action.LIST and name is None:
        raise UsageError(f"name the token: plimsoll token {action.value} NAME")
    with open_store() as store:
        if action is Action.CREATE:
            written = tokens.create(store, str(name), tokens.Scope(allow.value), days)
            typer.echo(written)
            say(f"token {name} may {allow.value}; it cannot be shown again. Give it as PLIMSOLL_TOKEN to plimsoll push")
        elif action is Action.REVOKE:
            found = tokens.revoke(store, str(name))
            say(f"token {found.name} is revoked; servers refuse it from now on")
        else:
            rows = [_row(each) for each in tokens.listed(store)]
            if json:
                print_json(rows)
            else:
                print_list([{name: value for name, value in row.items() if name != "id"} for row in rows])
                if not rows:
                    say("there is no token yet; plimsoll token create NAME makes one")


def _row(found: Token) -> dict[str, Any]:
    import time

    return {
        "name": found.name,
        "id": found.id,
        "allows": found.scope.value,
        "state": found.state(time.time_ns()),
        "created": _when(found.created_ns),
        "expires": _when(found.expires_ns),
        "last used": _when(found.used_ns),
    }


def _when(time_ns: int | None) -> str:
    return "never" if time_ns is None else f"{datetime.fromtimestamp(time_ns / 1e9, UTC):%Y-%m-%d %H:%M}"
