"""Options and arguments that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Baseline = Annotated[
    str | None, typer.Option("--baseline", metavar="NAME", help="Target the others are compared with.")
]
Band = Annotated[str | None, typer.Option("--band", metavar="10%", help="Differences up to this count as the same.")]
Destroy = Annotated[
    list[str] | None,
    typer.Option(
        "--destroy", metavar="SERIAL", help="Allow this block device to be overwritten; all data on it is lost."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV on standard output.")]
Sessions = Annotated[
    list[str] | None, typer.Argument(metavar="[SESSION…]", help="Short id or title. Default: the last session.")
]
Region = Annotated[
    str | None, typer.Option("--region", metavar="us-east-1", help="Whose prices; default: the provider's home region.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace what is there.")]
