"""What an importer gets and what it gives back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from plimsoll.importers.streams import Stream
from plimsoll.model import Artefact, Run, Session
from plimsoll.units import MIB

HEAD_BYTES = 64 * 1024
"""How much of a file is looked at to recognise its format."""

MAX_FILE_BYTES = 64 * MIB
"""Largest file that is read at once, after unpacking."""

KEPT_LOG_BYTES = 16 * MIB
"""Logs are of any size: those of one import that are larger together are read in pieces, and not kept with the run."""


@dataclass(frozen=True)
class Source:
    """One file: its name without folders, its bytes, and the other files of the same measurement."""

    name: str
    content: bytes
    """All of it; of a stream the beginning."""
    companions: tuple[Source, ...] = ()
    stream: Stream | None = None
    """What the bytes come from if the file is too large to be held. Only formats with `STREAMS` get such a source."""

    @property
    def files(self) -> tuple[Source, ...]:
        """This file and its companions."""
        return (self, *self.companions)

    @property
    def head(self) -> bytes:
        """The beginning, for recognising the format."""
        return self.content[:HEAD_BYTES]

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the bytes."""
        if self.stream is not None:
            return self.stream.sha256
        return hashlib.sha256(self.content).hexdigest()

    def chunks(self) -> Iterator[bytes]:
        """The bytes in pieces."""
        if self.stream is None:
            yield self.content
        else:
            yield from self.stream.chunks()

    @cached_property
    def text(self) -> str:
        """The bytes as text with plain line ends; bytes that are no UTF-8 become replacement characters."""
        return as_text(self.content)

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text, without their ends."""
        return self.text.split("\n")

    def artefact(self) -> Artefact:
        """The file as it is kept with a run."""
        return Artefact(name=self.name, sha256=self.sha256, content=self.content)


@dataclass(frozen=True)
class Options:
    """What the user may say about a file."""

    target: str | None = None
    """Name of the target (`--as`); otherwise the file says it, or its name does."""


@dataclass(frozen=True)
class Imported:
    """One session with its runs, and what to tell the user about the file as a whole."""

    session: Session
    runs: tuple[Run, ...]
    warnings: tuple[str, ...] = ()


def as_text(content: bytes) -> str:
    """Text of a result file: UTF-8, or UTF-16 with its mark, which PowerShell writes when output is redirected."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = content.decode("utf-16", errors="replace")
    else:
        text = content.decode("utf-8-sig", errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
