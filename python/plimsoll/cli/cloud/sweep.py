"""`plimsoll cloud sweep`: end what is left over."""

from __future__ import annotations

from typing import Annotated

import typer

from plimsoll.cli.cloud._options import Provider, Region
from plimsoll.cli.options import Json

EXAMPLES = "`plimsoll cloud sweep`, `plimsoll cloud sweep --region eu-west-1`, `plimsoll cloud sweep --all`."


def command(
    provider: Provider = "aws",
    region: Region = None,
    every: Annotated[
        bool,
        typer.Option("--all", help="Everything that Plimsoll has rented there, also what another session is using."),
    ] = False,
    json: Json = False,
) -> None:
    """End what killed commands have left, and what outlived its lease."""
    from plimsoll.cli.output import print_json, say
    from plimsoll.clouds import finding, sweep
    from plimsoll.clouds.listed import regions

    # Those on record are asked before their records go.
    asked = regions(provider, region)
    told = list(sweep.abandoned())
    for each in asked:
        told += sweep.outlived(finding.cloud(provider), each, every=every)
    if json:
        print_json({"provider": provider, "regions": asked, "ended": told})
        return
    for sentence in told:
        typer.echo(sentence)
    if not told:
        say(f"nothing was left over (asked: {provider}, {', '.join(asked)})")
