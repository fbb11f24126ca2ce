"""A running session as server-sent events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import ExitStack

from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse
from starlette.concurrency import run_in_threadpool

from plimsoll.store.tokens import Scope
from plimsoll.web.access import Reader, needs, visitor
from plimsoll.web.faults import NotAllowed, Refused
from plimsoll.web.limits import client_of
from plimsoll.web.live import Live
from plimsoll.web.reports import session_of
from plimsoll.web.security import HEAD_ONLY

router = APIRouter(prefix="/sessions/{session_id}/events")

KIND = "text/event-stream"
# Proxies must hand on each event as it comes.
HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}


@router.get("")
async def stream(request: Request, _who: Reader, session_id: str) -> Response:
    """`progress` with a part of the page, as a JSON string, whenever there are new runs; `ended` at the end."""
    live: Live = request.app.state.live
    found = await run_in_threadpool(session_of, request.app.state.store, session_id)
    if getattr(request.state, HEAD_ONLY, False):
        return Response(headers=HEADERS, media_type=KIND)
    with ExitStack() as entered:
        entered.enter_context(live.place(client_of(request)))
        leave = entered.pop_all().close

    async def sent() -> AsyncIterator[str]:
        try:
            async for event in live.events(found.id, may_read):
                yield event
        finally:
            leave()

    async def may_read() -> bool:
        try:
            await run_in_threadpool(lambda: needs(Scope.READ)(request, visitor(request)))
        except (NotAllowed, Refused):
            return False
        return True

    return StreamingResponse(sent(), headers=HEADERS, media_type=KIND)
