"""Files that are read in pieces because they may be of any size: plain or gzip, with a digest of their bytes."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from plimsoll.errors import ResultFileError

CHUNK_BYTES = 2**21
"""How much is read at once; between two pieces Ctrl-C is seen."""

Tell = Callable[[int, int], None]
"""Takes the bytes that were read and the bytes in all."""

Watch = Callable[[str, int], AbstractContextManager[Tell | None]]
"""Given what is read and how large it is: where to tell how far it is."""

_GZIP = b"\x1f\x8b"


@dataclass(eq=False)
class Stream:
    """One file of any size, read in pieces. Its SHA-256 is that of the bytes without the compression."""

    path: Path
    size: int
    """As it lies on the disk."""
    packed: bool
    watch: Watch | None = None
    _digest: str = field(default="", init=False)

    @property
    def sha256(self) -> str:
        """SHA-256 of the bytes; known when all pieces were read once."""
        if not self._digest:
            for _ in self.chunks():
                pass
        return self._digest

    def chunks(self) -> Iterator[bytes]:
        """The bytes, in pieces. Raises ResultFileError if they cannot be read."""
        digest = hashlib.sha256()
        pending: Future[None] | None = None
        shown = self.watch(str(self.path), self.size) if self.watch is not None else nullcontext()
        # The digest is made beside the work of whoever takes the pieces: both leave Python's lock alone.
        with ThreadPoolExecutor(1) as beside, shown as tell, _opened(self.path) as raw:
            for chunk in _pieces(self.path, raw, packed=self.packed):
                if pending is not None:
                    pending.result()
                pending = beside.submit(digest.update, chunk)
                if tell is not None:
                    tell(min(raw.tell(), self.size), self.size)
                yield chunk
        self._digest = digest.hexdigest()


def beginning(path: Path, length: int) -> tuple[bytes, bool]:
    """The first bytes of a file, without a gzip around them, and whether there was one."""
    with _opened(path) as raw:
        packed = raw.read(2) == _GZIP
        raw.seek(0)
        head = b""
        for piece in _pieces(path, raw, packed=packed, size=length):
            head += piece
            if len(head) >= length:
                break
    return head[:length], packed


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb", buffering=0)
    except OSError as error:
        raise _unreadable(path, error) from None


def _pieces(path: Path, raw: BinaryIO, *, packed: bool, size: int = CHUNK_BYTES) -> Iterator[bytes]:
    file = gzip.GzipFile(fileobj=raw) if packed else raw
    try:
        while chunk := file.read(size):
            yield chunk
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ResultFileError(f"{path}: the archive is damaged ({error}); copy it again") from None
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: OSError) -> ResultFileError:
    if isinstance(error, FileNotFoundError):
        return ResultFileError(f"there is no file {path}; check the name")
    if isinstance(error, IsADirectoryError):
        return ResultFileError(f"{path} is a directory; name a file in it")
    return ResultFileError(f"{path} cannot be read: {error.strerror}; check its rights")
