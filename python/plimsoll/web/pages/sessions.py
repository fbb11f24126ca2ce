"""The list of sessions, and the search in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse

from plimsoll.errors import UsageError
from plimsoll.store import search
from plimsoll.units import SECOND
from plimsoll.web.access import Reader
from plimsoll.web.rendering import page, query

router = APIRouter()

PAGE_LINES = 50
_CURSOR = re.compile(r"(\d{1,19}),([0-9a-f-]{36})")
WORD = 200
Word = Annotated[str, Query(max_length=WORD)]
Day = Annotated[str, Query(max_length=10, description="A day as 2026-11-21, in UTC; both ends are included.")]


@dataclass(frozen=True)
class Asked:
    """A search as it was typed."""

    text: Annotated[str, Query(max_length=WORD, description="Words in title, host, test, case, target or id.")] = ""
    test: Annotated[str, Query(max_length=WORD, description="A test, as randread.")] = ""
    target: Annotated[str, Query(max_length=WORD, description="Name of a target.")] = ""
    kind: Annotated[str, Query(max_length=WORD, description="Kind of a target, as directory.")] = ""
    host: Annotated[str, Query(max_length=WORD, description="Name of the host that measured.")] = ""
    since: Day = ""
    until: Day = ""

    def query(self) -> search.Query:
        """The search in base units; `until` includes its day. Raises UsageError for what is no day."""
        until = _day_ns(self.until)
        return search.Query(
            text=self.text,
            test=self.test,
            target=self.target,
            host=self.host,
            kind=self.kind,
            since_ns=_day_ns(self.since),
            until_ns=None if until is None else until + int(timedelta(days=1).total_seconds()) * SECOND,
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


def _day_ns(day: str) -> int | None:
    if not day:
        return None
    try:
        return int(datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC).timestamp()) * SECOND
    except ValueError:
        raise UsageError(f"{day!r} is not a day; write it like 2026-11-21") from None


@router.get("/", response_class=HTMLResponse)
def show(request: Request, who: Reader, asked: Annotated[Asked, Depends()], before: Word = "") -> HTMLResponse:
    """The newest sessions that fit."""
    request.state.visitor = who
    store = request.app.state.store
    lines = search.find_lines(store, asked.query(), cursor(before), PAGE_LINES + 1)
    filled: dict[str, Any] = {name: value for name, value in vars(asked).items() if value}
    more = len(lines) > PAGE_LINES
    return page(
        request,
        "sessions.html",
        lines=lines[:PAGE_LINES],
        answers=request.app.state.answers.of(lines[:PAGE_LINES]),
        asked=asked,
        searched=bool(filled),
        older_page=bool(before),
        newest=query(**filled),
        choices=search.choices(store),
        older=query(**filled, before=cursor_text(lines[PAGE_LINES - 1])) if more else "",
        address=request.app.state.settings.address,
    )
