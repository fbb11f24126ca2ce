"""Several traces as one, so that they can be replayed at once: they begin together, and each has addresses of its own.

The merged trace lies where runs find traces by their content. How often a trace is given is how often it is replayed:
the same one twice is twice the rate.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from plimsoll.errors import UsageError
from plimsoll.location import trace_place
from plimsoll.traces import core
from plimsoll.traces.replay import Load, look_through
from plimsoll.units import MIB, format_size

DEVICE = "merged"
APART = MIB
"""The addresses of each begin at a multiple of this."""
PIECE_BYTES = 64 << 10
MOST, MOST_ALIKE = 64, 8
"""Copies of one pack so well that a reader, who bounds what bytes can unpack to, takes more of them for damage."""


@dataclass(frozen=True)
class Placed:
    """One of the traces, and where its addresses begin."""

    load: Load
    device: int
    offset: int

    @property
    def extent(self) -> int:
        """Behind the last byte that it used."""
        return self.load.devices[self.device].extent


def placed(paths: Sequence[Path], device: str | None, tell: Callable[[int], None] | None = None) -> list[Placed]:
    """The traces one behind the other in the address space. Raises TraceError, UsageError."""
    if len(paths) > MOST:
        raise UsageError(f"{len(paths)} traces: at most {MOST} are replayed at once")
    if (most := max(Counter(paths).values())) > MOST_ALIKE:
        raise UsageError(
            f"the same trace {most} times: at most {MOST_ALIKE} are replayed at once; --speed makes it faster as well"
        )
    found: list[Placed] = []
    offset = 0
    for path in paths:
        load = look_through(path, tell=tell)
        each = Placed(load, load.device(device), offset)
        found.append(each)
        offset += -(-max(each.extent, 1) // APART) * APART
    return found


def merged(parts: Sequence[Placed]) -> Load:
    """All of them as one trace, which lies in `$PLIMSOLL_HOME/traces` from now on."""
    folder = trace_place("-").parent
    folder.mkdir(mode=0o700, exist_ok=True)
    draft = folder / f"merged.{os.getpid()}"
    try:
        with draft.open("wb") as file:
            for piece in _pieces(parts):
                file.write(piece)
        load = look_through(draft)
        place = trace_place(load.sha256)
        draft.replace(place)
    except OSError as error:
        raise UsageError(f"cannot write the merged trace below {folder}: {error.strerror}") from None
    finally:
        draft.unlink(missing_ok=True)
    # What its parts lack is said of each of them.
    return replace(load, path=place, notes=())


def said(parts: Sequence[Placed]) -> list[str]:
    """Where each of them is, and what is not in it, each a sentence."""
    lines = [f"{len(parts)} traces begin together:"]
    for part in parts:
        lines.append(f"{part.load.path} from {format_size(part.offset)} on, {format_size(part.extent)}")
        lines += [f"{part.load.path}: {note}" for note in part.load.notes]
    return lines


def _small(path: Path) -> Iterator[bytes]:
    """The bytes of a trace, few at a time: of every trace those wait whose turn has not come."""
    for chunk in core.chunks(path):
        yield from (chunk[at : at + PIECE_BYTES] for at in range(0, len(chunk), PIECE_BYTES))


def _pieces(parts: Sequence[Placed]) -> Iterator[bytes]:
    header = {
        "source": DEVICE,
        "start_unix_ns": None,
        "resolution_ns": 1,
        "devices": [{"name": DEVICE}],
        "processes": ["", *(part.load.path.name for part in parts)],
        "notes": [],
    }
    made = core.merge([(part.load.path, part.device, part.offset) for part in parts], header)
    streams = [_small(part.load.path) for part in parts]
    try:
        while (number := made.wants()) is not None:
            yield made.feed(number, next(streams[number], b""))
        yield made.finish()
    except ValueError as error:
        core.refused(parts[number or 0].load.path, error)
