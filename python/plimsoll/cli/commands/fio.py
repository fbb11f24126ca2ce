"""`plimsoll fio`: fio's own command line, its output, Plimsoll's engine and store."""

from __future__ import annotations

import typer

EXAMPLES = (
    "`plimsoll fio --name=test --filename=test --size=1g --rw=randread --bs=4k --iodepth=32 --direct=1` · "
    "`plimsoll fio jobs.fio --output-format=json --output=result.json` · docs/front-ends.md"
)
VERBATIM = True


def command(context: typer.Context) -> None:
    """Run fio job files and options, and print what fio prints; the runs go to the store."""
    from plimsoll.cli.output import say
    from plimsoll.frontends.fio.app import run
    from plimsoll.store.store import open_store

    code = run(context.args, open_store, say)
    if code:
        raise typer.Exit(code)
