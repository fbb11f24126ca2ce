"""Commands whose words another tool defined: they go to a front end as they were typed."""

from __future__ import annotations

import os

import typer

from plimsoll.plugins import Plugin


def hand_over(front_end: Plugin, context: typer.Context) -> None:
    """Let the front end run the words after the command; leave with its code where that isn't 0.

    What it needs is imported when it is called for: `plimsoll --help` needs none of it.
    """
    if any(word in context.args for word in getattr(front_end.module, "HELP_WORDS", ())):
        typer.echo(context.get_help())
        return
    from plimsoll.cli.output import say
    from plimsoll.errors import UsageError
    from plimsoll.frontends import notes
    from plimsoll.store.opening import open_store

    words = [word for word in context.args if word != notes.OPTION]
    if len(words) < len(context.args):
        os.environ[notes.VARIABLE] = "1"
    code = front_end.call("run", words, open_store, say, answers=int, otherwise=None)
    if code is None:
        raise UsageError(f"{front_end.label} ended with an error of its own, which its authors need to fix")
    if code:
        raise typer.Exit(code)
