"""A trace as a load: what a test `replay` needs to know of it, and where the core finds its file.

A plan holds the content's SHA-256 and not a path, so that two replays of one trace are comparable wherever it lies. The
file is found by that: `$PLIMSOLL_HOME/traces/SHA256` is a link to it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plimsoll.errors import UsageError
from plimsoll.importers.streams import beginning
from plimsoll.location import trace_place
from plimsoll.traces import core
from plimsoll.traces.notes import notes
from plimsoll.units import KIB, SECOND, format_size

FOREVER = 2**63
"""Later than any arrival."""
SLOWEST, FASTEST = 0.001, 1000.0
READS, WRITES, TRIMS, FLUSHES = range(4)
LONGEST_BYTES = 4 << 20
"""A longer I/O of a trace is replayed as so much: its buffers are there before the load begins."""

TIMED = 0.99
"""Ends of so large a share of the I/Os say what waited for what."""
SECTOR = 512
UNITS = (SECTOR, 4096)
"""What the core counts I/Os by that are not of whole ones."""
AS_LONG_AGAIN, LEAST_MORE_NS = 2, 60 * SECOND
"""A slow target has twice the time of the trace, and a minute, before it is said not to be done with it."""

MOST_IN_FLIGHT, LEAST_IN_FLIGHT = 1024, 32
BUFFERS_BYTES = 256 << 20
"""Memory for what is in flight: as many as there is room for, so that the depth does not hold the schedule back."""


@dataclass
class Device:
    """What one device of a trace was asked for."""

    name: str
    events: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    extent: int = 0
    """Behind the last byte that was used."""
    longest: int = 0
    last_ns: int = 0
    timed: int = 0
    """Whose end is known."""
    together: int = 0
    """The most that arrived at one moment."""
    unaligned: list[int] = field(default_factory=lambda: [0, 0])
    """Those that do not begin and end at multiples of UNITS."""

    def replayed(self, *, reads_only: bool) -> int:
        """How many of its I/Os are replayed."""
        return self.events[READS] if reads_only else self.events[READS] + self.events[WRITES] + self.events[FLUSHES]


@dataclass(frozen=True)
class Load:
    """A trace, looked through once."""

    path: Path
    sha256: str
    source: str
    devices: tuple[Device, ...]
    notes: tuple[str, ...]
    """What is not in it, each a sentence."""
    form: str = ""
    """What the user says that it is; empty: what its content says."""

    def device(self, name: str | None) -> int:
        """Which device to replay. Raises UsageError where it must be said and is not."""
        used = [number for number, each in enumerate(self.devices) if any(each.events)]
        names = ", ".join(self.devices[number].name for number in used)
        if not used:
            raise UsageError(
                f"{self.path} holds no I/O that could be replayed; counters, which are recorded without the right to "
                "trace, have no single ones"
            )
        if name is None:
            if len(used) == 1:
                return used[0]
            raise UsageError(f"{self.path} is of {len(used)} devices: say which with --device ({names})")
        for number in used:
            if self.devices[number].name == name:
                return number
        raise UsageError(f"{self.path} has no I/O of a device {name!r}; it has {names}")


def look_through(path: Path, form: str | None = None, tell: Callable[[int], None] | None = None) -> Load:
    """Reads all of a trace: its content's hash, and what each device was asked for. Raises TraceError."""
    if beginning(path, 2)[1]:
        raise UsageError(f"{path} is packed: unpack it first (gunzip), because it is read again while it is replayed")
    reader = core.opened_as(path, form, core.Survey)
    digest = hashlib.sha256()
    done = 0
    try:
        with path.open("rb") as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
                reader.feed(chunk)
                done += len(chunk)
                if tell is not None:
                    tell(done)
        found = json.loads(reader.finish())
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        core.refused(path, error)
    header, totals = found["header"], found["totals"]
    devices = tuple(
        Device(name=about["name"], **part) for about, part in zip(header["devices"], found["devices"], strict=False)
    )
    return Load(path, digest.hexdigest(), header["source"], devices, notes(header, totals), form or "")


