"""Patterns that are only tried where one of their words stands: in logs of any size most lines have none of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_NEAR = 1000
"""Characters before and after a word within which all that belongs to it stands, in one line."""


class Sought:
    """A pattern of a format, and words of which one stands in all that it matches, which is within one line.

    To look for words takes a hundredth of the time that a pattern takes, also in one line of megabytes.
    """

    def __init__(self, pattern: str, *words: str, anyhow: bool = False) -> None:
        self._pattern = re.compile(pattern, re.MULTILINE)
        self._words = words
        self._anyhow = anyhow
        """Whether the words, which are small letters then, may be written in capitals."""

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Every match in a line or in a text of many."""
        for begin, end in self._near(text):
            for match in self._pattern.finditer(text, begin, end):
                # What ends where the looking ended may be cut, and its line may go on.
                whole = match if match.end() < end else self._pattern.match(text, match.start())
                if whole is not None:
                    yield whole

    def search(self, text: str) -> re.Match[str] | None:
        """The first match."""
        return next(self.finditer(text), None) if self._stands_in(text) else None

    def match(self, line: str) -> re.Match[str] | None:
        """The match at the beginning of a line."""
        return self._pattern.match(line) if self._stands_in(line) else None

    def sub(self, put: Callable[[re.Match[str]], str], text: str) -> str:
        """The text with `put(match)` in the place of each match."""
        parts: list[str] = []
        done = 0
        for match in self.finditer(text):
            parts += text[done : match.start()], put(match)
            done = match.end()
        return "".join((*parts, text[done:])) if parts else text

    def _stands_in(self, text: str) -> bool:
        """Whether one of the words does; asked for each line, so without a generator."""
        known = text.lower() if self._anyhow else text
        for word in self._words:  # noqa: SIM110 (any() takes three times as long)
            if word in known:
                return True
        return False

    def _near(self, text: str) -> Iterator[tuple[int, int]]:
        """Where to look, without overlaps."""
        known = text.lower() if self._anyhow else text
        if len(known) != len(text):
            # A few capitals have small letters of another length.
            yield 0, len(text)
            return
        begin = end = -1
        for at, after in sorted(_occurrences(known, self._words)):
            left = max(text.rfind("\n", max(0, at - _NEAR), at) + 1, at - _NEAR)
            stop = text.find("\n", after, after + _NEAR)
            right = min(len(text), after + _NEAR) if stop < 0 else stop
            if left > end:
                if end >= 0:
                    yield begin, end
                begin = left
            end = max(end, right)
        if end >= 0:
            yield begin, end


def _occurrences(text: str, words: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Where each of the words begins and ends."""
    for word in words:
        at = text.find(word)
        while at >= 0:
            yield at, at + len(word)
            at = text.find(word, at + len(word))
