"""From the words that name sessions to what a report is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plimsoll.errors import PlimsollError

if TYPE_CHECKING:
    from plimsoll.model import Session
    from plimsoll.report import Evidence
    from plimsoll.stats.policy import Mode
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


@dataclass(frozen=True)
class Rules:
    """How sessions are judged: what their study said, unless the user says otherwise."""

    baseline: str | None
    band: float
    mode: Mode


def rules(session: Session, baseline: str | None = None, band: str | None = None) -> Rules:
    """The rules of a session; what an imported session leaves out or writes wrongly has its default."""
    from plimsoll.stats.policy import DEFAULT_BAND, MODES, STANDARD
    from plimsoll.units import parse_share

    study = session.study
    try:
        recorded = parse_share(study.get("band", DEFAULT_BAND))
    except (PlimsollError, TypeError, ValueError):
        recorded = DEFAULT_BAND
    planned = study.get("baseline")
    return Rules(
        baseline=baseline or (planned if isinstance(planned, str) else None),
        band=parse_share(band) if band else recorded,
        mode=MODES.get(str(study.get("mode")), STANDARD),
    )


def evidence(words: Sequence[str] | None, baseline: str | None) -> Evidence:
    """Everything stored about the named sessions."""
    from plimsoll.report import Evidence
    from plimsoll.store.store import open_store

    with open_store() as store:
        sessions = find_sessions(store, words)
        runs = store.runs([session.id for session in sessions])
    found = rules(sessions[0], baseline)
    return Evidence(sessions=sessions, runs=runs, baseline=found.baseline, band=found.band)
