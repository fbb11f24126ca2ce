"""Times as monitoring writes them, as seconds since 1970."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from plimsoll.errors import UsageError

_FORMATS = (
    "%m/%d/%Y %I:%M:%S %p",
    "%m/%d/%y %I:%M:%S %p",
    "%m/%d/%Y %H:%M:%S",
    "%m/%d/%y %H:%M:%S",
    "%d/%m/%y %H:%M:%S",
    "%d.%m.%Y %H:%M:%S",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%d %I:%M:%S %p",
    "%Y-%m-%d %H:%M",
    "%m/%d/%Y %I:%M %p",
    "%m/%d/%Y, %I:%M:%S %p",
)
_BROWSER = re.compile(r"\w{3} (\w{3} \d{2} \d{4} \d{2}:\d{2}:\d{2}) GMT([+-]\d{4})")
_LONGEST = 100
_FRACTION = re.compile(r"(\.\d{6})\d+")


def moment(text: str, where: str) -> tuple[float, str]:
    """Seconds since 1970 and the zone: `UTC`, `+0200`, or empty where none is written. Raises UsageError.

    A time without a zone is taken as it stands, so that hours of the day are those of the file.
    """
    text = text.strip().strip('"')
    if len(text) > _LONGEST:
        raise UsageError(f"{where}: {text[:60]!r}… is no time that is known, such as 2026-11-26T18:00:00Z")
    if found := _iso(text):
        return found
    if match := _BROWSER.search(text):
        return _with_zone(datetime.strptime(f"{match[1]} {match[2]}", "%b %d %Y %H:%M:%S %z"))
    bare = re.sub(r"\s*(UTC|\[UTC\]|Z)$", "", text)
    for form in _FORMATS:
        try:
            read = datetime.strptime(bare, form)
        except ValueError:
            continue
        return read.replace(tzinfo=UTC).timestamp(), "UTC" if bare != text else ""
    raise UsageError(f"{where}: {text[:60]!r} is no time that is known, such as 2026-11-26T18:00:00Z")


def _iso(text: str) -> tuple[float, str] | None:
    if not re.match(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}", text):
        return None
    try:
        read = datetime.fromisoformat(_FRACTION.sub(r"\1", text))
    except ValueError:
        return None
    return (read.replace(tzinfo=UTC).timestamp(), "") if read.tzinfo is None else _with_zone(read)


def _with_zone(read: datetime) -> tuple[float, str]:
    """Shifted by its zone, so that hours of the day are those of the place."""
    offset = read.utcoffset() or timedelta()
    zone = "UTC" if not offset else read.strftime("%z")
    return read.timestamp() + offset.total_seconds(), zone


class Clock:
    """Times one after the other: where a clock was set back, later times are moved, so that they go on."""

    def __init__(self) -> None:
        """Before the first time."""
        self.last: float | None = None
        self.step = 0.0
        self.moved = 0.0
        self.notes: list[str] = []

    def follow(self, seconds: float, where: str) -> float:
        """The time in a course that only goes forward."""
        now = seconds + self.moved
        if self.last is not None and now <= self.last:
            back = self.last - now
            self.moved += back + self.step
            self.notes.append(f"{where}: the clock goes back by {back:,.0f} s; times from there on were moved")
            now = seconds + self.moved
        elif self.last is not None:
            self.step = self.step or now - self.last
        self.last = now
        return now
