"""The runs of a session, each run with its raw files, and latency heat maps."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, Response
from markupsafe import Markup

from plimsoll.errors import ResultFileError, UnknownName
from plimsoll.model import Run, RunStatus
from plimsoll.report.document import Chart, Section, text
from plimsoll.stats.histogram import decode
from plimsoll.store import search
from plimsoll.store.names import short_id
from plimsoll.store.store import Store
from plimsoll.web.access import Reader
from plimsoll.web.faults import NotHere
from plimsoll.web.files import attachment
from plimsoll.web.pages.session import picture_file
from plimsoll.web.pictures import Column, heat_map
from plimsoll.web.rendering import page
from plimsoll.web.reports import session_of
from plimsoll.web.reports import show as shown_sections
from plimsoll.web.run_sections import sections_of

router = APIRouter()

PAGE_RUNS = 500
MOST_CHARTS = 24
MOST_COLUMNS = 120


@router.get("/sessions/{session_id}/runs", response_class=HTMLResponse)
def listed(
    request: Request, who: Reader, session_id: str, start: Annotated[int, Query(ge=0, le=10**9)] = 0
) -> HTMLResponse:
    """All runs of a session."""
    request.state.visitor = who
    store = request.app.state.store
    found = session_of(store, session_id)
    lines = search.run_lines(store, found.id, start, PAGE_RUNS + 1)
    more = start + PAGE_RUNS if len(lines) > PAGE_RUNS else None
    return page(request, "runs.html", session=found, lines=lines[:PAGE_RUNS], more=more)


def run_of(store: Store, run_id: str) -> Run:
    """The run of this id. Raises NotHere."""
    found = search.get_run(store, run_id)
    if found is None:
        raise NotHere("run", run_id)
    return found


@router.get("/runs/{run_id}", response_class=HTMLResponse)
def show(request: Request, who: Reader, run_id: str) -> HTMLResponse:
    """Everything about one run."""
    request.state.visitor = who
    found = run_of(request.app.state.store, run_id)
    report = shown_sections(sections_of(found), f"/runs/{found.id}/charts")
    return page(request, "run.html", run=found, report=report)


@router.get("/runs/{run_id}/charts/{name}.{kind}")
def run_picture(request: Request, _who: Reader, run_id: str, name: str, kind: str) -> Response:
    """One of the pictures of a run."""
    found = run_of(request.app.state.store, run_id)
    return _picture(sections_of(found), name, kind, f"run-{short_id(found.id)}-{name}")


@router.get("/runs/{run_id}/files/{number}")
def raw_file(request: Request, _who: Reader, run_id: str, number: int) -> Response:
    """A raw file that was kept with a run, to be saved, never shown."""
    found = run_of(request.app.state.store, run_id)
    if not 0 <= number < len(found.artefacts):
        raise UnknownName("file", str(number), (str(place) for place in range(len(found.artefacts))))
    kept = found.artefacts[number]
    return attachment(kept.content, kept.name, "application/octet-stream")


@router.get("/sessions/{session_id}/latency", response_class=HTMLResponse)
def latency(request: Request, who: Reader, session_id: str) -> HTMLResponse:
    """Latency of every run of a session as heat maps."""
    request.state.visitor = who
    store = request.app.state.store
    found = session_of(store, session_id)
    runs = sum(place.runs for place in search.places(store, [found.id]))

    def report() -> Markup:
        return shown_sections([_heat_section(store, found.id)], f"/sessions/{found.id}/latency")

    shown = request.app.state.pages.get(("latency", found.id, runs), report)
    return page(request, "latency.html", session=found, report=shown)


@router.get("/sessions/{session_id}/latency/{name}.{kind}")
def heat_picture(request: Request, _who: Reader, session_id: str, name: str, kind: str) -> Response:
    """One of the heat maps."""
    store = request.app.state.store
    found = session_of(store, session_id)
    return _picture([_heat_section(store, found.id)], name, kind, f"{short_id(found.id)}-{name}")


def _picture(sections: list[Section], name: str, kind: str, file: str) -> Response:
    charts = {block.id: block for each in sections for block in each.blocks if isinstance(block, Chart)}
    if name not in charts:
        raise UnknownName("picture", name, charts)
    return picture_file(charts[name].svg(), kind, file)


def _heat_section(store: Store, session_id: str) -> Section:
    """A heat map per case, target and kind of operation: a column per valid run, in the order of time."""
    groups: dict[tuple[str, str, str], list[bytes]] = {}
    for case, target, kind, _, status, encoded in search.histogram_rows(store, session_id):
        if status == RunStatus.OK:
            groups.setdefault((case, target, kind), []).append(encoded)
    charts = []
    for place, ((case, target, kind), parts) in enumerate(list(groups.items())[:MOST_CHARTS]):
        found = []
        for number, encoded in enumerate(parts[:MOST_COLUMNS], 1):
            try:
                found.append(Column(str(number), decode(encoded)))
            except ResultFileError:
                continue
        charts.append(heat_map(f"heat-{place}", f"{case} on {target}: {kind} latency", found, "valid run"))
    if not charts:
        return Section("heat", "Latency of every run", (text("No valid run of this session has a histogram."),))
    words = ["One column per valid run, in the order in which they ran; the stronger the colour, the more operations."]
    if len(groups) > MOST_CHARTS:
        words.append(f"Pictures for the first {MOST_CHARTS} of {len(groups)} kinds of operations.")
    return Section("heat", "Latency of every run", (text(*words), *charts))
