"""How sessions are judged: by what their study recorded, unless somebody says otherwise now."""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.errors import PlimsollError
from plimsoll.model import Session
from plimsoll.stats.policy import DEFAULT_BAND, MODES, STANDARD, Mode
from plimsoll.units import parse_share


@dataclass(frozen=True)
class Rules:
    """How sessions are judged: what their study said, unless the user says otherwise."""

    baseline: str | None
    band: float
    mode: Mode


def rules(session: Session, baseline: str | None = None, band: str | None = None) -> Rules:
    """The rules of a session; what an imported session leaves out or writes wrongly has its default."""
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
