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
from plimsoll.units import KIB, SECOND, format_size

FOREVER = 2**63
"""Later than any arrival."""
SLOWEST, FASTEST = 0.001, 1000.0
READS, WRITES, TRIMS, FLUSHES = range(4)
LONGEST_BYTES = 4 << 20
"""A longer I/O of a trace is replayed as so much: its buffers are there before the load begins."""

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


@dataclass(frozen=True)
class Load:
    """A trace, looked through once."""

    path: Path
    sha256: str
    source: str
    devices: tuple[Device, ...]
    notes: tuple[str, ...]
    cut: bool

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


def look_through(path: Path, tell: Callable[[int], None] | None = None) -> Load:
    """Reads all of a trace: its content's hash, and what each device was asked for. Raises TraceError."""
    if beginning(path, 2)[1]:
        raise UsageError(f"{path} is packed: unpack it first (gunzip), because it is read again while it is replayed")
    reader = core.opened_as(path, None, core.Survey)
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
        Device(about["name"], part["events"], part["extent"], part["longest"], part["last_ns"])
        for about, part in zip(header["devices"], found["devices"], strict=False)
    )
    left_out = tuple(f"{each['count']:,} {each['why']}" for each in totals["left_out"])
    return Load(path, digest.hexdigest(), header["source"], devices, (*header["notes"], *left_out), totals["cut"])


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


def parameters(
    load: Load, device: str | None, *, speed: float, closed: bool, reads_only: bool, region: int | None
) -> dict[str, Any]:
    """The parameters of a test `replay`, as texts and one record. Raises UsageError for what cannot be replayed."""
    if not SLOWEST <= speed <= FASTEST:
        raise UsageError(f"--speed {speed:g}: a trace is replayed {SLOWEST:g} to {FASTEST:,g} times as fast")
    number = load.device(device)
    found = load.devices[number]
    if reads_only and not found.events[READS]:
        raise UsageError(f"{load.path} holds no reads; to replay its writes, take a directory, or --writes")
    if not reads_only and not found.events[READS] + found.events[WRITES]:
        raise UsageError(f"{load.path} holds neither reads nor writes")
    longest = max(4 * KIB, -(-min(found.longest, LONGEST_BYTES) // 512) * 512)
    extent = max(found.extent, longest)
    size = -(-(region or extent) // (4 * KIB)) * 4 * KIB
    if size < longest:
        raise UsageError(f"--space {format_size(size)} is less than one I/O of the trace, {format_size(longest)}")
    recording = {
        "sha256": load.sha256,
        "speed": speed,
        "closed": closed,
        "device": number,
        "from_ns": 0,
        "until_ns": FOREVER,
        "extent": extent,
        "align": 512,
    }
    # A second more: what was due at the end may take a while. A closed load ends when it is done.
    lasts_ns = round(found.last_ns / speed) + SECOND
    return {
        "recording": recording,
        "mode": "randread" if reads_only else "randrw",
        "block_size": f"{longest}B",
        "depth": str(min(MOST_IN_FLIGHT, max(LEAST_IN_FLIGHT, BUFFERS_BYTES // (2 * longest)))),
        "size": f"{size}B",
        "runtime": f"{lasts_ns}ns",
    }


def said(load: Load, number: int, *, reads_only: bool) -> list[str]:
    """What of a trace is not replayed as it was, each a sentence."""
    found = load.devices[number]
    lines = list(load.notes)
    if load.cut:
        lines.append(f"{load.path} is cut short: what came after its last whole block is not known")
    if reads_only and (left := found.events[WRITES] + found.events[FLUSHES]):
        lines.append(f"{left:,} writes and flushes are left out: only reads are replayed here")
    if found.events[TRIMS]:
        lines.append(f"{found.events[TRIMS]:,} trims are left out: later reads would find nothing there")
    if found.longest > LONGEST_BYTES:
        lines.append(f"I/Os longer than {format_size(LONGEST_BYTES)} are replayed as so much")
    return lines
