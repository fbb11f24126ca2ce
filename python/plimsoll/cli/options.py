"""Options and arguments that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from plimsoll.cli.completion import session_words

Baseline = Annotated[
    str | None, typer.Option("--baseline", metavar="NAME", help="Target the others are compared with.")
]
ImportedSlo = Annotated[
    str | None,
    typer.Option("--slo", metavar="p99<5ms", help="Objective for load lines of imported runs; a search has its own."),
]
Band = Annotated[str | None, typer.Option("--band", metavar="10%", help="Differences up to this count as the same.")]
Destroy = Annotated[
    list[str] | None,
    typer.Option(
        "--destroy",
        metavar="SERIAL|NAME",
        help="Allow this block device, or this data in a database that Plimsoll did not make, to be overwritten.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV on standard output.")]
Sessions = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SESSION…]",
        help="Short id or title. Default: the session that was measured or imported last.",
        autocompletion=session_words,
    ),
]
NamedSessions = Annotated[
    list[str], typer.Argument(metavar="SESSION…", help="Short id or title.", autocompletion=session_words)
]
OneSession = Annotated[str, typer.Argument(metavar="SESSION", help="Short id or title.", autocompletion=session_words)]
Region = Annotated[
    str | None,
    typer.Option(
        "--region",
        metavar="us-east-1",
        help="Region whose prices apply; default, and for other providers: the provider's home region.",
    ),
]
TraceFormat = Annotated[
    str | None,
    typer.Option("--format", metavar="FORMAT", help="Read the trace as this, where its content could be several."),
]
Force = Annotated[bool, typer.Option("--force", help="Replace what exists.")]
ReportFile = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="FILE", help="Also write a report, as `plimsoll report -o` does."),
]
ForceOutput = Annotated[bool, typer.Option("--force", help="Replace the file of --output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