def keep(load: Load) -> None:
    """Lets runs find the file by its content."""
    place = trace_place(load.sha256)
    if load.path == place:
        return
    place.parent.mkdir(mode=0o700, exist_ok=True)
    draft = place.with_name(f"{place.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    draft.symlink_to(load.path.absolute())
    draft.replace(place)


@dataclass(frozen=True)
class How:
    """How a trace is to be replayed."""

    speed: float = 1.0
    closed: bool = False
    reads_only: bool = False
    region: int | None = None
    """Bytes that its addresses are scaled to; None: as many as it used."""
    align: int = SECTOR
    """What the targets need I/Os to be multiples of."""


def parameters(load: Load, device: str | None, how: How) -> dict[str, Any]:
    """The parameters of a test `replay`, as texts and one record. Raises UsageError for what cannot be replayed."""
    number = load.device(device)
    found = load.devices[number]
    _refuse(load, found, how)
    longest = max(4 * KIB, -(-min(found.longest, LONGEST_BYTES) // how.align) * how.align)
    extent, region = max(found.extent, longest), how.region
    size = -(-(region or extent) // (4 * KIB)) * 4 * KIB
    if region is not None and region < longest:
        raise UsageError(f"--space {format_size(region)} is less than one I/O of the trace, {format_size(longest)}")
    lasts_ns = _lasts_ns(round(found.last_ns / how.speed))
    recording = {
        "sha256": load.sha256,
        "speed": how.speed,
        "closed": how.closed,
        "device": number,
        "from_ns": 0,
        "until_ns": FOREVER,
        "extent": extent,
        "align": how.align,
        "format": load.form,
        "lasts_ns": lasts_ns,
        "operations": found.replayed(reads_only=how.reads_only),
        "together": found.together,
    }
    return {
        "recording": recording,
        "mode": "randread" if how.reads_only else "randrw",
        "block_size": f"{longest}B",
        "depth": str(_depth(found, how)),
        "size": f"{size}B",
        "runtime": _runtime(lasts_ns),
    }


def part(whole: dict[str, Any], begin_ns: int, length_ns: int, operations: int) -> dict[str, Any]:
    """The parameters of a replay of so much of a trace, in which so many I/Os came, instead of the whole."""
    lasts_ns = _lasts_ns(length_ns)
    bounds = {"from_ns": begin_ns, "until_ns": begin_ns + length_ns, "lasts_ns": lasts_ns, "operations": operations}
    return {**whole, "recording": {**whole["recording"], **bounds}, "runtime": _runtime(lasts_ns)}


def _lasts_ns(last_ns: int) -> int:
    """A second more: what was due at the end may take a while."""
    return last_ns + SECOND


def _runtime(lasts_ns: int) -> str:
    """What a place gets that is slower than the one of the trace."""
    return f"{AS_LONG_AGAIN * lasts_ns + LEAST_MORE_NS}ns"


def _refuse(load: Load, found: Device, how: How) -> None:
    if not SLOWEST <= how.speed <= FASTEST:
        raise UsageError(f"--speed {how.speed:g}: a trace is replayed {SLOWEST:g} to {FASTEST:,g} times as fast")
    if how.reads_only and not found.events[READS]:
        raise UsageError(f"{load.path} holds no reads; to replay its writes, take a directory, or --writes")
    if not how.reads_only and not found.events[READS] + found.events[WRITES]:
        raise UsageError(f"{load.path} holds neither reads nor writes")
    if how.closed and found.timed < TIMED * sum(found.events):
        known = f"of {found.timed:,} of {sum(found.events):,} I/Os" if found.timed else "of no I/O"
        raise UsageError(
            f"{load.path} says {known} when it was done, so nobody knows what waited for what: leave --closed out, and "
            "it is replayed in its own times"
        )


def said(load: Load, number: int, how: How) -> list[str]:
    """What of a trace is not replayed as it was, each a sentence."""
    found, depth = load.devices[number], _depth(load.devices[number], how)
    lines = list(load.notes)
    if how.reads_only and (left := found.events[WRITES] + found.events[FLUSHES]):
        lines.append(f"writes and flushes: {left:,}; they are left out, because only reads are replayed here")
    if found.events[TRIMS]:
        lines.append(f"trims: {found.events[TRIMS]:,}; they are left out, because later reads would find nothing there")
    if found.longest > LONGEST_BYTES:
        lines.append(f"I/Os longer than {format_size(LONGEST_BYTES)} are replayed as if they were that long")
    unaligned = dict(zip(UNITS, found.unaligned, strict=True)).get(how.align, 0)
    if unaligned:
        lines.append(
            f"I/Os that are not of whole blocks of {how.align:,} bytes, as the target needs them: {unaligned:,}; whole "
            "blocks are replayed"
        )
    if not how.closed and found.together > depth:
        lines.append(
            f"up to {found.together:,} I/Os are due at one moment, and {depth:,} are kept in flight: the others are "
            "issued late on any target; --closed asks for no times"
        )
    return lines


def _depth(found: Device, how: How) -> int:
    """As many as there is memory for."""
    longest = max(4 * KIB, -(-min(found.longest, LONGEST_BYTES) // how.align) * how.align)
    return min(MOST_IN_FLIGHT, max(LEAST_IN_FLIGHT, BUFFERS_BYTES // (2 * longest)))
