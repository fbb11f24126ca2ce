"""Words of a page that no line may break: numbers with their units, names with hyphens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from plimsoll.report.printable import clean

if TYPE_CHECKING:
    from markupsafe import Markup

LONGEST = 24
"""Characters of what is kept in one line; on a telephone a longer name has to break."""
_UNITS = "%|ns|µs|ms|s|min|h|d|[KMGTP]?i?B(?:/s)?|IOPS"
_WHOLE = re.compile(
    rf"[\d.,…]*\d (?:{_UNITS})(?![\w/])(?: \d+ (?:{_UNITS})(?![\w/]))*|[^\s()]*\w-\w(?:[^\s()]*[^\s(),.;:])?"
)


def whole(words: object) -> Markup:
    """Escaped, with what belongs together in spans of class `u`: `5 %`, `21 min 48 s`, `gp2-50GiB`."""
    from markupsafe import Markup, escape

    text = clean(words)
    made, end = [], 0
    for found in _WHOLE.finditer(text):
        if len(found[0]) <= LONGEST:
            made += [escape(text[end : found.start()]), Markup('<span class="u">{}</span>').format(found[0])]
            end = found.end()
    return Markup("").join([*made, escape(text[end:])])
