"""Files inside .gz, .zip and .tar, in memory and bounded: nothing is ever written, no path of an archive is used."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from plimsoll.errors import PlimsollError, ResultFileError
from plimsoll.importers.source import KEPT_LOG_BYTES, MAX_FILE_BYTES, Source
from plimsoll.units import MIB, format_size

MAX_TOTAL_BYTES = 512 * MIB
MAX_FILES = 10_000
MAX_DEPTH = 3
"""A .tar.gz inside a .zip is three."""


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


@dataclass
class Budget:
    """What all archives of one import may still unpack to."""

    bytes_left: int = field(default_factory=lambda: MAX_TOTAL_BYTES)
    files_left: int = field(default_factory=lambda: MAX_FILES)
    log_bytes_left: int = field(default_factory=lambda: KEPT_LOG_BYTES)
    """What logs may still take before the next is read in pieces."""

    def take(self, size: int, place: str) -> None:
        """Count a file. Raises ResultFileError when the limits are reached."""
        self.bytes_left -= size
        self.files_left -= 1
        if self.bytes_left < 0:
            raise ResultFileError(
                f"{place}: the archives unpack to more than {format_size(MAX_TOTAL_BYTES)}; split them"
            )
        if self.files_left < 0:
            raise ResultFileError(f"{place}: the archives hold more than {MAX_FILES:,} files; split them")


def unpack(
    place: str, name: str, content: bytes, budget: Budget, depth: int = 0
) -> Iterator[tuple[str, Source | PlimsollError]]:
    """The file itself, or the files inside if it is an archive, with a place for messages (`a.zip/run1.json`)."""
    kind = _kind(content)
    if kind is None:
        budget.take(len(content), place)
        yield place, Source(name, content)
        return
    if depth == MAX_DEPTH:
        raise ResultFileError(f"{place}: archives are nested more than {MAX_DEPTH} deep")
    try:
        for inner, member in {"gz": _gzip, "zip": _zip, "tar": _tar}[kind](name, content, place):
            within = place if kind == "gz" else f"{place}/{inner}"
            yield from unpack(within, inner, member, budget, depth + 1)
    except ResultFileError as error:
        yield place, error
    except Exception as error:
        # The archive modules report damage by exceptions of many unrelated classes.
        yield place, ResultFileError(f"{place}: the archive is damaged ({type(error).__name__}); copy it again")


def _kind(content: bytes) -> str | None:
    if content[:2] == b"\x1f\x8b":
        return "gz"
    if content[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return "zip"
    return "tar" if content[257:262] == b"ustar" else None


def _base(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]


def _bounded(file: _Readable, place: str) -> bytes:
    content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise ResultFileError(f"{place} unpacks to more than {format_size(MAX_FILE_BYTES)}; it was not read")
    return content


def _gzip(name: str, content: bytes, place: str) -> Iterator[tuple[str, bytes]]:
    inner = name[:-4] + ".tar" if name.lower().endswith(".tgz") else name.removesuffix(".gz")
    with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
        yield inner, _bounded(file, place)


def _zip(name: str, content: bytes, place: str) -> Iterator[tuple[str, bytes]]:
    del name
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = [entry for entry in archive.infolist() if not entry.is_dir() and not _hidden(entry.filename)]
        for entry in entries[: MAX_FILES + 1]:
            with archive.open(entry) as file:
                yield _base(entry.filename), _bounded(file, f"{place}/{_base(entry.filename)}")


def _tar(name: str, content: bytes, place: str) -> Iterator[tuple[str, bytes]]:
    del name
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
        for entry in archive:
            file = archive.extractfile(entry) if entry.isfile() and not _hidden(entry.name) else None
            if file is not None:
                yield _base(entry.name), _bounded(file, f"{place}/{_base(entry.name)}")


def _hidden(path: str) -> bool:
    """Files that systems add on their own: `__MACOSX/…`, `.DS_Store`, `._name`."""
    return _base(path).startswith(".") or path.startswith("__MACOSX/")
