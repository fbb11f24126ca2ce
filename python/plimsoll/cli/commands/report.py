"""`plimsoll report`: a session as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plimsoll.cli.options import Baseline, Sessions

EXAMPLES = (
    "`plimsoll report -o disk.html`, `plimsoll report 3f9c -o disk.md`, `plimsoll report --charts pictures/`. "
    "The ending chooses the format: .html, .md, .json, .csv or .txt."
)


def command(
    sessions: Sessions = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where to write; the ending chooses the format."),
    ] = None,
    charts: Annotated[
        Path | None, typer.Option("--charts", metavar="DIR", help="Write every chart as SVG and PNG into this folder.")
    ] = None,
    baseline: Baseline = None,
) -> None:
    """Write a report: one self-contained file, rebuilt from the stored runs."""
    from plimsoll.cli.evidence import evidence
    from plimsoll.cli.output import say
    from plimsoll.report import build_document, format_of, render, write_charts

    path = output or (None if charts else Path("plimsoll-report.html"))
    chosen = None if path is None else format_of(path)
    document = build_document(evidence(sessions, baseline))
    if path is not None and chosen is not None:
        render(document, chosen, path)
        say(f"report: {path}")
    if charts is not None:
        say(f"{len(write_charts(document, charts))} pictures in {charts}")
