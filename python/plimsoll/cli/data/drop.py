"""`plimsoll data drop`: what loads have left goes."""

from __future__ import annotations

from typing import Annotated

import typer

from plimsoll.cli.completion import database_words
from plimsoll.cli.options import Json

NEEDS_ARGUMENTS = True
EXAMPLES = (
    "`plimsoll data drop postgresql://me@host/ycsb,password_env=PGPASSWORD` · "
    "`plimsoll data drop sqlite:/data/y.db usertable --yes`"
)


def command(
    place: Annotated[
        str,
        typer.Argument(
            metavar="ADDRESS[,password_env=NAME…]",
            help="The database, written as for --on.",
            autocompletion=database_words,
        ),
    ],
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME…]", help="Tables, as `plimsoll data list` names them. Default: all of them."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: Json = False,
) -> None:
    """Drop tables and records that Plimsoll left in a database. Those of others are never touched."""
    from dataclasses import asdict

    from plimsoll.cli.data._presenting import rows
    from plimsoll.cli.output import print_json, print_table, say
    from plimsoll.errors import UnknownName
    from plimsoll.run.leftovers import address, drop, made
    from plimsoll.targets.database import is_embedded

    target = address(place)
    there = made(target)
    if unknown := [name for name in names or [] if all(left.name != name for left in there)]:
        raise UnknownName(f"data of a load in {target.where}", unknown[0], [left.name for left in there])
    chosen = [left for left in there if not names or left.name in names]
    if not chosen:
        if json:
            print_json([])
        say(f"no data of a load in {target.where}: nothing to drop")
        return
    if not json:
        print_table(rows(chosen), right=("records", "size"))
    if not yes:
        _agree(len(chosen), target.where)
    gone = drop(target, [left.name for left in chosen])
    if json:
        print_json([asdict(left) for left in gone])
    say(f"dropped {', '.join(left.name for left in gone)} in {target.where}")
    if len(gone) == len(there) and is_embedded(target.where):
        say("the emptied database itself was left; if nothing else is in it and nobody needs it, delete it")


def _agree(count: int, where: str) -> None:
    """Ask. Raises UsageError where nobody can answer, and Abort for a no."""
    import sys

    from plimsoll.cli.output import say
    from plimsoll.errors import UsageError

    if not sys.stdin.isatty():
        raise UsageError("nothing was dropped: nobody can be asked here; give --yes to drop without asking")
    if not typer.confirm(f"Drop {'this' if count == 1 else f'these {count}'} in {where}?", err=True):
        say("nothing was dropped")
        raise typer.Abort
