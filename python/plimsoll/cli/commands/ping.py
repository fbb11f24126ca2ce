"""`plimsoll ping`: ioping's own command line, its output, Plimsoll's engine and store."""

from __future__ import annotations

import typer

from plimsoll.cli.verbatim import hand_over

EXAMPLES = (
    "`plimsoll ping -c 30 .` · `plimsoll ping -R --percentiles /mnt/a` · `plimsoll ping -D -W .` · docs/front-ends.md"
)
VERBATIM = True


def command(context: typer.Context) -> None:
    """Measure the latency of single requests with ioping's options; the run goes to the store."""
    hand_over("ping", context)
