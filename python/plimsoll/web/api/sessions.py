"""Sessions, their runs and reports."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from plimsoll.model import RunStatus
from plimsoll.report.renderers.json import as_json
from plimsoll.store import housekeeping, search
from plimsoll.store.records import host_name
from plimsoll.store.store import Store
from plimsoll.web.access import Keeper, Reader
from plimsoll.web.answers import Told
from plimsoll.web.faults import NotHere
from plimsoll.web.pages.housekeeping import label
from plimsoll.web.pages.runs import run_of
from plimsoll.web.pages.session import Baseline
from plimsoll.web.pages.sessions import Asked, current, cursor, cursor_text
from plimsoll.web.reports import session_of

router = APIRouter(tags=["sessions"])


class Place(BaseModel):
    """What a session ran of one plan on one target."""

    test: str
    case: str
    target: str
    target_kind: str
    plan_hash: str
    runs: int
    valid_runs: int


class Verdict(BaseModel):
    """What a session found of one target, as counts of its comparisons; its report has each of them."""

    target: str = Field(description="Empty where nothing is compared.")
    baseline: str
    answer: str | None = Field(description="better, worse, same or unknown, where all comparisons say it; else null.")
    words: str = Field(description="As `3 worse, 1 undecided`, or why nothing is compared.")


class Line(BaseModel):
    """A session in a list. Times are ns since 1970; a start of 0 is unknown."""

    id: str
    title: str
    started_ns: int
    ended_ns: int | None
    state: str
    host: str
    places: list[Place]


class Judged(Line):
    """A session in a list, with what it found."""

    verdicts: list[Verdict]


class Lines(BaseModel):
    """A page of sessions, newest first."""

    sessions: list[Judged]
    before: str | None = Field(description="Give it as `before` for the next page; null at the end.")


class Whole(Line):
    """A session with its host facts and its study."""

    plimsoll_version: str
    policy_version: int
    host_facts: dict[str, Any]
    study: dict[str, Any]
    tags: list[str]
    note: str


class Labels(BaseModel):
    """What is to be said of a session; what is left out stays."""

    model_config = ConfigDict(extra="forbid")

    title: str | None = Field(default=None, max_length=200)
    tags: list[str] | None = Field(default=None, max_length=100, description="All that it has afterwards.")
    note: str | None = Field(default=None, max_length=20_000)


class RunLine(BaseModel):
    """A run without its raw material; `GET /runs/{run_id}` has more, the result file of the session has all."""

    id: str
    case: str
    target: str
    block: int
    order: int
    attempt: int
    started_ns: int
    status: RunStatus
    reason: str


def _line(found: search.Line) -> Line:
    return Line(
        id=found.id,
        title=found.title,
        started_ns=found.started_ns,
        ended_ns=found.ended_ns,
        state=found.state,
        host=found.host,
        places=[_place(place) for place in found.places],
    )


def _place(found: search.Place) -> Place:
    return Place(
        test=found.test,
        case=found.case,
        target=found.target,
        target_kind=found.kind,
        plan_hash=found.plan_hash,
        runs=found.runs,
        valid_runs=found.valid,
    )


def _verdict(found: Told) -> Verdict:
    answer = None if found.answer is None else found.answer.value
    return Verdict(target=found.target, baseline=found.baseline, answer=answer, words=found.words)


@router.get("/sessions")
def sessions(
    request: Request,
    _who: Reader,
    asked: Annotated[Asked, Depends()],
    before: Annotated[str, Query(max_length=60, description="From the page before.")] = "",
    limit: Annotated[int, Query(ge=1, le=500, description="Most sessions of one answer.")] = 50,
) -> Lines:
    """Search sessions: every condition that is given must hold."""
    store = request.app.state.store
    found = current(store, search.find_lines(store, asked.query(), cursor(before), limit + 1))
    following = cursor_text(found[limit - 1]) if len(found) > limit else None
    answers = request.app.state.answers.of(found[:limit])
    lines = [
        Judged(**vars(_line(each)), verdicts=[_verdict(told) for told in answers[each.id].told])
        for each in found[:limit]
    ]
    return Lines(sessions=lines, before=following)


@router.get("/sessions/{session_id}")
def session(request: Request, _who: Reader, session_id: str) -> Whole:
    """One session, by full id, short id or title."""
    store: Store = request.app.state.store
    found = session_of(store, session_id)
    places = search.places(store, [found.id])
    return Whole(
        id=found.id,
        title=found.title,
        started_ns=found.started_ns,
        ended_ns=found.ended_ns,
        state=found.state.value,
        host=host_name(found) or "",
        places=[_place(place) for place in places],
        plimsoll_version=found.plimsoll_version,
        policy_version=found.policy_version,
        host_facts=found.host,
        study=found.study,
        tags=list(found.tags),
        note=found.note,
    )


@router.patch("/sessions/{session_id}")
def change(request: Request, who: Keeper, session_id: str, labels: Labels) -> Whole:
    """Change title, tags or note, with a token that may merge; runs never change."""
    found = session_of(request.app.state.store, session_id)
    label(request.app.state.store, found.id, labels.title, labels.tags, labels.note)
    return session(request, who, found.id)


@router.delete("/sessions/{session_id}", status_code=204)
def remove(request: Request, _who: Keeper, session_id: str) -> None:
    """Remove a session, named by its full id, with all its runs, with a token that may merge."""
    store: Store = request.app.state.store
    if search.get_session(store, session_id) is None:
        raise NotHere("session", session_id)
    housekeeping.delete_sessions(store, [session_id])


@router.get("/sessions/{session_id}/report", response_class=JSONResponse)
def report(request: Request, _who: Reader, session_id: str, baseline: Baseline = None) -> JSONResponse:
    """The report of a session, the same as `plimsoll report -o report.json`."""
    state = request.app.state
    return JSONResponse(as_json(state.reports.document(session_of(state.store, session_id), baseline)))


@router.get("/sessions/{session_id}/runs")
def runs(
    request: Request,
    _who: Reader,
    session_id: str,
    start: Annotated[int, Query(ge=0, le=10**9, description="How many runs to leave out.")] = 0,
    limit: Annotated[int, Query(ge=1, le=5000, description="Most runs of one answer.")] = 500,
) -> list[RunLine]:
    """The runs of a session in the order in which they began."""
    store: Store = request.app.state.store
    found = session_of(store, session_id)
    return [RunLine(**line._asdict()) for line in search.run_lines(store, found.id, start, limit)]


@router.get("/runs/{run_id}")
def run(request: Request, _who: Reader, run_id: str) -> dict[str, Any]:
    """A run with scores, findings, intervals and facts; histograms and raw files are in the result file."""
    found = run_of(request.app.state.store, run_id)
    kept = [{"name": each.name, "sha256": each.sha256, "size_bytes": len(each.content)} for each in found.artefacts]
    return {
        **found.model_dump(mode="json", exclude={"histograms", "artefacts"}),
        "plan_hash": found.plan.hash,
        "artefacts": kept,
    }
