"""What the list of sessions shows first: pinned histories with their last score, and baselines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from plimsoll import metrics
from plimsoll.report.document import Tone
from plimsoll.stats.direction import directed
from plimsoll.store import histories, search
from plimsoll.store.baselines import baselines
from plimsoll.store.pins import Pin, pins
from plimsoll.store.search import Line
from plimsoll.store.store import Store
from plimsoll.units import format_value
from plimsoll.web import history
from plimsoll.web.faults import NotHere
from plimsoll.web.history import Level, Session
from plimsoll.web.lru_cache import LruCache
from plimsoll.web.pages.history import Asked, Found, find
from plimsoll.web.sparkline import sparkline

MOST_KEPT = 200
MOST_SESSIONS = 120
"""So many sessions of a pinned history are looked at."""

NEWEST_SESSIONS = 40
"""So many points its line has."""


@dataclass(frozen=True)
class Pinned:
    """One pinned history as it is now; without `last` nothing valid is there (any more)."""

    pin: Pin
    found: Found | None = None
    last: Session | None = None
    spark: str = ""
    """Markup, or nothing."""
    change: str = ""
    """How the newest level differs from the one before."""
    tone: Tone = Tone.PLAIN

    @property
    def score(self) -> str:
        """The last score with its unit, or what stands in its place."""
        if self.found is None or self.last is None:
            return "nothing valid"
        return format_value(self.last.value, self.found.unit) if self.last.value is not None else self.last.pattern


class PinnedHistories:
    """The pinned histories of one store, kept as long as their runs stay the same."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: LruCache[Pinned] = LruCache(MOST_KEPT)

    def all(self) -> list[Pinned]:
        """Each as it is now."""
        return [self._of(pin) for pin in pins(self._store)]

    def _of(self, pin: Pin) -> Pinned:
        known = histories.works(self._store, pin.case, pin.target)
        key = (pin, tuple((each.key, each.sessions, each.runs, each.last_ns) for each in known))
        return self._kept.get(key, lambda: _pinned(self._store, pin))


def _pinned(store: Store, pin: Pin) -> Pinned:
    try:
        found = find(store, Asked(case=pin.case, target=pin.target, host=pin.host), MOST_SESSIONS)
    except NotHere:
        return Pinned(pin)
    valid = [each for each in found.sessions if each.valid]
    if not valid:
        return Pinned(pin, found)
    newest = valid[-NEWEST_SESSIONS:]
    label = f"{metrics.title(found.metric)} of the last {len(newest)} sessions"
    change, tone = _change(found)
    return Pinned(pin, found, valid[-1], sparkline([[each.value for each in newest]], label), change, tone)


def _change(found: Found) -> tuple[str, Tone]:
    """The newest change of level, where it is on one place: `worse, 1.25× slower since 2026-11-20`."""
    pair: list[Level] = list(found.levels[-2:])
    if len(pair) < 2 or any(each.event for each in found.sessions[pair[0].last + 1 : pair[1].first + 1]):
        return "", Tone.PLAIN
    ratio = pair[1].value / pair[0].value
    better = (ratio > 1) == (found.direction == "higher")
    day = history.day_of(found.sessions[pair[1].first])
    told = f"{'better' if better else 'worse'}, {directed(found, ratio)} since {day}"
    return told, Tone.BETTER if better else Tone.WORSE


def baseline_lines(store: Store) -> Mapping[str, Line]:
    """The sessions that are baselines, by the name of each."""
    known = baselines(store)
    lines = {line.id: line for line in search.lines_of(store, [each.id for each in known.values()])}
    return {name: lines[each.id] for name, each in known.items() if each.id in lines}
