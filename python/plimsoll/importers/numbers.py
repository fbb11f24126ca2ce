"""The one reader of numbers for all importers: a number is read whole, or refused with its place. Never a part of it.

A pattern of a format names what stands around a number and takes FIELD for the number itself, so that whatever stands
there is read or refused; a pattern of digits would read the 7 of `7,654,321`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any

from plimsoll.errors import ResultFileError
from plimsoll.importers import tracing
from plimsoll.importers.source import Imported, Options, Source

LARGEST = 2.0**63
"""Numbers beyond this are damage: 292 years in ns, 8 EiB."""

# No part of what follows can be given back: lookaheads say so, and not `(…)*+`, which Python 3.11.2 of Debian 12 gets
# wrong where one such repetition stands in another.
_OTHER = r"[^\s()\[\]|;:\"=/,]*+"
_TOKEN = rf"{_OTHER}(?:,(?=\w){_OTHER})*(?!,\w)"
_GROUP = r"(?<=\d)[ \u00a0\u2009\u202f](?=\d{3}(?!\d))"
FIELD = rf"({_TOKEN}(?:{_GROUP}{_TOKEN}){{0,9}}(?!{_GROUP}))"
"""All that stands in the place of one number, with the marks and blanks that group digits; it may be empty."""

_CLOSE = r"(?<=\d)[\u00a0\u2009\u202f](?=\d)"
COLUMN = rf"({_TOKEN}(?:{_CLOSE}{_TOKEN}){{0,9}}(?!{_CLOSE}))"
"""FIELD in a row of columns, where a blank ends a number."""

_GROUPED = re.compile(
    r"[1-9]\d{0,2}(?:([_'’ \u00a0\u2009\u202f])\d{3}(?:\1\d{3})*|(?:,\d{3}){2,}|(?:,\d{3})+(?=\.))(?:\.\d+)?",
    re.ASCII,
)
"""Groups of three that can mean nothing else. `7,654` can: it is 7.654 where a comma is the decimal mark."""

_PLAIN = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_TWO_WAYS = re.compile(r"[-+]?\d{1,3}[,.]\d{3}", re.ASCII)
_MARKS = re.compile(r"[_'’, \u00a0\u2009\u202f]")
_SHOWN = 60
_SHORT = 18
_LONGEST = 1000
"""Characters of what a pattern is made of: one of millions takes minutes, and cannot stand in a file by chance."""


class UnreadableNumber(ResultFileError):
    """What stands in the place of a number is none, or could be two. `line` is the text of its line, if known."""

    def __init__(
        self, token: str, why: str = "is not a number that can be read in one way", line: str | None = None
    ) -> None:
        self.said = f"{_shown(token)} {why}"
        super().__init__(f"{self.said}; correct it, or use the file as the tool wrote it")
        self.token, self.why, self.line = token, why, line


def number(value: Any, *, signed: bool = False) -> float | None:
    """The number in a JSON value or text; None only for None. Raises UnreadableNumber for anything else.

    A number below zero is refused unless `signed`: nothing that these tools count or time can be.
    """
    if value is None:
        return None
    if tracing.active is not None and (tracer := tracing.current()):
        return tracer.read(value, _number(value, signed))
    return _number(value, signed)


def _number(value: Any, signed: bool) -> float:
    if isinstance(value, str):
        # Most are short and have digits alone, or digits and a point.
        if len(value) < _SHORT and value.isascii() and value.replace(".", "", 1).isdigit():
            return float(value)
        read = _text(value)
    else:
        read = value
    if isinstance(read, bool) or not isinstance(read, float | int):
        raise UnreadableNumber(str(value), _why(str(value)))
    # Not a number compares as false.
    if not -LARGEST < read < LARGEST:
        raise UnreadableNumber(str(value), "is beyond what any of these can be")
    if read < 0 and not signed:
        raise UnreadableNumber(str(value), "is below zero, which it cannot be")
    # Minus zero is zero.
    return float(read) + 0.0


def plain(value: Any) -> float | None:
    """`number` of a setting or label, which may as well be a word: None where it is no number."""
    try:
        return number(value)
    except UnreadableNumber:
        return None


def whole(value: Any) -> int | None:
    """A setting or label that is a whole number ≥ 0; None for any other."""
    read = plain(value)
    return int(read) if read is not None and read == int(read) else None


def scaled(value: Any, factor: float) -> float | None:
    """`number(value)` times `factor`."""
    read = number(value)
    return number(read * factor) if read is not None else None


def figure(match: re.Match[str], group: int | str = 1, factor: float = 1.0) -> float | None:
    """The number in a group of a match times `factor`; None where the group took no part in the match."""
    try:
        read = number(match[group])
        if read is not None and (tracer := tracing.current()):
            read = tracer.read_in(match, group, read)
        return read if read is None or factor == 1 else number(read * factor)
    except UnreadableNumber as error:
        raise at(match, group, error) from None


def figure_in(match: re.Match[str], group: int, plain: str, factor: float = 1.0) -> float | None:
    """`figure` of a group whose text is spelled in a way that its format alone knows; `plain` is the same number."""
    try:
        read = number(plain)
    except UnreadableNumber as error:
        raise at(match, group, UnreadableNumber(match[group], error.why)) from None
    if read is not None and (tracer := tracing.current()):
        read = tracer.read_in(match, group, read)
    return scaled(read, factor)


def count(match: re.Match[str], group: int | str = 1) -> int:
    """The whole number in a group of a match."""
    read = figure(match, group)
    if read is None or read != int(read):
        raise at(match, group, UnreadableNumber(str(match[group]), "is not a whole number"))
    return int(read)


class on_line:  # noqa: N801 (it reads like those of contextlib)
    """Says of refusals inside that they are about a line. A class, because a generator costs more than most lines."""

    __slots__ = ("_line", "_traced")

    def __init__(self, line: str) -> None:
        self._line = line
        self._traced: AbstractContextManager[None] | None = None

    def __enter__(self) -> None:
        if tracer := tracing.current():
            self._traced = tracer.on_line(self._line)
            self._traced.__enter__()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        if self._traced is not None:
            self._traced.__exit__(kind, error, trace)
        if isinstance(error, UnreadableNumber):
            raise UnreadableNumber(error.token, error.why, self._line) from None


def at(match: re.Match[str], group: int | str, error: UnreadableNumber) -> UnreadableNumber:
    """`error` with the line in which the group stands."""
    begin = max(match.start(group), 0)
    first, last = match.string.rfind("\n", 0, begin) + 1, match.string.find("\n", begin)
    return UnreadableNumber(error.token, error.why, match.string[first : last if last >= 0 else None])


def columns(lines: Sequence[str], mark: str) -> int:
    """How many marks most of the first three lines have: a mark inside a number looks like one more column."""
    counts = sorted(line.strip().count(mark) for line in lines[:3] if line.strip())
    return counts[len(counts) // 2] if counts else 0


def located(read: Callable[[Source, Options], Imported]) -> Callable[[Source, Options], Imported]:
    """A format's `read` whose refusals of a number name the file and the line."""

    @wraps(read)
    def placed(source: Source, options: Options) -> Imported:
        try:
            return read(source, options)
        except UnreadableNumber as error:
            raise ResultFileError(f"{_place(source, error)}: {error}") from None

    return placed


