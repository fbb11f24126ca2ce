"""Pinning histories to the top of the list of sessions, for tokens that may merge."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse
from starlette.concurrency import run_in_threadpool

from plimsoll.store import histories
from plimsoll.store.pins import Pin, add_pin, remove_pin
from plimsoll.web.access import Keeper
from plimsoll.web.faults import NotHere
from plimsoll.web.pages.housekeeping import form_of
from plimsoll.web.rendering import query

router = APIRouter(prefix="/pins")


@router.post("")
async def add(request: Request, _who: Keeper) -> RedirectResponse:
    """Pin a history, and go back to it."""
    store, pin = request.app.state.store, _pin(await form_of(request))
    if not await run_in_threadpool(histories.works, store, pin.case, pin.target):
        raise NotHere("series", f"{pin.case} on {pin.target}")
    await run_in_threadpool(add_pin, store, pin)
    return RedirectResponse("/history" + query(case=pin.case, target=pin.target, host=pin.host), 303)


@router.post("/remove")
async def remove(request: Request, _who: Keeper) -> RedirectResponse:
    """Unpin a history, and go to the list."""
    await run_in_threadpool(remove_pin, request.app.state.store, _pin(await form_of(request)))
    return RedirectResponse("/", 303)


def _pin(form: dict[str, str]) -> Pin:
    return Pin(*(form.get(name, "")[:400] for name in ("case", "target", "host")))
