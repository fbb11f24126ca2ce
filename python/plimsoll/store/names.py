"""How people name sessions.

UUIDv7 ids made on one day begin alike, so the short id is made from the end, which is random.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from plimsoll.errors import UnknownName, UsageError
from plimsoll.meanings import nearest

SHORT_LENGTH = 8
MIN_TYPED = 4
MAX_LISTED = 10
MAX_NEAR = 3


@dataclass(frozen=True)
class Named:
    """What is needed to find a session by what a user typed."""

    id: str
    title: str


def short_id(session_id: str) -> str:
    """The last 8 hex digits of an id: what tables show and users type."""
    return session_id.replace("-", "")[-SHORT_LENGTH:]


def find(text: str, sessions: Iterable[Named]) -> str:
    """The id of the one session that `text` names.

    In this order: a full id, an exact title, the first digits of a short id, the first digits of a full id (at least
    4 digits). Raises UnknownName where nothing fits and UsageError where more than one session does.
    """
    known = list(sessions)
    digits = text.strip().lower().replace("-", "")
    long_enough = len(digits) >= MIN_TYPED
    ways = (
        [one for one in known if one.id.replace("-", "") == digits],
        [one for one in known if one.title == text],
        [one for one in known if long_enough and short_id(one.id).startswith(digits)],
        [one for one in known if long_enough and one.id.replace("-", "").startswith(digits)],
    )
    found = next((way for way in ways if way), None)
    if found is None:
        raise UnknownName("session", text, {_label(one) for one in known[:MAX_LISTED]}, hint=_hint(text, known))
    if len(found) > 1:
        listed = ", ".join(_label(one) for one in found[:MAX_LISTED])
        more = f" and {len(found) - MAX_LISTED} more" if len(found) > MAX_LISTED else ""
        raise UsageError(f"{text!r} names {len(found)} sessions; use one of the ids {listed}{more}")
    return found[0].id


def _hint(text: str, known: Sequence[Named]) -> str:
    """The sessions that may have been meant; empty where none comes near."""
    if not known:
        return "the store holds no session yet; `plimsoll run` makes the first one"
    # Titles that begin with the word, or hold it, are no slips.
    word = text.strip().lower()
    held = [one for one in known if len(word) > 2 and word in one.title.lower()]
    near = nearest(text, dict.fromkeys(name for one in known for name in (one.title, short_id(one.id))))
    meant = [one for one in known if one.title in near or short_id(one.id) in near] or held
    if not meant:
        return ""
    more = f" and {len(meant) - MAX_NEAR} more" if len(meant) > MAX_NEAR else ""
    return f"did you mean {' or '.join(map(_label, meant[:MAX_NEAR]))}{more}?"


def _label(session: Named) -> str:
    return f"{short_id(session.id)} ({session.title!r})"
