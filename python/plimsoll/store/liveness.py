"""Whether a session that is stored as running still is."""

from __future__ import annotations

import time
from typing import Any

from pydantic import ValidationError

from plimsoll.model import Session, SessionState
from plimsoll.stats.parts import extensions_of
from plimsoll.targets.owner import Owner, can_be_seen, is_alive
from plimsoll.units import HOUR

QUIET_NS = 12 * HOUR
"""After so long without a new run, a session whose process cannot be seen from here counts as interrupted."""


def runs(owner: Any) -> bool:
    """Whether the process of this owner, as a session keeps it, may still run."""
    try:
        return is_alive(Owner.model_validate(owner))
    except ValidationError:
        return False


def state_now(session: Session, heard_ns: int | None = None) -> SessionState:
    """As it is stored; but one whose process is gone without a word was interrupted.

    Where the process cannot be seen, as on another machine, so does one of which nothing was heard for QUIET_NS;
    `heard_ns` is when its last run began, None where that is not known and nothing is concluded.
    """
    if session.state is not SessionState.RUNNING:
        return session.state
    owner = session.host.get("owner")
    if owner is not None and not runs(owner):
        return SessionState.INTERRUPTED
    if heard_ns is None or (owner is not None and _seen(owner)):
        return SessionState.RUNNING
    begun = [session.started_ns, *(each.started_ns for each in extensions_of(session.study))]
    quiet_ns = time.time_ns() - max(heard_ns, *begun)
    return SessionState.INTERRUPTED if quiet_ns > QUIET_NS else SessionState.RUNNING


def _seen(owner: Any) -> bool:
    try:
        return can_be_seen(Owner.model_validate(owner))
    except ValidationError:
        return False
