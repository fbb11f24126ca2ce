"""`plimsoll writetest`: the original's own command line and output, Plimsoll's engine and store."""

from __future__ import annotations

import typer

EXAMPLES = "`plimsoll writetest -b 256 -o 10000 -f /mnt/a/testfile` · docs/front-ends.md"
VERBATIM = True


def command(context: typer.Context) -> None:
    """Write a few bytes and fsync, over and over, with the options of Berkeley DB's writetest."""
    from plimsoll.cli.output import say
    from plimsoll.frontends.writetest.app import run
    from plimsoll.store.store import open_store

    code = run(context.args, open_store, say)
    if code:
        raise typer.Exit(code)
