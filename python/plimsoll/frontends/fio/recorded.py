"""fio's iologs, read: what `read_iolog` replays.

Source: fio 3.33, `iolog.c`. A line of version 2 is `FILE ACTION [OFFSET LENGTH]` and may be `wait`, in µs since the
last operation; one of version 3 begins with a time in µs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from plimsoll.errors import UsageError
from plimsoll.frontends.fio.section_options import Words
from plimsoll.units import MICROSECOND

HEADERS = {"fio version 2 iolog": 2, "fio version 3 iolog": 3}
KINDS = {"read": "read", "write": "write", "trim": "trim", "sync": "fsync", "datasync": "fdatasync"}
MOVES = ("read", "write")
FILES = ("add", "open", "close")
MOST = 5_000_000
"""Operations of a log: they are held in memory."""


@dataclass(frozen=True)
class Line:
    """One operation of a log."""

    at_ns: int
    kind: str
    file: int
    offset: int
    length: int


@dataclass(frozen=True)
class Log:
    """What a log asks for."""

    files: tuple[str, ...]
    lines: tuple[Line, ...]

    def does(self, *kinds: str) -> bool:
        """Whether there is an operation of any of these kinds."""
        return any(line.kind in kinds for line in self.lines)

    def ends(self) -> list[int]:
        """Bytes that each file must have."""
        found = [0] * len(self.files)
        for line in self.lines:
            if line.kind in MOVES:
                found[line.file] = max(found[line.file], line.offset + line.length)
        return found

    @property
    def largest(self) -> int:
        """Bytes of the largest read or write."""
        return max((line.length for line in self.lines if line.kind in MOVES), default=0)


def of_job(words: Words) -> Log | None:
    """The log that a job replays. Raises UsageError."""
    if not words.given("read_iolog"):
        return None
    return _read(words.text("read_iolog") or "", words.section.where)


@lru_cache(maxsize=16)
def _read(name: str, where: str) -> Log:
    try:
        with Path(name).open(encoding="utf-8") as file:
            header = file.readline().strip()
            version = HEADERS.get(header)
            if version is None:
                raise UsageError(
                    f"{where}: read_iolog={name} is not a fio iolog of version 2 or 3; `plimsoll simulate --trace` "
                    "also reads blkparse's text"
                )
            return _log(file, version, f"{where}: {name}")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise UsageError(f"{where}: read_iolog: cannot read {name}: {reason}") from None


def _log(lines: Iterator[str], version: int, where: str) -> Log:
    reader = _Reader(version)
    for number, text in enumerate(lines, 2):
        try:
            reader.take(text.split())
        except (ValueError, IndexError):
            raise UsageError(f"{where}:{number}: {text.strip()[:80]!r} is not a line of an iolog") from None
        if len(reader.found) > MOST:
            raise UsageError(f"{where}: more than {MOST} operations; replay a part of it")
    if not reader.found:
        raise UsageError(f"{where}: there are no operations in this log")
    return Log(tuple(reader.files), tuple(reader.found))


class _Reader:
    """The operations of a log, line by line. Version 2 has lines that wait, version 3 a time on every line."""

    def __init__(self, version: int) -> None:
        self.files: dict[str, int] = {}
        self.found: list[Line] = []
        self._timed = version == 3
        self._at_ns = 0
        self._first: int | None = None

    def take(self, words: list[str]) -> None:
        """Raises ValueError or IndexError for what is no line of a log; an empty one is passed over."""
        if not words:
            return
        if self._timed:
            time, words = int(words[0]), words[1:]
            self._first = time if self._first is None else self._first
            self._at_ns = (time - self._first) * MICROSECOND
        name, action, *rest = words
        if action in FILES:
            self.files.setdefault(name, len(self.files))
        elif action == "wait" and not self._timed:
            self._at_ns += int(rest[0]) * MICROSECOND
        elif action in KINDS:
            self._add(name, action, rest)
        else:
            raise ValueError(action)

    def _add(self, name: str, action: str, rest: list[str]) -> None:
        offset, length = (int(rest[0]), int(rest[1])) if len(rest) >= 2 else (0, 0)
        if min(offset, length) < 0 or length >= 2**32:
            raise ValueError(length)
        if length or action not in MOVES:
            kind = KINDS[action]
            length = 0 if kind.startswith("f") else length
            self.found.append(Line(self._at_ns, kind, self.files.setdefault(name, len(self.files)), offset, length))
