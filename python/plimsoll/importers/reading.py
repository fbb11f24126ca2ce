"""From what a user names on the command line to imported sessions: files, globs, archives, formats."""

from __future__ import annotations

import hashlib
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from types import NoneType

from plimsoll import plugins
from plimsoll.errors import PlimsollError, ResultFileError, UnknownName, UsageError
from plimsoll.importers.archives import Budget, unpack
from plimsoll.importers.source import HEAD_BYTES, MAX_FILE_BYTES, Imported, Options, Source, as_text
from plimsoll.importers.streams import Stream, Watch, beginning
from plimsoll.patterns import matches
from plimsoll.plugins import Plugin
from plimsoll.units import format_size


@dataclass(frozen=True)
class Outcome:
    """What became of one file, or of one group of files: a session, or why there is none."""

    place: str
    format: str = ""
    imported: Imported | None = None
    error: PlimsollError | None = None
    skipped: str = ""
    """Why it was left out although nothing is wrong with it."""


def formats() -> dict[str, Plugin]:
    """All formats by name."""
    return {each.name: each for each in (*_own_formats(), *plugins.of_others("importers"))}


@cache
def _own_formats() -> tuple[Plugin, ...]:
    """Ours are files of this package; a thousand files are not a reason to look for them a thousand times."""
    return tuple(plugins.own("importers", name) for name in plugins.own_names("importers"))


def read_files(
    patterns: Sequence[str | Path],
    options: Options | None = None,
    *,
    format_name: str | None = None,
    watch: Watch | None = None,
) -> Iterator[Outcome]:
    """Read files, globs and archives. A file that cannot be read is an outcome with its error; the others go on.

    Equal files are read once. `watch` is told how far a large file is.
    Raises UsageError for a pattern without a file and UnknownName for an unknown format.
    """
    forced = _named(format_name) if format_name is not None else None
    yield from _read(_sources(_paths(patterns), Budget(), forced, watch), options or Options(), forced)


def read_content(name: str, content: bytes, options: Options | None = None) -> Iterator[Outcome]:
    """Read one file or archive that is in memory; `name` is only a word. Raises ResultFileError for a bad archive."""
    yield from _read(unpack(name, name, content, Budget()), options or Options(), None)


def _read(
    sources: Iterable[tuple[str, Source | PlimsollError]], options: Options, forced: Plugin | None
) -> Iterator[Outcome]:
    chosen: list[tuple[str, Plugin, Source]] = []
    seen: dict[tuple[str, bytes], list[tuple[str, Source]]] = {}
    for place, source in sources:
        if isinstance(source, PlimsollError):
            yield Outcome(place, error=source)
            continue
        if not source.content.strip():
            yield Outcome(place, skipped=f"{place} is empty")
            continue
        alike = seen.setdefault((source.name, hashlib.sha256(source.head).digest()), [])
        # Most files differ in their beginning: a large one is then not read a second time for its digest.
        twin = next((before for before, other in alike if other.sha256 == source.sha256), None)
        alike.append((place, source))
        if twin is not None:
            yield Outcome(place, skipped=f"{place} holds the same bytes as {twin}, which was read")
            continue
        try:
            chosen.append((place, forced or choose(source, place), source))
        except ResultFileError as error:
            yield Outcome(place, error=error)
    for place, format, source in _grouped(chosen):
        yield _outcome(place, format, source, options)


def choose(source: Source, place: str = "") -> Plugin:
    """The format of a file by its content. Raises ResultFileError that names the formats."""
    found = _recognising(source.head, source.name)
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(each.name for each in found)
        raise ResultFileError(f"{place or source.name} could be {names}; say which with `plimsoll import --format`")
    if re.match(rb"\s*<!doctype html", source.head, re.IGNORECASE):
        raise ResultFileError(
            f"{place or source.name} is a page to read. A report of Plimsoll has no raw data: `plimsoll export` writes "
            "a session with them into a file that `plimsoll import` reads"
        )
    known = ", ".join(f"{each.name} ({each.module.TITLE})" for each in formats().values())
    raise ResultFileError(
        f"{place or source.name} is in no format that is known: {known}; force one with `plimsoll import --format`, "
        "or write a table"
    )


