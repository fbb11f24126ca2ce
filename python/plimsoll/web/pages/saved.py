"""Saved comparisons under short addresses that stay."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.concurrency import run_in_threadpool

from plimsoll.errors import UsageError
from plimsoll.store import comparisons, search
from plimsoll.store.comparisons import Saved
from plimsoll.store.names import short_id
from plimsoll.store.store import Store
from plimsoll.web.access import Keeper, Reader, Uploader
from plimsoll.web.faults import NotHere
from plimsoll.web.pages import compare
from plimsoll.web.pages.housekeeping import form_of
from plimsoll.web.rendering import page, query
from plimsoll.web.reports import session_of

router = APIRouter(prefix="/c")

_FIELDS = 64


@router.post("")
async def keep(request: Request, who: Uploader) -> RedirectResponse:
    """Save the comparison of a form, and go to it: for tokens that may upload."""
    form = await form_of(request)
    identity = await run_in_threadpool(_save, request.app.state.store, form, who.name)
    return RedirectResponse(f"/c/{identity}", 303)


def _save(store: Store, form: dict[str, str], by: str) -> str:
    chosen = _chosen(form.get("query", "").removeprefix("?"))
    full: dict[str, str] = {}
    for word in chosen["t"]:
        name = word.partition(":")[0]
        full[name] = session_of(store, name).id
    if not full:
        raise UsageError("choose what to compare first; then it can be saved")
    words = {word: f"{full[word.partition(':')[0]]}:{word.partition(':')[2]}" for word in chosen["t"]}
    chosen |= {"t": list(words.values()), "base": words.get(chosen["base"], "")}
    return comparisons.save(store, form.get("title", ""), query(**chosen), by)


@router.get("/{identity}", response_class=HTMLResponse)
def show(request: Request, who: Reader, identity: str) -> HTMLResponse:
    """A saved comparison as it is now; where sessions of it are gone, which, and what is left."""
    request.state.visitor = who
    store = request.app.state.store
    found = comparisons.saved(store, identity)
    if found is None:
        raise NotHere("saved comparison", identity)
    chosen = _chosen(found.query.removeprefix("?"))
    ids = list(dict.fromkeys(word.partition(":")[0] for word in chosen["t"]))
    there = {line.id for line in search.lines_of(store, ids)}
    if there != set(ids):
        return _without(request, found, chosen, [each for each in ids if each not in there])
    return compare.shown(request, who, [], chosen, found)


@router.post("/{identity}/delete")
async def remove(request: Request, _who: Keeper, identity: str) -> RedirectResponse:
    """Forget a saved comparison, and go to the others; the sessions stay."""
    if not await run_in_threadpool(comparisons.remove, request.app.state.store, identity):
        raise NotHere("saved comparison", identity)
    return RedirectResponse("/compare", 303)


def _without(request: Request, found: Saved, chosen: dict[str, Any], gone: list[str]) -> HTMLResponse:
    left = [word for word in chosen["t"] if word.partition(":")[0] not in gone]
    base = chosen["base"] if chosen["base"] in left else ""
    return page(
        request,
        "saved_gone.html",
        410,
        kept=found,
        may_keep=request.state.visitor.may_keep,
        gone=[short_id(each) for each in gone],
        left=left,
        rest=query(**chosen | {"t": left, "base": base}),
    )


def _chosen(text: str) -> dict[str, Any]:
    """The parameters of the page of a comparison from its query string. Raises UsageError."""
    try:
        given = parse_qs(text, max_num_fields=_FIELDS)
    except ValueError:
        raise UsageError("this is no comparison that the server made; choose it anew") from None
    return {
        "t": given.get("t", [])[: compare.MOST_SESSIONS],
        "base": given.get("base", [""])[0],
        "pool": given.get("pool", [""])[0].lower() in ("1", "true", "on", "yes"),
        "band": given.get("band", [""])[0][:10] or None,
        "across": given.get("across", [])[: compare.MOST_SESSIONS],
    }
