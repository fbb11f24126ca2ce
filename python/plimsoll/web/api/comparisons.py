"""Comparisons, histories and environments."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from plimsoll.report.renderers.json import as_json
from plimsoll.store import histories
from plimsoll.web.access import Reader
from plimsoll.web.history import Level, Session
from plimsoll.web.pages.compare import Across, Band, Base, Pool, Targets, document_of
from plimsoll.web.pages.diff import groups_of
from plimsoll.web.pages.history import Asked, find
from plimsoll.web.reports import session_of

router = APIRouter(tags=["comparisons"])


@router.get("/compare", response_class=JSONResponse)
def compare(
    request: Request,
    _who: Reader,
    t: Targets,
    base: Base = "",
    pool: Pool = False,
    band: Band = None,
    across: Across = [],  # noqa: B006 - FastAPI copies it
) -> Any:
    """Targets of any sessions side by side, as a report; its first section says what can be compared and why."""
    return JSONResponse(as_json(document_of(request, t, base, pool, band, across)))


class History(BaseModel):
    """One metric of one case on one target over time."""

    case: str
    target: str
    metric: str
    unit: str
    direction: str
    plan: str
    host: str
    plans: list[str]
    metrics: list[str]
    sessions: tuple[Session, ...]
    levels: tuple[Level, ...]


@router.get("/series")
def series(
    request: Request,
    _who: Reader,
    text: Annotated[str, Query(max_length=200, description="Words in the case or the target.")] = "",
) -> list[histories.Series]:
    """The cases and targets with the most sessions."""
    return histories.series(request.app.state.store, text)


@router.get("/history")
def history(request: Request, _who: Reader, asked: Annotated[Asked, Depends()]) -> History:
    """A point per session (the median of its valid runs) and the levels between change points."""
    found = find(request.app.state.store, asked)
    names = ("case", "target", "metric", "unit", "direction", "plan", "host")
    return History(
        **{name: getattr(found, name) for name in names},
        plans=[plan for plan, _, _ in found.plans],
        metrics=list(found.metrics),
        sessions=found.sessions,
        levels=found.levels,
    )


class Fact(BaseModel):
    """A fact of two sessions; null where it is not told."""

    name: str
    one: str | None
    other: str | None
    differs: bool


class Group(BaseModel):
    """Facts of one thing."""

    title: str
    facts: list[Fact]


@router.get("/diff")
def diff(
    request: Request,
    _who: Reader,
    one: Annotated[str, Query(max_length=200, description="A session.")],
    other: Annotated[str, Query(max_length=200, description="Another one.")],
) -> list[Group]:
    """The environments of two sessions, fact by fact."""
    store = request.app.state.store
    groups = groups_of(store, session_of(store, one), session_of(store, other))
    return [
        Group(
            title=group.title,
            facts=[Fact(name=each.name, one=each.one, other=each.other, differs=each.differs) for each in group.facts],
        )
        for group in groups
    ]
