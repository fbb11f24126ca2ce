"""A session: its report, its pictures, its files."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from markupsafe import Markup

from plimsoll.errors import UnknownName
from plimsoll.model import Session, SessionState
from plimsoll.report import PNG_SCALE, formats, render
from plimsoll.report.document import Document
from plimsoll.report.sections.method import study_text
from plimsoll.store import search
from plimsoll.store.names import short_id
from plimsoll.store.result_file import SUFFIX
from plimsoll.store.store import Store
from plimsoll.web import commands, progress
from plimsoll.web.access import Reader
from plimsoll.web.files import attachment, exported
from plimsoll.web.rendering import page
from plimsoll.web.reports import WHOLE_REPORT_RUNS, Reports, session_of

router = APIRouter(prefix="/sessions/{session_id}")

MOST_LINKS = 24
Baseline = Annotated[str | None, Query(max_length=200, description="Target that others are compared with.")]


@router.get("", response_class=HTMLResponse)
def show(request: Request, who: Reader, session_id: str, baseline: Baseline = None, whole: bool = False) -> Response:
    """The report of a session."""
    request.state.visitor = who
    state = request.app.state
    found = session_of(state.store, session_id)
    if found.id != session_id:
        return RedirectResponse(f"/sessions/{found.id}", 302)
    places = search.places(state.store, [found.id])
    runs = sum(place.runs for place in places)
    short = runs > WHOLE_REPORT_RUNS and not whole
    targets = list(dict.fromkeys([*found.target_names, *(place.target for place in places)]))
    reports: Reports = state.reports
    document = reports.document(found, baseline, short=short)
    return page(
        request,
        "session.html",
        session=found,
        heading=document.title,
        subtitle=document.subtitle,
        report=reports.page(found, baseline, short=short),
        short=short,
        runs=runs,
        targets=[name for name in targets if any(place.target == name for place in places)],
        baseline=baseline,
        series=places[:MOST_LINKS],
        may_keep=who.may_keep,
        command=commands.repeat_session(state.settings, found),
        progress=_progress(state.store, found) if found.state is SessionState.RUNNING else "",
    )


def _progress(store: Store, found: Session) -> Markup:
    """How far a running session is."""
    state = progress.state_of(store, found.id)
    return Markup() if state is None else Markup(progress.fragment(store, found.id, state))


@router.get("/charts/{name}.{kind}")
def picture(
    request: Request, _who: Reader, session_id: str, name: str, kind: str, baseline: Baseline = None
) -> Response:
    """One picture of the report."""
    state = request.app.state
    found = session_of(state.store, session_id)
    return chart(state.reports.document(found, baseline), name, kind, f"{short_id(found.id)}-{name}")


def chart(document: Document, name: str, kind: str, file: str) -> Response:
    """A chart of a document as a file. Raises UnknownName."""
    wanted = next((each for each in document.charts if each.id == name), None)
    if wanted is None:
        raise UnknownName("picture", name, (each.id for each in document.charts))
    return picture_file(wanted.svg(), kind, file)


def picture_file(svg: str, kind: str, file: str) -> Response:
    """An SVG as it is, or as PNG. Raises UnknownName for another kind."""
    if kind == "svg":
        return attachment(svg.encode(), f"{file}.svg", "image/svg+xml", inline=True)
    if kind != "png":
        raise UnknownName("kind of picture", kind, ("svg", "png"))
    import vl_convert

    return attachment(vl_convert.svg_to_png(svg, scale=PNG_SCALE), f"{file}.png", "image/png", inline=True)


@router.get("/download/{what}")
def download(request: Request, _who: Reader, session_id: str, what: str, baseline: Baseline = None) -> Response:
    """The result file, the study file, or the report in one of its formats."""
    state = request.app.state
    found: Session = session_of(state.store, session_id)
    name = f"plimsoll-{short_id(found.id)}"
    if what == "results":
        return exported(state.store, [found.id], f"{name}{SUFFIX}")
    if what == "study" and found.study:
        return attachment(study_text(found.study).encode(), f"{name}.toml", "application/toml")
    if what not in formats():
        raise UnknownName("download", what, ["results", "study", *formats()])
    text = render(state.reports.document(found, baseline), what)
    return attachment(text.encode(), name + formats()[what].SUFFIX, "application/octet-stream")