def _recognising(head: bytes, name: str) -> tuple[Plugin, ...]:
    """The formats that a file can be in. Those of other packages are asked only where it is in none of ours."""
    if head[:2] in (BOM_UTF16_LE, BOM_UTF16_BE):
        # A shell of Windows wrote what a tool printed: formats look for words in UTF-8.
        head = as_text(head[: len(head) // 2 * 2]).encode("utf-8", "replace")
    return _among(_own_formats(), head, name) or _among(plugins.of_others("importers"), head, name)


@lru_cache(maxsize=1)
def _among(asked: tuple[Plugin, ...], head: bytes, name: str) -> tuple[Plugin, ...]:
    """A file is asked about when it is found and when it is read, one after the other."""
    return tuple(each for each in asked if each.call("recognise", head, name, answers=bool, otherwise=False))


def _named(name: str) -> Plugin:
    known = formats()
    if name not in known:
        raise UnknownName("format", name, known)
    return known[name]


def _paths(patterns: Sequence[str | Path]) -> Iterator[Path]:
    for pattern in patterns:
        path = Path(pattern)
        if path.is_dir():
            raise UsageError(f"{path} is a folder; name its files, such as {path / '*.json'}")
        found = [Path(match) for match in matches(str(path)) if Path(match).is_file()]
        if not found:
            raise UsageError(f"there is no file {path}; check the name")
        yield from found


def _sources(
    paths: Iterable[Path], budget: Budget, forced: Plugin | None, watch: Watch | None
) -> Iterator[tuple[str, Source | PlimsollError]]:
    for path in paths:
        try:
            if (log := _log(path, budget, forced, watch)) is not None:
                yield str(path), log
                continue
            content = _content(path)
            yield from unpack(str(path), path.name, content, budget)
        except ResultFileError as error:
            yield str(path), error


def _log(path: Path, budget: Budget, forced: Plugin | None, watch: Watch | None) -> Source | None:
    """A log that is too large to be held in memory, as a stream; None for any other file."""
    head, packed = beginning(path, HEAD_BYTES)
    name = path.name.removesuffix(".gz") if packed else path.name
    found = [forced] if forced is not None else _recognising(head, name)
    if len(found) != 1 or not getattr(found[0].module, "STREAMS", False):
        return None
    size = path.stat().st_size
    # What is packed says nothing of how much it will be, so it is unpacked as far as it would be kept.
    length = len(beginning(path, budget.log_bytes_left + 1)[0]) if packed else size
    if length <= budget.log_bytes_left:
        budget.log_bytes_left -= length
        return None
    return Source(name, head, stream=Stream(path, size, packed, watch))


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise ResultFileError(f"{path} cannot be read: {error.strerror}; check its rights") from None
    if len(content) > MAX_FILE_BYTES:
        raise ResultFileError(f"{path} is larger than {format_size(MAX_FILE_BYTES)}; split it, or import its summary")
    return content


def _grouped(chosen: Sequence[tuple[str, Plugin, Source]]) -> Iterator[tuple[str, Plugin, Source]]:
    """Files of one measurement as one source; everything else as it is."""
    groups: dict[tuple[str, str, str], list[tuple[str, Plugin, Source]]] = {}
    for index, (place, format, source) in enumerate(chosen):
        key = None
        if hasattr(format.module, "group"):
            key = format.call("group", source.name, answers=(str, NoneType), otherwise=None)
        folder = place.rpartition("/")[0] if key is not None else str(index)
        groups.setdefault((format.name, folder, key or ""), []).append((place, format, source))
    for members in groups.values():
        members.sort(key=lambda each: each[2].name)
        place, format, first = members[0]
        rest = tuple(source for _, _, source in members[1:])
        yield place, format, replace(first, companions=rest) if rest else first


def _outcome(place: str, format: Plugin, source: Source, options: Options) -> Outcome:
    try:
        imported = format.call("read", source, options, answers=Imported, otherwise=None)
    except ResultFileError as error:
        return Outcome(place, format.name, error=error)
    if imported is None:
        return Outcome(place, format.name, error=ResultFileError(f"{place}: {format.label} could not read it"))
    return Outcome(place, format.name, imported=imported)
