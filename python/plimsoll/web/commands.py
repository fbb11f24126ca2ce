"""Command lines that do again what a page shows. They hold no token, only the name of the variable that does."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from plimsoll.model import Session
from plimsoll.store.names import short_id
from plimsoll.web.settings import Settings

_TOKEN = '-H "Authorization: Bearer $PLIMSOLL_TOKEN" '


def repeat_session(settings: Settings, found: Session) -> str:
    """Fetches the study of a session and runs it; nothing where it cannot be repeated so."""
    # A front end's command line names files and options of its own; nobody but who typed it knows all of it.
    if not found.study or {"imported", "front_end"} & found.study.keys():
        return ""
    file = f"study-{short_id(found.id)}.toml"
    address = f"{settings.address}/sessions/{found.id}/download/study"
    command = "knee" if "load_line" in found.study else "run"
    return f"{_curl(settings)}-o {file} {shlex.quote(address)} && plimsoll {command} {file}"


def repeat_comparison(settings: Settings, query: str) -> str:
    """Fetches a comparison for a program; `query` is the query string of its page."""
    return f"{_curl(settings)}{shlex.quote(f'{settings.address}/api/v1/compare{query}')}"


def compare_here(sessions: Sequence[Session], band: str, across: Sequence[str], baseline: str) -> str:
    """The same with the sessions in a store of one's own; one session alone has a baseline by its name."""
    words = ["plimsoll", "compare", *(short_id(each.id) for each in sessions)]
    words += ["--baseline", baseline] if baseline and len(sessions) == 1 else []
    words += ["--band", band] if band else []
    words += [word for each in across for word in ("--across", each)]
    return shlex.join(words)


def _curl(settings: Settings) -> str:
    return "curl -fsS " + ("" if settings.public_read else _TOKEN)
