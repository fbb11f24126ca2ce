"""Choosing targets of any sessions, and their comparison."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, Response
from markupsafe import Markup

from plimsoll.errors import UsageError
from plimsoll.report import Document
from plimsoll.store import search
from plimsoll.web import comparison
from plimsoll.web.access import Reader
from plimsoll.web.lru_cache import LruCache
from plimsoll.web.pages.session import chart
from plimsoll.web.rendering import page, query
from plimsoll.web.reports import session_of
from plimsoll.web.reports import show as shown_sections

router = APIRouter(prefix="/compare")

MOST_SESSIONS = 20
Sessions = Annotated[list[str], Query(max_length=MOST_SESSIONS, description="Sessions to choose targets from.")]
Targets = Annotated[list[str], Query(max_length=MOST_SESSIONS, description="SESSION:TARGET; repeat.")]
Base = Annotated[str, Query(max_length=300, description="The one of them that others are compared with.")]
Band = Annotated[str | None, Query(max_length=10, description="Differences up to this count as the same: 10%.")]
Across = Annotated[
    list[str], Query(max_length=MOST_SESSIONS, description="Parameters to compare, not to hold equal: scale; repeat.")
]
Pool = Annotated[bool, Query(description="Whether targets of one name are one target, over all sessions.")]

_documents: LruCache[Document] = LruCache(8)


def document_of(request: Request, t: list[str], base: str, pool: bool, band: str | None, across: list[str]) -> Document:
    """The comparison of the chosen targets."""
    return _known(request, t, base, pool, band, across)[0]


def _known(
    request: Request, t: list[str], base: str, pool: bool, band: str | None, across: list[str]
) -> tuple[Document, tuple[Hashable, ...]]:
    """The comparison, and what it is known by as long as it stays the same."""
    ordered = [base, *(each for each in t if each != base)] if base in t else t
    choices = comparison.parse_choices(ordered)
    store = request.app.state.store
    sessions = list(dict.fromkeys(choice.session_id for choice in choices))
    runs = sum(place.runs for place in search.places(store, sessions))
    across = list(dict.fromkeys(word for each in across for word in each.replace(",", " ").split()))
    titles = tuple(found.title for found in (search.get_session(store, each) for each in sessions) if found)
    key = (id(store), titles, tuple(choices), pool, band, tuple(across), runs)

    def build() -> Document:
        return comparison.build(comparison.collect(store, choices, pool=pool), band or None, across)

    return _documents.get(key, build), key


@router.get("", response_class=HTMLResponse)
def show(
    request: Request,
    who: Reader,
    s: Sessions = [],  # noqa: B006 - FastAPI copies it
    t: Targets = [],  # noqa: B006
    base: Base = "",
    pool: Pool = False,
    band: Band = None,
    across: Across = [],  # noqa: B006
) -> HTMLResponse:
    """The comparison; without targets, the form to choose them."""
    request.state.visitor = who
    store = request.app.state.store
    asked = dict.fromkeys([*s, *(word.split(":", 1)[0] for word in t)])
    sessions = [session_of(store, each) for each in asked]
    by_session = search.places(store, [each.id for each in sessions])
    offered = [
        (each, list(dict.fromkeys(place.target for place in by_session if place.session_id == each.id)))
        for each in sessions
    ]
    document: Document | None = None
    key: tuple[Hashable, ...] = ()
    error: UsageError | None = None
    try:
        if t:
            document, key = _known(request, t, base, pool, band, across)
    except UsageError as found:
        error = found
    again = query(t=t, base=base, pool=pool, band=band, across=across)

    def report() -> Markup:
        return Markup() if document is None else shown_sections(document.sections, "/compare/charts", again)

    return page(
        request,
        "compare.html",
        400 if error else 200,
        error=error and str(error),
        offered=offered,
        chosen=t,
        base=base or (t[0] if t else ""),
        pool=pool,
        band=band or "",
        across=" ".join(across),
        document=document,
        report=request.app.state.pages.get(("compare", again, *key), report),
    )


@router.get("/charts/{name}.{kind}")
def picture(
    request: Request,
    _who: Reader,
    name: str,
    kind: str,
    t: Targets = [],  # noqa: B006
    base: Base = "",
    pool: Pool = False,
    band: Band = None,
    across: Across = [],  # noqa: B006
) -> Response:
    """One picture of a comparison."""
    return chart(document_of(request, t, base, pool, band, across), name, kind, f"compare-{name}")
