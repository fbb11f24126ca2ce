"""The list of sessions, and the search in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse

from plimsoll.errors import UsageError
from plimsoll.model import SessionState
from plimsoll.store import search
from plimsoll.store.liveness import state_now
from plimsoll.store.store import Store
from plimsoll.web.access import Reader
from plimsoll.web.days import Day, begin_ns, end_ns
from plimsoll.web.pinned import baseline_lines
from plimsoll.web.rendering import page, query

router = APIRouter()

PAGE_LINES = 50
_CURSOR = re.compile(r"(\d{1,19}),([0-9a-f-]{36})")
WORD = 200
Word = Annotated[str, Query(max_length=WORD)]


@dataclass(frozen=True)
class Asked:
    """A search as it was typed."""

    text: Annotated[str, Query(max_length=WORD, description="Words in title, host, test, case, target or id.")] = ""
    test: Annotated[str, Query(max_length=WORD, description="A test, as randread.")] = ""
    target: Annotated[str, Query(max_length=WORD, description="Name of a target.")] = ""
    kind: Annotated[str, Query(max_length=WORD, description="Kind of a target, as directory.")] = ""
    host: Annotated[str, Query(max_length=WORD, description="Name of the host that measured.")] = ""
    tag: Annotated[str, Query(max_length=WORD, description="A tag.")] = ""
    since: Day = ""
    until: Day = ""

    def query(self) -> search.Query:
        """The search in base units; `until` includes its day. Raises UsageError for what is no day."""
        return search.Query(
            text=self.text,
            test=self.test,
            target=self.target,
            host=self.host,
            kind=self.kind,
            tag=self.tag,
            since_ns=begin_ns(self.since),
            until_ns=end_ns(self.until),
        )


def cursor(text: str) -> tuple[int, str] | None:
    """Start and id of the last session that was shown, as links carry it. Raises UsageError."""
    match = _CURSOR.fullmatch(text)
    if text and match is None:
        raise UsageError(f"{text!r} is not a place in the list; begin at its start")
    return None if match is None else (int(match[1]), match[2])


def cursor_text(line: search.Line) -> str:
    """The reverse of `cursor`."""
    return f"{line.started_ns},{line.id}"


@router.get("/", response_class=HTMLResponse)
def show(request: Request, who: Reader, asked: Annotated[Asked, Depends()], before: Word = "") -> HTMLResponse:
    """The newest sessions that fit, after what is pinned and the baselines where nothing is searched."""
    request.state.visitor = who
    state = request.app.state
    store = state.store
    lines = current(store, search.find_lines(store, asked.query(), cursor(before), PAGE_LINES + 1))
    filled: dict[str, Any] = {name: value for name, value in vars(asked).items() if value}
    first = not filled and not before
    named = baseline_lines(store) if first else {}
    more = len(lines) > PAGE_LINES
    return page(
        request,
        "sessions.html",
        lines=lines[:PAGE_LINES],
        answers=state.answers.of([*lines[:PAGE_LINES], *named.values()]),
        pinned=state.pinned.all() if first else [],
        baselines=named,
        may_keep=who.may_keep,
        asked=asked,
        searched=bool(filled),
        older_page=bool(before),
        newest=query(**filled),
        choices=search.choices(store),
        older=query(**filled, before=cursor_text(lines[PAGE_LINES - 1])) if more else "",
        address=state.settings.address,
    )


def current(store: Store, lines: Sequence[search.Line]) -> list[search.Line]:
    """The lines with the state that each session really has: its process may have died without a word."""
    return [_current(store, line) if line.state == SessionState.RUNNING else line for line in lines]


def _current(store: Store, line: search.Line) -> search.Line:
    found = search.get_session(store, line.id)
    if found is None:
        return line
    return replace(line, state=state_now(found, search.heard_ns(store, line.id)).value)
