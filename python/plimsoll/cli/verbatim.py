"""Commands whose words another tool defined: they go to a front end as they were typed."""

from __future__ import annotations

import os
from importlib import import_module

import typer

HELP = "-h"
ASK_FOR_HELP = ("bonnie", "fio", "ping", "zcav")
"""Front ends of tools that explain themselves with `-h`."""


def hand_over(front_end: str, context: typer.Context) -> None:
    """Let `plimsoll.frontends.FRONT_END` run the words after the command; leave with its code where that isn't 0.

    Front ends are imported when they are called for: `plimsoll --help` needs none of them.
    """
    if front_end in ASK_FOR_HELP and HELP in context.args:
        typer.echo(context.get_help())
        return
    from plimsoll.cli.output import say
    from plimsoll.frontends import notes
    from plimsoll.store.store import open_store

    words = [word for word in context.args if word != notes.OPTION]
    if len(words) < len(context.args):
        os.environ[notes.VARIABLE] = "1"
    code = import_module(f"plimsoll.frontends.{front_end}.app").run(words, open_store, say)
    if code:
        raise typer.Exit(code)
