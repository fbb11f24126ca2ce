"""Choosing targets of any sessions, and their comparison."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, Response
from markupsafe import Markup

from plimsoll.errors import UsageError
from plimsoll.model import Session
from plimsoll.report import Document
from plimsoll.store import comparisons, search
from plimsoll.store.comparisons import Saved
from plimsoll.store.tokens import Scope
from plimsoll.web import commands, comparison
from plimsoll.web.access import Reader, Visitor
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
    return shown(request, who, s, {"t": t, "base": base, "pool": pool, "band": band, "across": across})


def shown(
    request: Request, who: Visitor, s: list[str], chosen: dict[str, Any], kept: Saved | None = None
) -> HTMLResponse:
    """The page of a comparison; `chosen` are the parameters of its address, `kept` says under which id it is saved."""
    state = request.app.state
    asked = dict.fromkeys([*s, *(word.split(":", 1)[0] for word in chosen["t"])])
    sessions = [session_of(state.store, each) for each in asked]
    by_session = search.places(state.store, [each.id for each in sessions])
    offered = [
        (each, list(dict.fromkeys(place.target for place in by_session if place.session_id == each.id)))
        for each in sessions
    ]
    document: Document | None = None
    key: tuple[Hashable, ...] = ()
    error: UsageError | None = None
    try:
        if chosen["t"]:
            document, key = _known(request, **chosen)
    except UsageError as found:
        error = found
    again = query(**chosen)

    def report() -> Markup:
        return Markup() if document is None else shown_sections(document.sections, "/compare/charts", again)

    return page(
        request,
        "compare.html",
        400 if error else 200,
        error=error and str(error),
        offered=offered,
        chosen=chosen["t"],
        base=chosen["base"] or (chosen["t"][0] if chosen["t"] else ""),
        pool=chosen["pool"],
        band=chosen["band"] or "",
        across=" ".join(chosen["across"]),
        document=document,
        report=state.pages.get(("compare", again, *key), report),
        again=again,
        kept=kept,
        may_save=may_save(who),
        may_keep=who.may_keep,
        title=_title(chosen["t"], sessions),
        link=f"{state.settings.address}/c/{kept.id}" if kept else "",
        saved=[] if asked else comparisons.newest(state.store),
        command=commands.repeat_comparison(state.settings, again),
        here_command=commands.compare_here(
            sessions, chosen["band"] or "", chosen["across"], chosen["base"].partition(":")[2]
        ),
    )


def may_save(who: Visitor) -> bool:
    """Whether this visitor may save comparisons: whoever may send results."""
    return who.scope is not None and who.scope.allows(Scope.UPLOAD)


def _title(chosen: Sequence[str], sessions: Sequence[Session]) -> str:
    """What a saved comparison is called, unless somebody says otherwise."""
    targets = dict.fromkeys(each.partition(":")[2] for each in chosen)
    return f"{', '.join(targets)} of {', '.join(dict.fromkeys(each.title for each in sessions))}"[
        : comparisons.MAX_TITLE
    ]


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
