"""What dd of GNU coreutils prints at its end."""

from __future__ import annotations

import re
from dataclasses import dataclass

from plimsoll.importers.numbers import FIELD, count, figure

# 67108864 bytes (67 MB, 64 MiB) copied, 0.0421 s, 1.6 GB/s
# A pattern names what stands around a number, and FIELD is whatever stands in its place: read whole, or refused.
_LINE = re.compile(rf"^{FIELD} bytes? (?:\([^)\n]{{1,60}}\) )?copied, {FIELD} s(?:,|$)", re.MULTILINE)


@dataclass(frozen=True)
class Copied:
    """One copy."""

    bytes: int
    elapsed_s: float
    bytes_per_s: float | None
    """None where the time is too short to be told."""


def copies(text: str) -> list[Copied]:
    """Every copy that the text tells of. Raises UnreadableNumber where a number can be read in two ways, or in none."""
    found = []
    for match in _LINE.finditer(text):
        moved, elapsed_s = figure(match, 1) or 0.0, figure(match, 2) or 0.0
        found.append(Copied(count(match, 1), elapsed_s, moved / elapsed_s if elapsed_s else None))
    return found


def is_told_of(text: str) -> bool:
    """Whether the text tells of a copy."""
    return _LINE.search(text) is not None
