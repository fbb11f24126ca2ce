"""From what a user names on the command line to imported sessions: files, globs, archives, formats."""

from __future__ import annotations

import glob
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from plimsoll import kinds
from plimsoll.errors import PlimsollError, ResultFileError, UnknownName, UsageError
from plimsoll.importers.archives import Budget, unpack
from plimsoll.importers.source import HEAD_BYTES, MAX_FILE_BYTES, Imported, Options, Source
from plimsoll.importers.streams import Stream, Watch, beginning
from plimsoll.units import format_size

PACKAGE = "plimsoll.importers.formats"


@dataclass(frozen=True)
class Outcome:
    """What became of one file, or of one group of files: a session, or why there is none."""

    place: str
    format: str = ""
    imported: Imported | None = None
    error: PlimsollError | None = None
    skipped: str = ""
    """Why it was left out although nothing is wrong with it."""


def formats() -> dict[str, ModuleType]:
    """All formats by name."""
    return {module.NAME: module for module in kinds.modules(PACKAGE)}


def read_files(
    patterns: Sequence[str | Path],
    options: Options | None = None,
    *,
    format_name: str | None = None,
    watch: Watch | None = None,
) -> Iterator[Outcome]:
    """Read files, globs and archives. A file that can't be read is an outcome with its error; the others go on.

    Equal files are read once. `watch` is told how far a large file is.
    Raises UsageError for a pattern without a file and UnknownName for an unknown format.
    """
    forced = _named(format_name) if format_name is not None else None
    yield from _read(_sources(_paths(patterns), Budget(), forced, watch), options or Options(), forced)


def read_content(name: str, content: bytes, options: Options | None = None) -> Iterator[Outcome]:
    """Read one file or archive that is in memory; `name` is only a word. Raises ResultFileError for a bad archive."""
    yield from _read(unpack(name, name, content, Budget()), options or Options(), None)


def _read(
    sources: Iterable[tuple[str, Source | PlimsollError]], options: Options, forced: ModuleType | None
) -> Iterator[Outcome]:
    chosen: list[tuple[str, ModuleType, Source]] = []
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
    for place, module, source in _grouped(chosen):
        yield _outcome(place, module, source, options)


def choose(source: Source, place: str = "") -> ModuleType:
    """The format of a file by its content. Raises ResultFileError that names the formats."""
    found = [module for module in formats().values() if module.recognise(source.head, source.name)]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(module.NAME for module in found)
        raise ResultFileError(f"{place or source.name} could be {names}; say which with `plimsoll import --format`")
    known = ", ".join(f"{module.NAME} ({module.TITLE})" for module in formats().values())
    raise ResultFileError(
        f"{place or source.name} is in no format that is known: {known}; force one with `plimsoll import --format`, "
        "or write a table"
    )


def _named(name: str) -> ModuleType:
    known = formats()
    if name not in known:
        raise UnknownName("format", name, known)
    return known[name]


def _paths(patterns: Sequence[str | Path]) -> Iterator[Path]:
    for pattern in patterns:
        path = Path(pattern)
        if path.is_dir():
            raise UsageError(f"{path} is a folder; name its files, such as {path / '*.json'}")
        matches = [str(path)] if path.exists() else sorted(glob.glob(str(path), recursive=True))
        found = [Path(match) for match in matches if Path(match).is_file()]
        if not found:
            raise UsageError(f"there is no file {path}; check the name")
        yield from found


def _sources(
    paths: Iterable[Path], budget: Budget, forced: ModuleType | None, watch: Watch | None
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


def _log(path: Path, budget: Budget, forced: ModuleType | None, watch: Watch | None) -> Source | None:
    """A log that is too large to be held in memory, as a stream; None for any other file."""
    head, packed = beginning(path, HEAD_BYTES)
    name = path.name.removesuffix(".gz") if packed else path.name
    known = [forced] if forced is not None else list(formats().values())
    found = [module for module in known if forced is not None or module.recognise(head, name)]
    if len(found) != 1 or not getattr(found[0], "STREAMS", False):
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
        raise ResultFileError(f"{path} can't be read: {error.strerror}; check its rights") from None
    if len(content) > MAX_FILE_BYTES:
        raise ResultFileError(f"{path} is larger than {format_size(MAX_FILE_BYTES)}; split it, or import its summary")
    return content


def _grouped(chosen: Sequence[tuple[str, ModuleType, Source]]) -> Iterator[tuple[str, ModuleType, Source]]:
    """Files of one measurement as one source; everything else as it is."""
    groups: dict[tuple[str, str, str], list[tuple[str, ModuleType, Source]]] = {}
    for index, (place, module, source) in enumerate(chosen):
        key = module.group(source.name) if hasattr(module, "group") else None
        folder = place.rpartition("/")[0] if key is not None else str(index)
        groups.setdefault((module.NAME, folder, key or ""), []).append((place, module, source))
    for members in groups.values():
        members.sort(key=lambda each: each[2].name)
        place, module, first = members[0]
        rest = tuple(source for _, _, source in members[1:])
        yield place, module, replace(first, companions=rest) if rest else first


def _outcome(place: str, module: ModuleType, source: Source, options: Options) -> Outcome:
    try:
        return Outcome(place, module.NAME, imported=module.read(source, options))
    except ResultFileError as error:
        return Outcome(place, module.NAME, error=error)
