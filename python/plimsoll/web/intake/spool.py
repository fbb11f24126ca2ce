"""Uploads under way: files in one private folder, under names that the server makes.

An upload is known by who sends it and the SHA-256 and size of the file, so whoever starts again goes on where the last
attempt ended, also after the server was restarted. Nothing of what was sent becomes part of a path.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock

from plimsoll.errors import StoreError
from plimsoll.units import format_size
from plimsoll.web.faults import Refused

KEPT_S = 24 * 3600
MOST_PARTS = 64
MOST_FILES_AT_ONCE = 4
"""All parts together may be as large as so many of the largest uploads."""

_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class Part:
    """An upload under way."""

    id: str
    token_id: str
    name: str
    target: str
    sha256: str
    size_bytes: int


class Spool:
    """The folder, made when it is first used."""

    def __init__(self, folder: Path, upload_bytes: int) -> None:
        self._folder, self._largest = folder, upload_bytes
        self._lock = Lock()

    def begin(self, token_id: str, name: str, target: str, sha256: str, size_bytes: int) -> Part:
        """A new upload, or the one of the same sender and file that was begun before. Raises Refused."""
        if not size_bytes:
            raise Refused(422, "the file is empty; choose the one with the results")
        if size_bytes > self._largest:
            most = f"{format_size(self._largest)} ({self._largest:,} bytes)"
            raise Refused(413, f"the file has {format_size(size_bytes)}; this server takes at most {most}")
        words = f"{token_id} {sha256} {size_bytes} {target}"
        identity = hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:32]
        part = Part(identity, token_id, name, target, sha256, size_bytes)
        with self._lock, _told():
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._sweep()
            if not self._about(identity).exists():
                self._check_room(size_bytes)
                self._content(identity).touch(mode=0o600)
                self._about(identity).write_text(json.dumps(asdict(part)), encoding="utf-8")
        return part

    def find(self, identity: str, token_id: str) -> Part:
        """The upload of this id, if it is this sender's. Raises Refused (404)."""
        if _ID.fullmatch(identity):
            try:
                part = Part(**json.loads(self._about(identity).read_text(encoding="utf-8")))
            except (OSError, ValueError, TypeError):
                part = None
            if part is not None and part.token_id == token_id:
                return part
        raise Refused(404, "there is no such upload; begin it again")

    def offset(self, part: Part) -> int:
        """How many bytes have arrived."""
        with _told():
            return self._content(part.id).stat().st_size

    def append(self, part: Part, offset: int, content: bytes) -> int:
        """Add bytes that begin at `offset`; the new offset. Raises Refused (409) where bytes are missing before."""
        with self._lock, _told():
            arrived = self._content(part.id).stat().st_size
            if offset != arrived:
                words = f"{arrived} bytes have arrived, and these begin at {offset}; go on at {arrived}"
                raise Refused(409, words, {"upload-offset": str(arrived)})
            if arrived + len(content) > part.size_bytes:
                raise Refused(413, f"more arrived than the {part.size_bytes} bytes that were announced; begin again")
            with self._content(part.id).open("ab") as file:
                file.write(content)
            return arrived + len(content)

    def complete(self, part: Part) -> Path:
        """The file, whole and as announced. Raises Refused (409) if it is not."""
        path = self._content(part.id)
        with _told():
            if path.stat().st_size != part.size_bytes:
                raise Refused(409, f"{path.stat().st_size} of {part.size_bytes} bytes have arrived; send the rest")
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest != part.sha256:
            self.drop(part)
            raise Refused(409, "the bytes that arrived do not have the announced SHA-256; begin again")
        return path

    def beside(self, part: Part) -> Path:
        """A name for a file that is made from this upload; `drop` removes it too."""
        return self._folder / f"{part.id}.plimsoll"

    def drop(self, part: Part) -> None:
        """Forget an upload."""
        for path in (self._content(part.id), self._about(part.id), self.beside(part)):
            path.unlink(missing_ok=True)

    def _content(self, identity: str) -> Path:
        return self._folder / f"{identity}.part"

    def _about(self, identity: str) -> Path:
        return self._folder / f"{identity}.json"

    def _sweep(self) -> None:
        """Remove what nobody went on with."""
        oldest = time.time() - KEPT_S
        for path in self._folder.iterdir():
            if path.stat().st_mtime < oldest:
                path.unlink(missing_ok=True)

    def _check_room(self, size_bytes: int) -> None:
        abouts = list(self._folder.glob("*.json"))
        declared = sum(json.loads(path.read_text(encoding="utf-8"))["size_bytes"] for path in abouts)
        if len(abouts) >= MOST_PARTS or declared + size_bytes > MOST_FILES_AT_ONCE * self._largest:
            raise Refused(503, "too many uploads are under way; try again in a minute", {"retry-after": "60"})
        free = os.statvfs(self._folder)
        if free.f_bavail * free.f_frsize < 2 * size_bytes:
            raise Refused(507, "the server has no room for this file; its owner has to free some space")


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise Refused(404, "there is no such upload; begin it again") from None
    except OSError as error:
        raise StoreError(f"the server cannot keep the upload ({error.strerror}); its owner has to look") from None
