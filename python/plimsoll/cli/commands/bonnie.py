"""`plimsoll bonnie`: Bonnie++'s own command line and output, Plimsoll's workload and store."""

from __future__ import annotations

import typer

from plimsoll.cli.verbatim import hand_over

EXAMPLES = (
    "`plimsoll bonnie -d /mnt/a -n 16` · `plimsoll bonnie -d . -s 1g -r 512 -q | bon_csv2html` · docs/front-ends.md"
)
VERBATIM = True


def command(context: typer.Context) -> None:
    """Run Bonnie++'s phases with its options, and print its table and CSV line; the runs go to the store."""
    hand_over("bonnie", context)
