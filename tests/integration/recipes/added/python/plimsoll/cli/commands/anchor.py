"""`plimsoll anchor`: a command of its own."""

from __future__ import annotations

from typing import Annotated

import typer


def command(place: Annotated[str, typer.Argument(metavar="PLACE", help="Where.")]) -> None:
    """Drop anchor somewhere."""
    from plimsoll.cli.output import console

    console().print(f"anchored in {place}", markup=False)
