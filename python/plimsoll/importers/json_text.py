"""JSON as tools really write it: text around documents, `nan`, doubled keys, numbers without end."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

_NOT_A_NUMBER = re.compile(r"(?<=[:,\[\s])[-+]?(?:nan|inf)(?=[\s,}\]])", re.IGNORECASE)
_LONGEST_INTEGER = 20
_MAX_ATTEMPTS = 200
_MAX_REREADS = 4
"""How often the length of a text may be read in vain: hostile text must not cost more than long text."""


def _integer(text: str) -> int | None:
    return int(text) if len(text) <= _LONGEST_INTEGER else None


def _real(text: str) -> float | None:
    value = float(text)
    return value if math.isfinite(value) else None


def _joined(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a text key that appears twice keeps both values, as fio's `filename` may."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        before = found.get(key)
        if isinstance(before, str) and isinstance(value, str) and before != value and len(before) < 10_000:
            value = f"{before}:{value}"
        found[key] = value
    return found


_DECODER = json.JSONDecoder(
    object_pairs_hook=_joined, parse_int=_integer, parse_float=_real, parse_constant=lambda _: None
)


def documents(text: str, opening: str = "{") -> Iterator[Any]:
    """Every JSON value that begins with one of `opening` at the start of a line, whatever stands between them.

    A place where none can be read is skipped, a limited number of times, so that hostile text costs little.
    """
    text = _NOT_A_NUMBER.sub("null", text)
    start = re.compile(rf"^[ \t]*([{re.escape(opening)}])", re.MULTILINE)
    position, attempts, in_vain = 0, 0, 0
    while (match := start.search(text, position)) and attempts < _MAX_ATTEMPTS and in_vain <= len(text) * _MAX_REREADS:
        try:
            value, position = _DECODER.raw_decode(text, match.start(1))
            yield value
        except json.JSONDecodeError as error:
            attempts, in_vain, position = attempts + 1, in_vain + error.pos - match.start(1), match.end()
        except RecursionError:
            attempts, position = attempts + 1, match.end()


def table(value: Any) -> dict[str, Any]:
    """`value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def tables(value: Any) -> list[dict[str, Any]]:
    """The objects in a list; anything else is left out."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def text_of(value: Any) -> str:
    """`value` if it is text, else nothing."""
    return value if isinstance(value, str) else ""
