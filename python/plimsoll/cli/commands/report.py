"""`plimsoll report`: a session as one file, or as a folder that others can check."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from plimsoll.cli.options import Baseline, Force, ImportedSlo, Sessions

if TYPE_CHECKING:
    from plimsoll.report import Evidence

EXAMPLES = (
    "`plimsoll report -o disk.html`, `plimsoll report 3f9c -o disk.md`, `plimsoll report --charts pictures/`, "
    "`plimsoll report 3f9c --publish disk/`. The ending chooses the format: "
    ".html, .pdf (printed by Chromium or Chrome), .md, .json, .csv or .txt."
)
DEFAULT = "plimsoll-report.html"


def command(
    sessions: Sessions = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="File or address; the ending chooses the format."),
    ] = None,
    charts: Annotated[
        Path | None, typer.Option("--charts", metavar="DIR", help="Write every chart as SVG and PNG into this folder.")
    ] = None,
    publish: Annotated[
        str | None,
        typer.Option(
            "--publish", metavar="DIR", help="Write page, pictures, raw results and answers that anyone can recompute."
        ),
    ] = None,
    baseline: Baseline = None,
    slo: ImportedSlo = None,
    force: Force = False,
) -> None:
    """Write a report as one self-contained file. It is made from the stored runs."""
    from plimsoll.api.finding import evidence
    from plimsoll.cli.output import refuse_to_replace, say
    from plimsoll.remote import sent
    from plimsoll.report import build_document, chart_files, format_of, write, write_charts

    name = output or (None if charts or publish else DEFAULT)
    chosen = None if name is None else format_of(Path(name))
    refuse_to_replace(name, force)
    found = evidence(sessions, baseline, slo)
    if charts is not None:
        for picture in chart_files(build_document(found), charts):
            refuse_to_replace(picture, force)
    if name is not None and chosen is not None:
        with sent(name) as path:
            write(build_document(found), chosen, path)
        say(f"report: {name}")
    if charts is not None:
        say(f"{len(write_charts(build_document(found), charts))} pictures in {charts}")
    if publish is not None:
        _publish(found, publish, force)


def _publish(found: Evidence, place: str, force: bool) -> None:

    from plimsoll.cli.output import refuse_to_replace, say
    from plimsoll.drafts import scratch_folder
    from plimsoll.errors import UsageError
    from plimsoll.remote import is_remote, send_folder
    from plimsoll.report import publication
    from plimsoll.store import exchange
    from plimsoll.store.opening import open_store

    def write(folder: Path) -> None:
        with open_store() as store:
            exchange.export(store, [session.id for session in found.sessions], folder / publication.RESULTS)
        publication.write(found, folder)

    if is_remote(place):
        refuse_to_replace(f"{place.rstrip('/')}/{publication.PAGE}", force)
        with scratch_folder() as made:
            write(made)
            send_folder(made, place, publication.PAGE)
    else:
        folder = Path(place)
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())) and not force:
            raise UsageError(f"{folder} already exists and is not empty; choose another folder, or give --force")
        folder.mkdir(parents=True, exist_ok=True)
        write(folder)
    check = f"{place.rstrip('/')}/`" if is_remote(place) else f"{publication.RESULTS}` in that folder"
    say(f"published: {place}; anyone checks it with `plimsoll recompute {check}")
