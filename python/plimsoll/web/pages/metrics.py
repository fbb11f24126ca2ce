"""What Prometheus collects."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from plimsoll.web.access import Reader
from plimsoll.web.faults import NotAllowed
from plimsoll.web.prometheus import text_of

router = APIRouter()

KIND = "text/plain; version=0.0.4; charset=utf-8"


@router.get("/metrics")
def show(request: Request, who: Reader) -> Response:
    """The state of the server. Needs a token that may read, also where everyone may: use of it is nobody else's."""
    if who.scope is None:
        raise NotAllowed(401, "the metrics of the server are for people with a token; log in first")
    state = request.app.state
    return Response(text_of(state.store, state.pinned.all(), state.requests), media_type=KIND)
