"""Lists for people: one line an entry, as many columns as the window has room for; whole where nobody looks at it."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from plimsoll.cli.output import console, field, harmless

GAP = "  "
LEAST_WORDS = 16
"""Characters of a column of words, where it has so many; below that it says too little to be there."""
LONGEST_FIRST = 40
"""Characters of what an entry is about, which is shown whole up to that."""
LONGEST_WHOLE = 20
"""Characters of dates, ranges and the like, which are shown whole up to that."""
_WHOLE = re.compile(r"[\d.,…:%$×≤≥+/ \w-]*")


def print_list(rows: Sequence[Mapping[str, Any]], *, right: Sequence[str] = (), first: int = 2) -> None:
    """Rows with the same keys; `right` names the columns of numbers.

    The `first` columns are what an entry is about: others are shown where these leave room.
    """
    if not rows:
        return
    screen = console()
    terminal = sys.stdout.isatty()
    made = listed(rows, right, screen.width if terminal else None, first)
    for number, line in enumerate(made):
        # The heading stands out without a line of its own below it.
        screen.print(line, style="bold" if terminal and not number else "", markup=False, no_wrap=True, soft_wrap=True)


def listed(
    rows: Sequence[Mapping[str, Any]], right: Sequence[str] = (), width: int | None = None, first: int = 2
) -> list[str]:
    """The heading and a line for each row; with a `width` in so many columns, cut with … between words if possible."""
    names = list(rows[0])
    cells = {name: [_plain(row[name]) for row in rows] for name in names}
    # A column in which nothing stands says nothing.
    names = [name for place, name in enumerate(names) if place == 0 or any(cells[name])]
    natural = {name: max(map(_width, (name, *cells[name]))) for name in names}
    if width is None:
        widths: Mapping[str, int] = natural
    else:
        least = {name: _least(name, cells[name], natural[name], right) for name in names}
        least[names[0]] = min(natural[names[0]], LONGEST_FIRST, width)
        widths = _fitted({}, names[:first], least, natural, width)
        widths = _fitted(widths, names[first:], least, natural, width)
    numbers = set(right)
    lines = [{name: name for name in widths}]
    lines += [{name: cells[name][place] for name in widths} for place in range(len(rows))]
    return [_line(each, widths, numbers) for each in lines]


def _fitted(
    before: Mapping[str, int],
    names: Sequence[str],
    least: Mapping[str, int],
    natural: Mapping[str, int],
    width: int,
) -> dict[str, int]:
    """With these columns, as far as there is room: each at its least, then the first ones as wide as they want."""
    shown = dict(before)
    for name in names:
        if sum(shown.values()) + len(GAP) * len(shown) + least[name] > width:
            # What matters less does not take its place.
            break
        shown[name] = least[name]
    for name in shown:
        left = width - sum(shown.values()) - len(GAP) * (len(shown) - 1)
        shown[name] += min(natural[name] - shown[name], max(0, left))
    return shown


def _least(name: str, cells: Sequence[str], natural: int, right: Sequence[str]) -> int:
    """Numbers, dates and single short words are shown whole or not at all."""
    if name in right or (natural <= LONGEST_WHOLE and all(map(_WHOLE.fullmatch, cells))):
        return natural
    return min(natural, LEAST_WORDS)


def _line(row: Mapping[str, str], widths: Mapping[str, int], right: set[str]) -> str:
    made = []
    for name, room in widths.items():
        words = cut(row[name], room)
        blank = " " * (room - _width(words))
        made.append(blank + words if name in right else words + blank)
    return GAP.join(made).rstrip()


def cut(words: str, room: int) -> str:
    """In so many columns: whole, or up to the end of a word, or where one is too long, of what fits of it, and …"""
    from rich.cells import set_cell_size

    if _width(words) <= room:
        return words
    short = set_cell_size(words, max(0, room - 1)).rstrip()
    if not words[len(short) : len(short) + 1].isspace():
        ended = short.rpartition(" ")[0]
        short = ended if len(ended) >= len(short) // 2 else short
    return f"{short.rstrip(' ,;:·(')}…"


def _width(words: str) -> int:
    from rich.cells import cell_len

    return cell_len(words)


def _plain(value: object) -> str:
    return harmless(field(value)).replace("\n", " ")
