"""`plimsoll data list`: what loads have left in databases."""

from __future__ import annotations

from typing import Annotated

import typer

from plimsoll.cli.completion import database_words
from plimsoll.cli.options import Json

EXAMPLES = (
    "`plimsoll data list` (every database in the store) · "
    "`plimsoll data list postgresql://me@host/ycsb,password_env=PGPASSWORD` · "
    "`plimsoll data list redis://host:6379/0 --json`"
)


def command(
    addresses: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ADDRESS[,password_env=NAME…]…]",
            help="Databases, written as for --on. Default: those that sessions in the store have measured.",
            autocompletion=database_words,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """List tables and records that Plimsoll left in databases. Those of others are not shown."""
    from dataclasses import asdict

    from plimsoll.cli.data._presenting import rows
    from plimsoll.cli.listing import print_list
    from plimsoll.cli.output import print_json, say
    from plimsoll.run.leftovers import address, made_at
    from plimsoll.store.opening import open_store
    from plimsoll.store.search import databases

    if addresses:
        targets = [address(text) for text in addresses]
    else:
        with open_store() as store:
            targets = databases(store)
    found = made_at(targets)
    if json:
        print_json([asdict(each) for each in found])
        return
    print_list(rows([left for each in found for left in each.left]), right=("records", "size"))
    for each in found:
        if each.problem:
            say(f"{each.where}: {each.problem}")
    if not targets:
        say("no session in the store has measured a database at an address; name one: plimsoll data list ADDRESS")
    elif not any(each.left or each.problem for each in found):
        say(f"no data of a load in {', '.join(each.where for each in found)}")
