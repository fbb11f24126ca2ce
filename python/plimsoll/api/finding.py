"""From the words that name sessions to what a report is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from plimsoll.model import Run, Session
    from plimsoll.report import Evidence
    from plimsoll.store.store import Store


def place_of(store: str | Path | None) -> str | None:
    """Where a store is, as whoever opens it wants it: an SQLAlchemy URL, the path of a file, or None for the user's."""
    return None if store is None else str(store)


def find_sessions(store: Store, words: Sequence[str] | None) -> list[Session]:
    """The sessions with these short ids or titles, or the last one; raises UsageError where there is none."""
    from plimsoll.errors import UsageError

    if words:
        return [store.find_session(word) for word in words]
    last = store.last_session()
    if last is None:
        raise UsageError("the store holds no session yet; `plimsoll run` makes the first one")
    return [last]


def evidence(words: Sequence[str] | None, baseline: str | None, slo: str | None = None) -> Evidence:
    """Everything stored about the named sessions; raises UsageError for an objective of which nothing can be said."""
    from plimsoll.store.opening import open_store

    with open_store() as store:
        sessions = find_sessions(store, words)
        runs = store.runs([session.id for session in sessions])
    return evidence_of(sessions, runs, baseline, slo)


def evidence_of(sessions: list[Session], runs: list[Run], baseline: str | None, slo: str | None = None) -> Evidence:
    """As `evidence`, of sessions and runs that are at hand."""
    from plimsoll.errors import UsageError
    from plimsoll.report import Evidence
    from plimsoll.stats.load_line.slo import parse_objective
    from plimsoll.stats.rules import rules

    objective = parse_objective(slo) if slo is not None else None
    found = rules(sessions[0], baseline)
    evidence = Evidence(sessions=sessions, runs=runs, baseline=found.baseline, band=found.band, objective=objective)
    if objective is not None and not evidence.sweeps:
        raise UsageError(
            "--slo is for imported runs of one target at three loads or more, of which there are none here; "
            "`plimsoll knee --slo` searches by an objective"
        )
    return evidence
