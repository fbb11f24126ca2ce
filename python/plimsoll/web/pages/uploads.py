"""Uploading in the browser, and the list of what was uploaded."""

from __future__ import annotations

import hashlib
from typing import Any, BinaryIO

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from plimsoll.errors import PlimsollError, UsageError
from plimsoll.store import uploads
from plimsoll.store.tokens import Scope
from plimsoll.web.access import Reader, Uploader, Visitor
from plimsoll.web.faults import status_of
from plimsoll.web.intake.service import Outcome, UploadService
from plimsoll.web.limits import client_of
from plimsoll.web.rendering import page
from plimsoll.web.settings import CHUNK_BYTES

router = APIRouter(prefix="/uploads")


@router.get("", response_class=HTMLResponse)
def show(request: Request, who: Reader) -> HTMLResponse:
    """The form and the list."""
    return _page(request, who)


def _page(request: Request, who: Visitor, status: int = 200, **values: Any) -> HTMLResponse:
    request.state.visitor = who
    state = request.app.state
    return page(
        request,
        "uploads.html",
        status,
        may_send=who.scope is not None and who.scope.allows(Scope.UPLOAD),
        audit=uploads.listed(state.store) if who.scope is not None else None,
        largest=state.settings.upload_bytes,
        address=state.settings.address,
        **{"outcome": None, "error": None, **values},
    )


@router.post("", response_class=HTMLResponse)
async def send(request: Request, who: Uploader) -> HTMLResponse:
    """Take one file from the form."""
    try:
        async with request.form(max_files=1, max_fields=4) as form:
            file = form.get("file")
            if not isinstance(file, UploadFile) or not file.filename:
                raise UsageError("no file was chosen; choose one and send it again")
            target = str(form.get("target") or "").strip()[:40]
            outcome = await run_in_threadpool(_take, request, who, file.filename, target, file.file)
    except PlimsollError as error:
        return await run_in_threadpool(_page, request, who, status_of(error), error=str(error))
    return await run_in_threadpool(_page, request, who, outcome=outcome)


def _take(request: Request, who: Visitor, name: str, target: str, file: BinaryIO) -> Outcome:
    """From the temporary file of the form to the store, in the same steps as an upload in parts."""
    request.app.state.limits.upload_begun(who.token_id)
    service: UploadService = request.app.state.uploads
    digest = hashlib.sha256()
    while content := file.read(CHUNK_BYTES):
        digest.update(content)
    part = service.spool.begin(who.token_id, name[: uploads.MAX_NAME], target, digest.hexdigest(), file.tell())
    offset = file.seek(service.spool.offset(part))
    while content := file.read(CHUNK_BYTES):
        offset = service.spool.append(part, offset, content)
    return service.finish(part, who, client_of(request))