def _place(source: Source, error: UnreadableNumber) -> str:
    # Equal lines are refused for equal reasons, so the first of them is right. A part of a line may be all that is
    # known; without any line the number itself is looked for (a JSON reader drops the zeros at its end).
    line, token = error.line, error.token
    tests: list[Callable[[str], object]] = [lambda each: each == line, lambda each: line in each] if line else []
    if not tests and len(token) > _LONGEST:
        tests = [lambda each: token in each]
    elif not tests and token:
        tests = [re.compile(rf"(?<![\w.]){re.escape(token)}0*(?![\w.])", re.IGNORECASE).search]
    for test in tests:
        for file in source.files:
            for index, each in enumerate(file.lines, 1):
                if test(each):
                    return f"{file.name}: line {index}"
    return source.name


def _text(text: str) -> float | None:
    text = text.strip()
    if len(text) > _SHOWN * 10:
        return None
    if _PLAIN.fullmatch(text):
        return float(text)
    return float(_MARKS.sub("", text)) if _GROUPED.fullmatch(text) else None


def _why(text: str) -> str:
    text = text.strip()
    if not text:
        return "stands where a number belongs"
    if _TWO_WAYS.fullmatch(text):
        return "can be read in two ways, with a decimal mark or with a mark of thousands"
    return "is not a number that can be read in one way"


def _shown(token: str) -> str:
    if not token.strip():
        return "nothing"
    return repr(token if len(token) <= _SHOWN else f"{token[:_SHOWN]}…")
