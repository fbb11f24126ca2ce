"""`plimsoll writetest`: the original's own command line and output, Plimsoll's engine and store."""

from __future__ import annotations

import typer

from plimsoll.cli.verbatim import hand_over

EXAMPLES = "`plimsoll writetest -b 256 -o 10000 -f /mnt/a/testfile` · docs/front-ends.md"
VERBATIM = True
USAGE_PIECES = ("[OPTIONS]",)
WORDS = (
    ("-b BYTES", "Of each write.  [default: 256]"),
    ("-o OPERATIONS", "Writes, each with an fsync.  [default: 1000]"),
    ("-f FILE", "The file that is written; it must not be there yet.  [default: testfile]"),
)


def command(context: typer.Context) -> None:
    """Write a few bytes and fsync, over and over, with the options of Berkeley DB's writetest."""
    hand_over("writetest", context)
