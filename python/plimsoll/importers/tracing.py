"""Where the numbers of a file stand, for `plimsoll import --explain`: they remember it while an importer works.

While a `Tracer` is at work, the reader of numbers (`numbers.py`) hands out `Read`: floats that know their place, and
keep it through arithmetic. Importers notice nothing.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

MOST_PLACES = 50
"""Of one number that is made from many."""
_JSON_NUMBER = re.compile(r'"(?:[^"\\]|\\.)*"|(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|NaN|-?Infinity)')


class Place(NamedTuple):
    """Where a number stands, as far as its reader knows it."""

    token: str
    """As it stands there."""
    text: str = ""
    """A text that holds it, such as a line; `offset` is its place in there, -1 where only the text is known."""
    offset: int = -1
    path: str = ""
    """In a JSON document: `jobs[0].read.iops`."""


class Read(float):
    """A number with the places that it comes from; `factor` is what one of them was multiplied by, None if more."""

    places: tuple[Place, ...]
    factor: float | None

    @classmethod
    def made(cls, value: float, places: tuple[Place, ...], factor: float | None) -> Read:
        """A number that comes from these places."""
        found = cls(value)
        found.places, found.factor = places[:MOST_PLACES], factor
        return found

    def _joined(self, value: float, other: object, factor: float | None = None) -> Read:
        if isinstance(other, Read):
            return Read.made(value, tuple(dict.fromkeys(self.places + other.places)), None)
        return Read.made(value, self.places, factor)

    def __mul__(self, other: Any) -> Any:
        value = float.__mul__(self, other)
        if value is NotImplemented or isinstance(other, Read):
            return value if value is NotImplemented else self._joined(value, other)
        return self._joined(value, other, None if self.factor is None else self.factor * other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        value = float.__truediv__(self, other)
        if value is NotImplemented or isinstance(other, Read):
            return value if value is NotImplemented else self._joined(value, other)
        return self._joined(value, other, None if self.factor is None else self.factor / other)

    def __rtruediv__(self, other: Any) -> Any:
        value = float.__rtruediv__(self, other)
        return value if value is NotImplemented else self._joined(value, other)

    def __add__(self, other: Any) -> Any:
        value = float.__add__(self, other)
        if value is NotImplemented:
            return value
        return self._joined(value, other, self.factor if not isinstance(other, Read) and other == 0 else None)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        value = float.__sub__(self, other)
        return value if value is NotImplemented else self._joined(value, other)

    def __rsub__(self, other: Any) -> Any:
        value = float.__rsub__(self, other)
        return value if value is NotImplemented else self._joined(value, other)

    def __round__(self, digits: Any = None) -> Any:
        value = float.__round__(self, digits)
        return value if isinstance(value, int) else self._joined(value, None, self.factor)


class _JsonInt(int):
    place: Place


class _JsonFloat(float):
    place: Place


@dataclass
class Tracer:
    """Gathers where the numbers of one file stand, while it is read on this thread."""

    thread: int = field(default_factory=threading.get_ident)
    origins: list[dict[str, Read]] = field(default_factory=list)
    """Of each run of the file, in its order: where the number of a metric stands."""
    json_places: list[Place] = field(default_factory=list)
    """Every number of a JSON document, in the order of the text."""
    _line: str = ""

    @contextmanager
    def on_line(self, line: str) -> Iterator[None]:
        """What is read inside stands on this line."""
        before, self._line = self._line, line
        try:
            yield
        finally:
            self._line = before

    def read(self, value: Any, number: float) -> Read:
        """A number that was read from a JSON value or text."""
        if isinstance(value, Read):
            return Read.made(number, value.places, value.factor)
        place = getattr(value, "place", None)
        return Read.made(number, (place if place is not None else Place(str(value).strip(), self._line),), 1.0)

    def read_in(self, match: re.Match[str], group: int | str, number: float) -> Read:
        """A number that was read from a group of a match."""
        return Read.made(number, (Place(match[group].strip(), match.string, match.start(group)),), 1.0)

    def placed_in(self, match: re.Match[str], group: int | str, read: Any) -> Any:
        """`read`, a part of what stands in a group of a match, with that place."""
        if not isinstance(read, Read):
            return read
        return Read.made(read, (Place(read.places[0].token, match.string, match.start(group)),), read.factor)

    def json_hooks(self, text: str, start: int) -> dict[str, Any]:
        """What makes a JSON reader tell where each of its numbers stands; it meets them in the order of the text."""
        tokens = (match for match in _JSON_NUMBER.finditer(text, start) if match[1] is not None)

        def placed(kind: type[_JsonInt] | type[_JsonFloat], token: str) -> Any:
            match = next((each for each in tokens if each[1] == token), None)
            made = kind(token)
            made.place = Place(token, text, match.start() if match else -1)
            return made

        return {
            "parse_int": lambda token: placed(_JsonInt, token),
            "parse_float": lambda token: placed(_JsonFloat, token),
        }

    def json_read(self, value: Any, path: str = "") -> None:
        """A JSON document was read: what it holds learns its path."""
        waiting: list[tuple[Any, str]] = [(value, path)]
        while waiting:
            each, where = waiting.pop()
            if isinstance(each, _JsonInt | _JsonFloat):
                each.place = each.place._replace(path=where)
                self.json_places.append(each.place)
            elif isinstance(each, dict):
                inside = [(below, f"{where}.{key}" if where else str(key)) for key, below in each.items()]
                waiting += reversed(inside)
            elif isinstance(each, list):
                waiting += reversed([(below, f"{where}[{number}]") for number, below in enumerate(each)])


active: Tracer | None = None
"""Who traces on some thread; asked first, because it is asked for each number."""
_turn = threading.Lock()


def current() -> Tracer | None:
    """Who traces what this thread reads; None nearly always."""
    return active if active is not None and active.thread == threading.get_ident() else None


@contextmanager
def tracing() -> Iterator[Tracer]:
    """Trace what this thread reads; one thread at a time."""
    global active  # noqa: PLW0603 (a lookup of a context for each number would be a tenth of an import)
    with _turn:
        active = Tracer()
        try:
            yield active
        finally:
            active = None
