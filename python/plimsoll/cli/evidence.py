"""From the words that name sessions to what a report is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plimsoll.model import Session
    from plimsoll.report import Evidence
    from plimsoll.store.store import Store


def find_sessions(store: Store, words: Sequence[str] | None) -> list[Session]:
    """The sessions with these short ids or titles, or the last one; raises UsageError where there is none."""
    from plimsoll.errors import UsageError

    if words:
        return [store.find_session(word) for word in words]
    last = store.last_session()
    if last is None:
        raise UsageError("the store holds no session yet; `plimsoll run` makes the first one")
    return [last]


def evidence(words: Sequence[str] | None, baseline: str | None) -> Evidence:
    """Everything stored about the named sessions."""
    from plimsoll.report import Evidence
    from plimsoll.stats.rules import rules
    from plimsoll.store.store import open_store

    with open_store() as store:
        sessions = find_sessions(store, words)
        runs = store.runs([session.id for session in sessions])
    found = rules(sessions[0], baseline)
    return Evidence(sessions=sessions, runs=runs, baseline=found.baseline, band=found.band)
