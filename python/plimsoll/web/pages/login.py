"""Logging in and out."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import parse_qs

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from plimsoll.units import DAY, SECOND
from plimsoll.web.access import COOKIE, Visitor, check_origin, identify, visitor
from plimsoll.web.rendering import page

router = APIRouter()

COOKIE_DAYS = 30


@router.get("/login", response_class=HTMLResponse)
def show(
    request: Request,
    who: Annotated[Visitor, Depends(visitor)],
    key: Annotated[str, Query(max_length=200)] = "",
    next: Annotated[str, Query(max_length=2000)] = "/",
) -> Response:
    """The form; or, with the key of the link that the server printed, straight to the pages."""
    request.state.visitor = who
    return _enter(request, key, next) if key else page(request, "login.html", next=_local(next), failed=False)


@router.post("/login", response_class=HTMLResponse)
async def log_in(request: Request) -> Response:
    """Check the token and remember it in a cookie."""
    check_origin(request)
    fields = parse_qs((await request.body()).decode("utf-8", "replace"), max_num_fields=4)
    token, following = (fields.get(name, [""])[0] for name in ("token", "next"))
    return await run_in_threadpool(_enter, request, token.strip(), following)


@router.post("/logout")
def log_out(request: Request) -> Response:
    """Forget the token."""
    check_origin(request)
    answer = RedirectResponse("/login", 303)
    answer.delete_cookie(COOKIE)
    return answer


def _enter(request: Request, token: str, following: str) -> Response:
    state = request.app.state
    if identify(state.store, state.settings, token, by_cookie=True).scope is None:
        state.limits.log_in_failed(request)
        return page(request, "login.html", 401, next=_local(following), failed=True)
    answer = RedirectResponse(_local(following), 303)
    # Lax, not strict: a link in a chat must open the page, and whatever changes something checks its origin.
    answer.set_cookie(
        COOKIE, token, max_age=COOKIE_DAYS * DAY // SECOND, httponly=True, samesite="lax", secure=state.settings.secure
    )
    return answer


def _local(address: str) -> str:
    """Only paths of this server: a log-in must not lead elsewhere."""
    fits = address.startswith("/") and not address.startswith("//") and "\\" not in address and address.isprintable()
    return address if fits else "/"
