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

FORMATS = {".html": "html", ".htm": "html", ".md": "markdown", ".json": "json", ".csv": "csv", ".txt": "terminal"}


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
    from plimsoll.errors import UnknownName
    from plimsoll.report.build import build_document
    from plimsoll.report.renderers import render, write_charts

    path = output or (None if charts else Path("plimsoll-report.html"))
    if path is not None and path.suffix not in FORMATS:
        raise UnknownName("report format", path.suffix or path.name, FORMATS, f"-o {path}")
    document = build_document(evidence(sessions, baseline))
    if path is not None:
        render(document, FORMATS[path.suffix], path)
        say(f"report: {path}")
    if charts is not None:
        written = write_charts(document, charts)
        say(f"{len(written)} pictures in {charts}")
