"""Puts the server together: pages, API, limits and the answers to errors."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect

from plimsoll import __version__, plugins
from plimsoll.errors import PlimsollError
from plimsoll.store.store import Store
from plimsoll.web.answers import Answers
from plimsoll.web.faults import Refused, status_of
from plimsoll.web.intake.service import UploadService
from plimsoll.web.limits import Limits
from plimsoll.web.live import Live
from plimsoll.web.pinned import PinnedHistories
from plimsoll.web.rendering import page, prepare
from plimsoll.web.reports import Reports, kept_pages
from plimsoll.web.request_counts import RequestCounts
from plimsoll.web.security import SecurityMiddleware
from plimsoll.web.settings import Settings

API = "/api/v1"


def create_app(store: Store, settings: Settings) -> FastAPI:
    """The server over one open store, which stays open when it ends."""
    app = FastAPI(
        title="Plimsoll",
        version=__version__,
        summary="Results of storage tests: sessions, runs, comparisons, history; and uploads.",
        # FastAPI's own pages load scripts from elsewhere; ours, at /docs and /api, show the same without any.
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=_lifespan,
    )
    app.state.store, app.state.settings = store, settings
    app.state.limits, app.state.pages = Limits(settings), kept_pages()
    app.state.reports = Reports(store, app.state.pages)
    app.state.answers, app.state.pinned = Answers(store), PinnedHistories(store)
    app.state.uploads, app.state.requests = UploadService(store, settings, app.state.answers.judge), RequestCounts()
    app.state.live = Live(store)
    for module in plugins.modules("plimsoll.web.pages"):
        app.include_router(module.router, include_in_schema=False)
    for module in plugins.modules("plimsoll.web.api"):
        app.include_router(module.router, prefix=API)
    # The last one added is the first that sees a request.
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(settings.hosts), www_redirect=False)
    app.add_middleware(SecurityMiddleware, settings=settings, counts=app.state.requests)
    app.add_exception_handler(PlimsollError, _explain)
    app.add_exception_handler(HTTPException, _explain)
    app.add_exception_handler(RequestValidationError, _explain)
    app.add_exception_handler(ClientDisconnect, _gone)
    app.add_exception_handler(Exception, _unforeseen)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    prepare()
    yield
    app.state.uploads.close()


def _explain(request: Request, error: Exception) -> Response:
    """An error as a page, or as JSON where a program asked."""
    extra: dict[str, str] = {}
    if isinstance(error, PlimsollError):
        status, words = status_of(error), str(error)
        extra = error.headers if isinstance(error, Refused) else {}
    elif isinstance(error, HTTPException):
        status, words = error.status_code, str(error.detail)
        extra = dict(error.headers or {})
    else:
        assert isinstance(error, RequestValidationError)
        status, words = 422, "; ".join(_fault(each) for each in error.errors()[:5])
    return _answer(request, status, words, extra)


def _fault(error: Any) -> str:
    """One fault of a request, without what was sent: it may be long, or a secret."""
    return f"{'.'.join(str(part)[:40] for part in error['loc'])}: {error['msg']}"


def _gone(_request: Request, _error: Exception) -> Response:
    """Nobody is there to read it; without it, every client that goes would leave its trace in the log."""
    return Response(status_code=400)


def _unforeseen(request: Request, _error: Exception) -> Response:
    return _answer(request, 500, "Internal error; the server's log says more. Nothing was changed.", {})


def _answer(request: Request, status: int, words: str, headers: dict[str, str]) -> Response:
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": words}, status, headers)
    if status == 408:
        # Many come at once, and hardly one of them is read.
        return PlainTextResponse(f"{words}\n", status, headers)
    heading = HTTPStatus(status).phrase
    following = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    answer = page(request, "message.html", status, heading=heading, words=words, next=following)
    answer.headers.update(headers)
    return answer
