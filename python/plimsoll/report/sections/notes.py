"""What users said of the sessions afterwards: their tags and notes, in their words."""

from __future__ import annotations

from plimsoll.model import BASELINE_TAG, Session
from plimsoll.report.document import Block, text
from plimsoll.report.evidence import Evidence

ORDER = 3
TITLE = "Notes"
SHORT = True
LEAD = True


def build(evidence: Evidence) -> list[Block]:
    """A block per session that has any."""
    return [text(*_told(each)) for each in evidence.sessions if _tags(each) or each.note]


def _told(session: Session) -> list[str]:
    lines = session.note.splitlines()
    # The title stands above the report; of several sessions each is named.
    return [f"{session.title}: {', '.join(_tags(session)) or 'no tags'}", *lines]


def _tags(session: Session) -> list[str]:
    """Without those that make it a baseline, which nobody wrote as a note."""
    return [tag for tag in session.tags if not tag.startswith(BASELINE_TAG)]
