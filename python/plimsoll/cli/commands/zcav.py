"""`plimsoll zcav`: the original's own command line and output, Plimsoll's engine and store."""

from __future__ import annotations

import typer

from plimsoll.cli.verbatim import hand_over

EXAMPLES = "`plimsoll zcav -b 256 -c 3 /dev/nvme1n1` · docs/front-ends.md"
VERBATIM = True


def command(context: typer.Context) -> None:
    """Read a file or device in order and print its rate over the capacity, with the options of zcav."""
    hand_over("zcav", context)
