"""Sessions that later ones are held against, by name. A name is a tag of its session, so it goes where that goes."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import select

from plimsoll.errors import UnknownName, UsageError
from plimsoll.model import BASELINE_TAG, Session
from plimsoll.store.connection import reading
from plimsoll.store.housekeeping import change_tags
from plimsoll.store.records import read_session
from plimsoll.store.schema import session
from plimsoll.store.store import Store


def baselines(store: Store) -> Mapping[str, Session]:
    """All of them by name; where merged stores gave one name to several sessions, the one that started last."""
    statement = (
        select(session).where(session.c.tags.contains(BASELINE_TAG)).order_by(session.c.started_ns, session.c.id)
    )
    with reading(store.engine) as connection:
        tagged = [read_session(row) for row in connection.execute(statement)]
    found = {name: each for each in tagged for name in names_of(each)}
    return dict(sorted(found.items()))


def names_of(of: Session) -> list[str]:
    """The names under which it is a baseline."""
    return [tag.removeprefix(BASELINE_TAG) for tag in of.tags if tag.startswith(BASELINE_TAG)]


def baseline(store: Store, name: str) -> Session:
    """The session of that name; raises UnknownName."""
    known = baselines(store)
    if name not in known:
        raise UnknownName("baseline", name, known, hint="" if known else "`plimsoll baseline set NAME` makes one")
    return known[name]


def set_baseline(store: Store, name: str, session_id: str) -> Session | None:
    """Hold later sessions against this one by that name; returns the session that had it before, if another.

    Raises UsageError for a name that cannot be a tag, and UnknownName without a session.
    """
    name = name.strip().lower()
    if not name:
        raise UsageError("a baseline needs a name of one word, such as before-upgrade")
    before = baselines(store).get(name)
    change_tags(store, session_id, add=[BASELINE_TAG + name])
    _take_away(store, name, but=session_id)
    return before if before is not None and before.id != session_id else None


def remove_baseline(store: Store, name: str) -> None:
    """Forget a name; its session stays. Raises UnknownName."""
    baseline(store, name)
    _take_away(store, name)


def _take_away(store: Store, name: str, but: str = "") -> None:
    statement = select(session.c.id, session.c.tags).where(session.c.tags.contains(BASELINE_TAG + name))
    with reading(store.engine) as connection:
        tagged = connection.execute(statement).all()
    for each, tags in tagged:
        if each != but and BASELINE_TAG + name in tags.split():
            change_tags(store, each, remove=[BASELINE_TAG + name])
