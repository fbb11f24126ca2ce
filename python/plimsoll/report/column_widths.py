"""A table wider than the terminal: what is the same in every row is said once, and words break where they may."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

BETWEEN = 2
"""Characters that the renderer puts around each column."""
_PIECE = re.compile(r"\s+|=?[_-]*[^\s=_-]+[_-]*|.")
"""What is not broken: `threads=12` may become `threads` and `=12`, `fs-mark` become `fs-` and `mark`."""

_HELD = "\ue000"
"""Stands for a blank at which a line must not end; of private use, so no text has it."""
_AMOUNT = re.compile(r"(?<=\d) (?=(?:%|[kKMGTP]i?B|ns|µs|ms|s|min|h|credits)(?:[^\w]|$))")


@dataclass(frozen=True)
class FittedColumn:
    """A column as it is shown."""

    title: str
    right: bool
    """Numbers: broken last, and never between one and its unit."""
    cells: tuple[str, ...]
    judges: bool = False
    """Something is better or worse in it: shown in every row."""
    whole: bool = field(default=True, compare=False)
    """Of numbers: whether all that is said with them must be in one line; what is shown does not depend on it."""

    @property
    def natural(self) -> int:
        """Its width without any break."""
        return max(1, *map(len, (self.title, *self.cells)))

    @property
    def least(self) -> int:
        """Its width with all breaks that leave words whole."""
        if self.right and self.whole:
            return self.natural
        split = str.split if self.right else _PIECE.findall
        pieces = (piece.strip() for words in (self.title, *self.cells) for piece in split(self._held(words)))
        return max(map(len, pieces), default=1)

    def lines(self, width: int) -> int:
        """How tall its tallest cell is in so many characters."""
        return max(len(self.wrapped(words, width)) for words in {self.title, *self.cells})

    def wrapped(self, words: str, width: int) -> list[str]:
        """Lines of so many characters; words that are longer are broken where names of cases may be."""
        return [line.replace(_HELD, " ") for line in _Wrapper(width).wrap(self._held(words))]

    def _held(self, words: str) -> str:
        return _AMOUNT.sub(_HELD, words) if self.right else words


@dataclass(frozen=True)
class Fitted:
    """What is shown, and in words what every row has in common."""

    columns: tuple[FittedColumn, ...]
    places: tuple[int, ...]
    """The number of each column in the whole table."""
    common: str
    is_too_wide: bool = False
    """There is no room for the words side by side."""


def wrapped(words: str, width: int, *, parts: str = "") -> str:
    """Lines that break between words only, and never between a number and its unit.

    With `parts`, such as ` · `, they break between what that separates, where each has room in a line.
    """
    if parts:
        # With what follows it, or that would stand alone in the next line.
        room = width - len(parts.rstrip())
        pieces = [piece.replace(" ", _HELD) if len(piece) <= room else piece for piece in words.split(parts)]
        words = parts.replace(" ", _HELD, 1).join(pieces)
    held = _AMOUNT.sub(_HELD, words)
    lines = textwrap.wrap(held, width, expand_tabs=False, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace(_HELD, " ")


def fitted(columns: Sequence[FittedColumn], width: int) -> Fitted:
    """The columns in so many characters: unchanged where they fit, and where even broken words do not."""
    places = tuple(range(len(columns)))
    if _needed(column.natural for column in columns) <= width:
        return Fitted(tuple(columns), places, "")
    same = [i for i in places if len(set(columns[i].cells)) == 1 < len(columns[i].cells) and not columns[i].judges]
    if len(same) == len(columns):
        same = []
    shown = tuple(i for i in places if i not in same)
    common = ", ".join(f"{columns[i].title} {columns[i].cells[0] or 'none'}" for i in same)
    common = f"In every row: {common}." if same else ""
    kept = [columns[i] for i in shown]
    squeezed = _squeezed(kept, width)
    return Fitted(tuple(kept) if squeezed is None else squeezed, shown, common, is_too_wide=squeezed is None)


def unrepeated(columns: Sequence[FittedColumn]) -> Iterator[list[str]]:
    """The rows; what stands above in the first columns, and is followed by more words, is not said again."""
    previous: list[str] = []
    for words in map(list, zip(*(column.cells for column in columns), strict=True)):
        shown = list(words)
        for i, column in enumerate(columns):
            named = i == 0 or (i + 1 < len(columns) and not columns[i + 1].right)
            if column.right or not named or words[i : i + 1] != previous[i : i + 1]:
                break
            shown[i] = ""
        previous = words
        yield shown


def _squeezed(columns: Sequence[FittedColumn], width: int) -> tuple[FittedColumn, ...] | None:
    """With as few lines in the tallest cell as there is room for; what is left goes to the columns that lack least.

    None where there is no room for whole words.
    """
    if _needed(column.least for column in columns) > width:
        columns = [replace(column, whole=False) for column in columns]
    if _needed(column.least for column in columns) > width:
        return None
    heights = [{at: column.lines(at) for at in range(column.least, column.natural + 1)} for column in columns]
    for most in range(1, max(max(each.values()) for each in heights) + 1):
        widths = [next(at for at, lines in each.items() if lines <= most) for each in heights]
        if _needed(widths) <= width:
            break
    rest = width - _needed(widths)
    for place in sorted(range(len(columns)), key=lambda i: columns[i].natural - widths[i]):
        more = min(rest, columns[place].natural - widths[place])
        widths[place] += more
        rest -= more
    return tuple(_broken(column, width) for column, width in zip(columns, widths, strict=True))


def _broken(column: FittedColumn, width: int) -> FittedColumn:
    title, *cells = ("\n".join(column.wrapped(words, width)) for words in (column.title, *column.cells))
    return replace(column, title=title, cells=tuple(cells))


def _needed(widths: Iterable[int]) -> int:
    every = list(widths)
    return sum(every) + BETWEEN * len(every)


class _Wrapper(textwrap.TextWrapper):
    """The standard library's; only words that are too long are broken, where names of cases may be."""

    def __init__(self, width: int) -> None:
        # A tab would be wider than the one character that it counts as.
        super().__init__(width=width, expand_tabs=False)

    def _split(self, text: str) -> list[str]:
        words = re.findall(r"\s+|\S+", text)
        return [piece for word in words for piece in ([word] if len(word) <= self.width else _PIECE.findall(word))]
