"""The traces of `crates/logs`: the only way into the compiled module from here.

Bytes go in as they come from the file, in pieces; what comes back is described in `crates/logs/src/trace/header.rs`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from plimsoll import _core
from plimsoll.errors import ResultFileError
from plimsoll.importers.streams import Stream, Watch, beginning

Survey = _core.TraceSurvey
Profiler = _core.TraceProfile
HEAD_BYTES: int = _core.TRACE_HEAD_BYTES
OWN = "plimsoll"

Reader = TypeVar("Reader")


class TraceError(ResultFileError):
    """A file that is no trace, or a damaged one."""


@dataclass(frozen=True)
class Contents:
    """What is in a trace, as its header and its totals say it; counted while all of it was read."""

    header: dict[str, Any]
    totals: dict[str, Any]

    @property
    def events(self) -> int:
        """How many I/Os."""
        return sum(kind["events"] for kind in self.totals["kinds"])


def opened(path: Path, form: str | None = None) -> _core.TraceReader:
    """A reader for this file, which knows its format by its content unless `form` names it."""
    return opened_as(path, form, _core.TraceReader)


def opened_as(path: Path, form: str | None, make: Callable[[bytes, bool, str | None], Reader]) -> Reader:
    """The same for another class that is made of head, whether that is the whole file, and format."""
    head, _ = beginning(path, HEAD_BYTES + 1)
    try:
        return make(head[:HEAD_BYTES], len(head) <= HEAD_BYTES, form)
    except ValueError as error:
        refused(path, error)


def merge(parts: Sequence[tuple[Path, int, int]], header: dict[str, Any]) -> _core.TraceMerge:
    """What makes one trace of several: each its path, which of its devices, and where its addresses begin."""
    heads = [(beginning(path, HEAD_BYTES + 1)[0], device, offset) for path, device, offset in parts]
    opened = [(head[:HEAD_BYTES], len(head) <= HEAD_BYTES, device, offset) for head, device, offset in heads]
    return _core.TraceMerge(opened, json.dumps(header))


def chunks(path: Path, watch: Watch | None = None) -> Iterator[bytes]:
    """The bytes of a trace, without gzip around them."""
    _, packed = beginning(path, 2)
    return Stream(path, path.stat().st_size, packed, watch).chunks()


def contents(path: Path, form: str | None = None, watch: Watch | None = None) -> Contents:
    """Reads all of a trace and says what is in it. Raises TraceError that names the line which cannot be read."""
    reader = opened(path, form)
    try:
        for chunk in chunks(path, watch):
            reader.feed(chunk)
        totals = json.loads(reader.finish())
    except ValueError as error:
        refused(path, error)
    return Contents(json.loads(reader.header() or "{}"), totals)


def converted(path: Path, form: str | None = None, watch: Watch | None = None) -> Iterator[bytes]:
    """The same trace in our own format, in pieces."""
    reader, writer = opened(path, form), _core.TraceWriter()
    try:
        for chunk in chunks(path, watch):
            reader.feed(chunk)
            yield writer.copy(reader)
        totals = reader.finish()
        yield writer.copy(reader)
        yield writer.finish(totals)
    except ValueError as error:
        refused(path, error)


def refused(path: Path, error: ValueError) -> NoReturn:
    """Says what a reader found, as a sentence about the file."""
    fault = json.loads(str(error))
    where = f": line {fault['line']}" if fault["line"] else ""
    shown = f" ({fault['text']})" if fault["text"] else ""
    raise TraceError(f"{path}{where}{shown} {fault['why']}") from None


Tap = _core.KernelTap


def tap(setup: dict[str, Any]) -> Tap:
    """A recorder of the kernel's tracing, as `crates/logs/src/trace/kernel/tap.rs` describes its setup."""
    return _core.KernelTap(json.dumps(setup))


def sampler(header: dict[str, Any]) -> tuple[_core.SampleWriter, bytes]:
    """A writer of counters, and how its file begins."""
    writer = _core.SampleWriter(json.dumps(header))
    return writer, writer.samples("[]")


def joined(parts: Sequence[Path], totals: dict[str, Any], *, from_first: bool) -> Iterator[bytes]:
    """Traces of one recording, one after another, as one; only the last of them has its end.

    `from_first`: it begins with its first I/O, because what was before that is no longer there.
    """
    writer = _core.TraceWriter(from_first)
    for part in parts:
        reader = opened(part, OWN)
        for chunk in chunks(part):
            reader.feed(chunk)
            yield writer.copy(reader)
    yield writer.finish(json.dumps(totals))
