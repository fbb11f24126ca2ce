"""Sending results: begin, send in parts, finish. Whoever repeats any step gets the same."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool

from plimsoll.store import uploads
from plimsoll.web.access import Reader, Uploader
from plimsoll.web.faults import NotAllowed
from plimsoll.web.intake.service import Outcome, UploadService
from plimsoll.web.intake.spool import Part
from plimsoll.web.limits import client_of
from plimsoll.web.settings import CHUNK_BYTES

router = APIRouter(tags=["uploads"])


class Announcement(BaseModel):
    """A file that is to be sent."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=uploads.MAX_NAME, description="File name, for messages only.")
    size_bytes: int = Field(ge=0)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$", description="Of the whole file.")
    target: str = Field(
        default="", max_length=40, description="Name of the target, for files of other tools (`plimsoll import --as`)."
    )


class State(BaseModel):
    """Where an upload stands."""

    id: str
    offset: int = Field(description="Bytes that have arrived; the next part begins here.")
    size_bytes: int
    chunk_bytes: int = Field(description="Most bytes in one part.")
    known: bool = Field(description="This very file was taken in before: nothing need be sent.")


class Taken(BaseModel):
    """An upload that was taken in."""

    message: str
    sessions: list[str] = Field(description="Addresses of the sessions in the file.")
    new_sessions: int
    new_runs: int
    already_there: int
    says: list[str] = Field(description="What was noticed while reading files of other tools.")


class Noted(BaseModel):
    """A line of the audit."""

    id: str
    received_ns: int
    token_name: str
    client: str
    file_name: str
    size_bytes: int
    sha256: str
    accepted: bool
    message: str
    new_sessions: int
    new_runs: int
    already_there: int


def _service(request: Request) -> UploadService:
    found: UploadService = request.app.state.uploads
    return found


def _state(request: Request, part: Part, *, known: bool = False) -> State:
    offset = part.size_bytes if known else _service(request).spool.offset(part)
    return State(id=part.id, offset=offset, size_bytes=part.size_bytes, chunk_bytes=CHUNK_BYTES, known=known)


def taken(request: Request, outcome: Outcome) -> Taken:
    """The answer to a finished upload."""
    address = request.app.state.settings.address
    return Taken(
        message=outcome.message,
        sessions=[f"{address}/sessions/{each}" for each in outcome.sessions],
        new_sessions=outcome.new_sessions,
        new_runs=outcome.new_runs,
        already_there=outcome.already_there,
        says=list(outcome.says),
    )


@router.post("/uploads", status_code=201)
def begin(request: Request, who: Uploader, announced: Announcement) -> State:
    """Begin an upload, or find where the same one ended before."""
    request.app.state.limits.upload_begun(who.token_id)
    if uploads.is_known(request.app.state.store, who.token_id, announced.sha256):
        part = Part("known", who.token_id, announced.name, "", announced.sha256, announced.size_bytes)
        return _state(request, part, known=True)
    spool = _service(request).spool
    part = spool.begin(who.token_id, announced.name, announced.target, announced.sha256, announced.size_bytes)
    return _state(request, part)


@router.get("/uploads/{upload_id}")
def look(request: Request, who: Uploader, upload_id: str) -> State:
    """Where an upload stands."""
    return _state(request, _service(request).spool.find(upload_id, who.token_id))


@router.patch("/uploads/{upload_id}")
async def send(
    request: Request,
    who: Uploader,
    upload_id: str,
    upload_offset: Annotated[int, Header(ge=0, description="Where these bytes begin.")],
) -> State:
    """Send the next part: at most `chunk_bytes` bytes, as they are. 409 with Upload-Offset where they do not fit."""
    part = await run_in_threadpool(_service(request).spool.find, upload_id, who.token_id)
    content = await request.body()
    await run_in_threadpool(_service(request).spool.append, part, upload_offset, content)
    return await run_in_threadpool(_state, request, part)


@router.post("/uploads/{upload_id}/finish")
def finish(request: Request, who: Uploader, upload_id: str) -> Taken:
    """Check the file and add it to the store; it may take minutes. 422 says why a file is refused."""
    part = _service(request).spool.find(upload_id, who.token_id)
    return taken(request, _service(request).finish(part, who, client_of(request)))


@router.delete("/uploads/{upload_id}", status_code=204)
def forget(request: Request, who: Uploader, upload_id: str) -> None:
    """Give up an upload that is under way."""
    _service(request).spool.drop(_service(request).spool.find(upload_id, who.token_id))


@router.get("/uploads")
def audit(request: Request, who: Reader) -> list[Noted]:
    """The newest hundred uploads, refused ones too. Needs a token, also where everyone may read."""
    if who.scope is None:
        raise NotAllowed(401, "the list of uploads is for people with a token; log in first")
    names = set(Noted.model_fields)
    rows = uploads.listed(request.app.state.store)
    return [Noted(**{name: value for name, value in row.items() if name in names}) for row in rows]
