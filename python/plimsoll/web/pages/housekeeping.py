"""What people say of a session: title, tags, note; and its removal. For tokens that may merge."""

from __future__ import annotations

from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse
from starlette.concurrency import run_in_threadpool

from plimsoll.errors import UsageError
from plimsoll.store import housekeeping
from plimsoll.store.names import short_id
from plimsoll.store.store import Store
from plimsoll.web.access import Keeper
from plimsoll.web.reports import session_of

router = APIRouter(prefix="/sessions/{session_id}")


def label(store: Store, session_id: str, title: str | None, tags: list[str] | None, note: str | None) -> None:
    """Change what is given, each by itself; the tags are all that it has afterwards."""
    found = session_of(store, session_id)
    if title is not None and title.strip() != found.title:
        housekeeping.set_title(store, found.id, title)
    if tags is not None:
        wanted = {tag.strip().lower() for tag in tags}
        housekeeping.change_tags(store, found.id, wanted - {*found.tags}, {*found.tags} - wanted)
    if note is not None:
        housekeeping.set_note(store, found.id, note.replace("\r\n", "\n"))


async def form_of(request: Request) -> dict[str, str]:
    """The first value of each field of a small form."""
    fields = parse_qs((await request.body()).decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=8)
    return {name: values[0] for name, values in fields.items()}


@router.post("/labels")
async def write(request: Request, _who: Keeper, session_id: str) -> RedirectResponse:
    """Take over the form."""
    form = await form_of(request)
    tags = form["tags"].replace(",", " ").split() if "tags" in form else None
    await run_in_threadpool(label, request.app.state.store, session_id, form.get("title"), tags, form.get("note"))
    return RedirectResponse(f"/sessions/{session_id}", 303)


@router.post("/delete")
async def remove(request: Request, _who: Keeper, session_id: str) -> RedirectResponse:
    """Remove a session with all its runs, where its short id was typed."""
    store = request.app.state.store
    typed = (await form_of(request)).get("confirm", "").strip()
    found = await run_in_threadpool(session_of, store, session_id)
    if typed != short_id(found.id):
        raise UsageError(f"nothing was deleted: to delete this session, type its short id, {short_id(found.id)}")
    await run_in_threadpool(housekeeping.delete_sessions, store, [found.id])
    return RedirectResponse("/", 303)
