"""`plimsoll writetest`: the original's own command line and output, Plimsoll's engine and store."""

from __future__ import annotations

import typer

from plimsoll.cli.verbatim import hand_over

EXAMPLES = "`plimsoll writetest -b 256 -o 10000 -f /mnt/a/testfile` · docs/front-ends.md"
VERBATIM = True


def command(context: typer.Context) -> None:
    """Write a few bytes and fsync, over and over, with the options of Berkeley DB's writetest."""
    hand_over("writetest", context)
