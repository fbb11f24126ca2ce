"""JSON as tools really write it: text around documents, `nan`, doubled keys, numbers without end."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from plimsoll.importers import tracing
from plimsoll.importers.sought import Sought

_NOT_A_NUMBER = Sought(r"(?i)(?<=[:,\[\s])([-+]?)(?:(nan)|inf)(?=[\s,}\]])", "nan", "inf", anyhow=True)
_CONSTANTS = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}
"""What a JSON reader knows by name, as text that the reader of numbers refuses where it is used."""

_STRUCTURE = re.compile(r"[]},:]")
_LONGEST_INTEGER = 20
_MAX_ATTEMPTS = 200
_MAX_REREADS = 4
"""How often the length of a text may be read in vain: hostile text must not cost more than long text."""


def _integer(text: str) -> int | str:
    """The number; as text what is too long to be one, for the reader of numbers to refuse where it is used."""
    return int(text) if len(text) <= _LONGEST_INTEGER else text


def _real(text: str) -> float | str:
    value = float(text)
    return value if math.isfinite(value) else text


def _constant(match: re.Match[str]) -> str:
    return "NaN" if match[2] else f"{match[1].strip('+')}Infinity"


def _joined(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a text key that appears twice keeps both values, as fio's `filename` may."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        before = found.get(key)
        if isinstance(before, str) and isinstance(value, str) and before != value and len(before) < 10_000:
            value = f"{before}:{value}"
        found[key] = value
    return found


class Damage(NamedTuple):
    """Where a JSON text cannot be read on: its line, from 1, and what stands there."""

    line: int
    text: str

    def __str__(self) -> str:
        shown = self.text.partition("\n")[0].strip()
        return f"line {self.line}: the JSON cannot be read at {shown[:80]!r}" if shown else "the JSON is cut short"


def _damage(text: str, error: json.JSONDecodeError) -> Damage:
    """What stands where a document breaks off; nothing if it is the end of the text."""
    rest = text[error.pos : error.pos + 200]
    if error.msg.startswith("Unterminated") or not _STRUCTURE.search(rest):
        return Damage(error.lineno, "")
    # Where a value is missing, the reader stumbles over the next mark, which may be lines below.
    place = len(text[: error.pos].rstrip()) if rest[0] in "}]," else error.pos
    first = text.rfind("\n", 0, place) + 1
    return Damage(text.count("\n", 0, place) + 1, text[max(first, place - 100) : place] + text[place : place + 100])


_DECODER = json.JSONDecoder(
    object_pairs_hook=_joined, parse_int=_integer, parse_float=_real, parse_constant=_CONSTANTS.__getitem__
)


def _decoder(text: str, start: int) -> json.JSONDecoder:
    """What reads a document; while somebody asks where its numbers stand, one that remembers it."""
    tracer = tracing.current()
    if tracer is None:
        return _DECODER
    constant = _CONSTANTS.__getitem__
    hooks = tracer.json_hooks(text, start)
    parse_int, parse_float = hooks["parse_int"], hooks["parse_float"]
    return json.JSONDecoder(
        object_pairs_hook=_joined,
        parse_int=lambda token: parse_int(token) if len(token) <= _LONGEST_INTEGER else token,
        parse_float=lambda token: parse_float(token) if math.isfinite(float(token)) else token,
        parse_constant=constant,
    )


def documents(text: str, opening: str = "{", damage: list[Damage] | None = None) -> Iterator[Any]:
    """Every JSON value that begins with one of `opening` at the start of a line, whatever stands between them.

    So does one right behind another: Java's writers put a blank between two objects and no line end.

    A place where none can be read is skipped, a limited number of times, so that hostile text costs little; it is
    added to `damage`.
    """
    text = _NOT_A_NUMBER.sub(_constant, text)
    start = re.compile(rf"^[ \t]*([{re.escape(opening)}])", re.MULTILINE)
    behind = re.compile(rf"[ \t,]*([{re.escape(opening)}])")
    position, attempts, in_vain = 0, 0, 0
    while (
        (match := behind.match(text, position) or start.search(text, position))
        and attempts < _MAX_ATTEMPTS
        and in_vain <= len(text) * _MAX_REREADS
    ):
        try:
            value, position = _decoder(text, match.start(1)).raw_decode(text, match.start(1))
            if tracer := tracing.current():
                tracer.json_read(value)
            yield value
        except json.JSONDecodeError as error:
            attempts, in_vain, position = attempts + 1, in_vain + error.pos - match.start(1), match.end()
            if damage is not None:
                damage.append(_damage(text, error))
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
