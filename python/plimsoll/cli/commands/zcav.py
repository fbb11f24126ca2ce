"""`plimsoll zcav`: the original's own command line and output, Plimsoll's engine and store."""

from __future__ import annotations

import typer

EXAMPLES = "`plimsoll zcav -b 256 -c 3 /dev/nvme1n1` · docs/front-ends.md"
VERBATIM = True


def command(context: typer.Context) -> None:
    """Read a file or device in order and print its rate over the capacity, with the options of zcav."""
    from plimsoll.cli.output import say
    from plimsoll.frontends.zcav.app import run
    from plimsoll.store.store import open_store

    code = run(context.args, open_store, say)
    if code:
        raise typer.Exit(code)
