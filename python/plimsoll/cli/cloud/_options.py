"""Options that the commands of `plimsoll cloud` share."""

from __future__ import annotations

from typing import Annotated

import typer


def provider_names(incomplete: str) -> list[str]:
    """The providers that begin so."""
    from plimsoll.clouds import finding

    return [name for name in finding.names() if name.startswith(incomplete)]


Region = Annotated[
    str | None,
    typer.Option(
        "--region",
        metavar="us-east-1",
        help="Ask this region. Default: the provider's home region, and those of all rentals on record here.",
    ),
]
Provider = Annotated[str, typer.Option("--provider", metavar="NAME", help="Whose.", autocompletion=provider_names)]
