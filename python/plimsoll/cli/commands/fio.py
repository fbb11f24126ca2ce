"""`plimsoll fio`: fio's own command line, its output, Plimsoll's engine and store."""

from __future__ import annotations

import typer

from plimsoll.cli.verbatim import hand_over

EXAMPLES = (
    "`plimsoll fio --name=test --filename=test --size=1g --rw=randread --bs=4k --iodepth=32 --direct=1` · "
    "`plimsoll fio jobs.fio --output-format=json --output=result.json` · docs/front-ends.md"
)
VERBATIM = True


def command(context: typer.Context) -> None:
    """Run fio job files and options, and print what fio prints; the runs go to the store."""
    hand_over("fio", context)
