"""Records as JSON: one canonical spelling, and what may be in a record at all."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter

from plimsoll.model import Interval, Run, Session

MAX_DEPTH = 32
MAX_INTEGER = 2**64 - 1
MAX_COUNT = 2**31 - 1
MAX_TIME_NS = 2**63 - 1
MAX_SERIES_BYTES = 2**28
MAX_TAGS = 64
MAX_NOTE = 10_000
"""Characters of a session's note."""
ADDED_LATER = ("tags", "note", "edited")
"""Fields of a session that older readers do not know: a file without them is one of the first version."""

_TAG = re.compile(r"[^\s,\"'`]{1,64}")
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_INTERVALS: TypeAdapter[tuple[Interval, ...]] = TypeAdapter(tuple[Interval, ...])


class NotStorable(ValueError):
    """A value that cannot be kept; `parts` is the way to it, innermost first."""

    def __init__(self, what: str, *parts: str) -> None:
        super().__init__(what)
        self.what = what
        self.parts = list(parts)

    def __str__(self) -> str:
        return f"{'.'.join(reversed(self.parts)) or 'value'} {self.what}"


def canonical_json(value: Any) -> str:
    """ASCII JSON with sorted keys and no spaces; bytes as base64. Equal records have equal text."""
    return _CANONICAL.encode(value)


def canonical_record(record: Session | Run) -> str:
    """The canonical JSON of a record as a store gives it back."""
    return canonical_json(as_stored(record))


def as_stored(record: Session | Run) -> dict[str, Any]:
    """The record as plain values; without what users may add to a session later, where nobody did.

    SQLite keeps no sign of zero in a number column, so neither does a store.
    """
    values = record.model_dump()
    for name in ADDED_LATER:
        if not values.get(name, True):
            del values[name]
    for score in values.get("scores", ()):
        score["value"] += 0.0
    return values


def _encode_bytes(value: Any) -> str:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    raise NotStorable(f"is a {type(value).__name__}, which is not a JSON value")


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False, default=_encode_bytes)
"""One for all: a store writes a hundred thousand small values, and `json.dumps` makes a writer for each."""


def check_storable(record: Mapping[str, Any]) -> None:
    """Raise NotStorable unless both databases and a result file can hold `record` (a dumped Session or Run)."""
    _check(record, MAX_DEPTH)
    for name in ("id", "session_id"):
        if name in record and not _ID.fullmatch(record[name]):
            raise NotStorable(f"is {record[name]!r}, which is not a UUID in lower case", name)
    for name, largest in (
        ("block", MAX_COUNT),
        ("order", MAX_COUNT),
        ("attempt", MAX_COUNT),
        ("policy_version", MAX_COUNT),
        ("started_ns", MAX_TIME_NS),
        ("ended_ns", MAX_TIME_NS),
    ):
        value = record.get(name)
        if value is not None and not 0 <= value <= largest:
            raise NotStorable(f"is {value}, which is not between 0 and {largest}", name)
    check_labels(record.get("tags", ()), record.get("note", ""), record.get("edited", {}))
    for artefact in record.get("artefacts", ()):
        if hashlib.sha256(artefact["content"]).hexdigest() != artefact["sha256"]:
            raise NotStorable(f"{artefact['name']!r} does not match its SHA-256", "artefacts")


def check_labels(tags: Iterable[str], note: str, edited: Mapping[str, int]) -> None:
    """Raise NotStorable unless these are tags (sorted, each once), a note, and times of changes."""
    tags = list(tags)
    for tag in tags:
        if not _TAG.fullmatch(tag) or not tag.isprintable() or tag != tag.lower():
            raise NotStorable(
                f"has {tag!r}, which is not a tag: up to 64 small letters, digits or signs but spaces, commas, quotes",
                "tags",
            )
    if tags != sorted(set(tags)):
        raise NotStorable("are not sorted, or one is there twice", "tags")
    if len(tags) > MAX_TAGS:
        raise NotStorable(f"are more than {MAX_TAGS}", "tags")
    if len(note) > MAX_NOTE:
        raise NotStorable(f"is longer than {MAX_NOTE} characters", "note")
    for name, time_ns in edited.items():
        if not 0 <= time_ns <= MAX_TIME_NS:
            raise NotStorable(f"is {time_ns}, which is not between 0 and {MAX_TIME_NS}", name, "edited")


def _check(value: Any, depth: int) -> None:
    if value is None or isinstance(value, bool | bytes):
        return
    if isinstance(value, str):
        _check_text(value)
    elif isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            raise NotStorable("is a number of more than 64 bits")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise NotStorable(f"is {value}, which is not a finite number")
    elif depth == 0:
        raise NotStorable(f"is nested more than {MAX_DEPTH} levels deep")
    elif isinstance(value, dict):
        _check_names(value, depth)
        _check_parts(value.items(), depth)
    elif isinstance(value, list | tuple):
        _check_parts(enumerate(value), depth)
    else:
        raise NotStorable(f"is a {type(value).__name__}, which is not a JSON value")


def _check_names(value: dict[Any, Any], depth: int) -> None:
    """Together first, in a few steps: nearly all are plain."""
    try:
        names = "".join(value)
    except TypeError:
        name = next(name for name in value if not isinstance(name, str))
        raise NotStorable(f"has the name {name!r}, which is not text") from None
    if not names.isascii() or "\0" in names:
        _check_parts(((name, name) for name in value), depth)


def _check_parts(parts: Iterable[tuple[str | int, Any]], depth: int) -> None:
    """Each part, the common kinds in a few steps: a record of an hour has a hundred thousand values."""
    name: str | int = ""
    try:
        for name, item in parts:  # noqa: B007 (told below)
            kind = type(item)
            if kind is str:
                plain = item.isascii() and "\0" not in item
            elif kind is float:
                plain = math.isfinite(item)
            elif kind is int:
                plain = -MAX_INTEGER <= item <= MAX_INTEGER
            else:
                plain = item is None
            if not plain:
                _check(item, depth - 1)
    except NotStorable as error:
        error.parts.append(ascii(name)[1:-1] if isinstance(name, str) else str(name))
        raise


def _check_text(text: str) -> None:
    """PostgreSQL holds no NUL; UTF-8 holds no half of a surrogate pair (as in names of files in another encoding)."""
    if "\0" in text:
        raise NotStorable("contains a NUL character")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise NotStorable("contains bytes that are not Unicode text") from None


def pack_intervals(intervals: Sequence[Mapping[str, Any]]) -> bytes:
    """The time series of a run as one compressed block."""
    return zlib.compress(intervals_json(intervals), 6)


def intervals_json(intervals: Sequence[Mapping[str, Any]]) -> bytes:
    """The time series of a run as it is packed."""
    return canonical_json(intervals).encode()


def unpack_json(packed: bytes) -> bytes:
    """The reverse of the packing of `pack_intervals`. Raises zlib.error or ValueError if the block is damaged."""
    # Bounded, because a store may be a file from a stranger too.
    unpacker = zlib.decompressobj()
    text = unpacker.decompress(packed, MAX_SERIES_BYTES)
    if not unpacker.eof:
        raise ValueError(f"its intervals are cut off or over {MAX_SERIES_BYTES} bytes")
    return text


def read_intervals(text: bytes) -> tuple[Interval, ...]:
    """The time series from its JSON. Raises ValueError if it is damaged."""
    return _INTERVALS.validate_json(text)
