"""Recording what goes to block devices: each I/O from the kernel's tracepoints, or their counters once a second."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from plimsoll.errors import TargetError
from plimsoll.targets.blockdev import BlockDevice, folder
from plimsoll.traces import core, notes
from plimsoll.traces.asked import Asked
from plimsoll.traces.cgroups import of_others, read_bytes
from plimsoll.traces.device_counters import Counters, grown, read_counters
from plimsoll.traces.places import Place
from plimsoll.traces.ring import Plain, Ring
from plimsoll.traces.tracefs import ARRIVALS, POINTS, Instance, instance

LOOKS_EVERY_S = 0.1
RESOLUTION_NS = 64
"""Finer times are noise that does not pack: 100 million random I/Os would be a quarter more, and exceed 1 GB."""
MARGIN_NS = 20_000_000
"""A processor may be a moment late with a record that it has begun."""
WHOLE_EVERY_S = 1.0
"""So much is lost at most when the recording is killed."""
TOLD_EVERY = 5
"""So many of them are between two lines of progress."""
WAITS_FOR_LAST_S = 1.0
SAMPLED_EVERY_S = 1.0
KINDS = ("reads", "writes", "trims")


@dataclass
class Progress:
    """How far a recording is."""

    events: int = 0
    bytes: int = 0
    passed_s: float = 0.0
    written_bytes: int = 0


@dataclass
class Recorded:
    """What a recording was."""

    totals: dict[str, Any] = field(default_factory=dict)
    events: int = 0
    bytes: int = 0
    passed_s: float = 0.0
    ended: str = "time"
    """`time`, `size` or `interrupted`."""
    differences: list[str] = field(default_factory=list)
    """Where the devices counted something else; each a sentence."""


Tell = Callable[[Progress], None]
Others = list[notes.LeftOut]


def header(place: Place, source: str, content: str, start_unix_ns: int) -> dict[str, Any]:
    """The header of a trace of these devices."""
    return {
        "content": content,
        "source": source,
        "start_unix_ns": start_unix_ns,
        "resolution_ns": RESOLUTION_NS if content == "events" else 1_000_000,
        "devices": [_described(device) for device in place.devices],
        "processes": [""],
        "notes": place.notes,
    }


def _described(device: BlockDevice) -> dict[str, Any]:
    about = device.model or device.kind
    number = [int(part) for part in device.number.split(":")]
    return {"name": device.name, "number": number, "bytes": device.size_bytes, "about": about}


class Recording:
    """The I/Os of some devices, from now on until `seconds` have passed, the file is full, or Ctrl-C."""

    def __init__(self, place: Place, file: Plain | Ring, *, anonymous: bool) -> None:
        """Nothing is recorded yet."""
        self.place, self.file, self.anonymous = place, file, anonymous
        self.result = Recorded()
        self._before: list[Counters] = []
        self._asked = Asked()

    def run(self, seconds: float | None, tell: Tell) -> Recorded:
        """Records. Raises NoTracing if this is not allowed, before anything is written."""
        inside = [_inside(device.number) for device in self.place.devices]
        with self._asked, instance(inside) as tracing:
            begin_ns = time.monotonic_ns()
            about = header(self.place, "observe", "events", time.time_ns())
            setup = {
                "header": about,
                "formats": tracing.formats(),
                "devices": [_observed(device) for device in self.place.devices],
                "anonymous": self.anonymous,
                "start_ns": begin_ns,
            }
            tap = core.tap(setup)
            tracing.enable(POINTS, on=True)
            self._before = self._look(tap)
            self._go(tracing, tap, begin_ns, seconds, tell)
            self._end(tracing, tap, begin_ns)
        return self.result

    def _look(self, tap: core.Tap) -> list[Counters]:
        begin_ns = time.monotonic_ns()
        found = [read_counters(device.number) for device in self.place.devices]
        tap.edge(begin_ns, time.monotonic_ns())
        return found

    def _go(self, tracing: Instance, tap: core.Tap, begin_ns: int, seconds: float | None, tell: Tell) -> None:
        whole_at, number = time.monotonic() + WHOLE_EVERY_S, 0
        while seconds is None or (time.monotonic_ns() - begin_ns) / 1e9 < seconds:
            left = LOOKS_EVERY_S if seconds is None else seconds - (time.monotonic_ns() - begin_ns) / 1e9
            time.sleep(max(0.0, min(LOOKS_EVERY_S, left)))
            if self._asked.end:
                self.result.ended = "interrupted"
                return
            whole = time.monotonic() >= whole_at
            if whole:
                whole_at = time.monotonic() + WHOLE_EVERY_S
            self._step(tracing, tap, whole=whole)
            if not whole:
                continue
            number += 1
            self.file.grown()
            if self.file.turns:
                self.file.turn(tap.begin())
            if self.file.full:
                self.result.ended = "size"
                return
            if number % TOLD_EVERY == 0:
                state = json.loads(tap.state())
                passed_s = (time.monotonic_ns() - begin_ns) / 1e9
                tell(Progress(state["events"], state["bytes"], passed_s, self.file.written))

    def _step(self, tracing: Instance, tap: core.Tap, *, whole: bool) -> None:
        until_ns = time.monotonic_ns() - MARGIN_NS
        for page in tracing.pages():
            tap.page(page)
        self.file.write(tap.advance(until_ns, whole))

    def _end(self, tracing: Instance, tap: core.Tap, begin_ns: int) -> None:
        after = self._look(tap)
        end_ns = time.monotonic_ns()
        tracing.enable(ARRIVALS, on=False)
        deadline = time.monotonic() + WAITS_FOR_LAST_S
        self._step(tracing, tap, whole=False)
        while time.monotonic() < deadline and json.loads(tap.state())["in_flight"]:
            time.sleep(LOOKS_EVERY_S / 4)
            self._step(tracing, tap, whole=False)
        tracing.enable(POINTS, on=False)
        time.sleep(MARGIN_NS / 1e9)
        self._step(tracing, tap, whole=False)
        lost = tracing.lost()
        totals = self._totals(after, end_ns - begin_ns, lost)
        self.file.write(tap.advance((1 << 64) - 1, False))
        state = json.loads(tap.state())
        self.result.differences = differences(self.place.devices, self._before, after, state, lost)
        last, told = tap.finish(json.dumps(totals))
        self.result.totals = self.file.finish(last, json.loads(told))
        self.result.passed_s = (end_ns - begin_ns) / 1e9
        self.result.events, self.result.bytes = state["events"] + state["in_flight"], state["bytes"]

    def _totals(self, after: list[Counters], recorded_ns: int, lost: int) -> dict[str, Any]:
        edges = [
            {"device": index, "before": before, "after": now}
            for index, (before, now) in enumerate(zip(self._before, after, strict=True))
        ]
        empty = [{"events": 0, "bytes": 0}] * 4
        return {
            "kinds": empty,
            "unfinished": 0,
            "last_arrival_ns": 0,
            "recorded_ns": recorded_ns,
            "counters": edges,
            "left_out": notes.lost(lost),
        }


def differences(
    devices: list[BlockDevice], before: list[Counters], after: list[Counters], state: dict[str, Any], lost: int
) -> list[str]:
    """Where a device counted other bytes or I/Os than are in the trace, beyond those under way at its edges."""
    found = []
    for index, device in enumerate(devices):
        counted = grown(before[index], after[index])
        if counted is None:
            found.append(f"the counters of {device.name} were set back meanwhile: the device was made anew")
            continue
        requests = makes_requests(device)
        # Requests tell their own length; of I/Os that arrived before the recording it is not known.
        unknown = 0 if requests else state["begun_before"] * (device.largest_request_bytes or 1 << 20)
        for kind, name in enumerate(KINDS):
            least, most = state["between"][index]["least"][kind], state["between"][index]["most"][kind]
            if not least["bytes"] <= counted["bytes"][kind] <= most["bytes"] + unknown:
                found.append(_difference(device.name, name, "bytes", counted["bytes"][kind], most["bytes"], lost))
            # A request can complete in several steps, so only what is missing is sure.
            if requests and counted["requests"][kind] > most["parts"]:
                found.append(_difference(device.name, name, "requests", counted["requests"][kind], most["parts"], lost))
    return found


def _difference(device: str, kind: str, unit: str, counted: int, seen: int, lost: int) -> str:
    why = "records were lost" if lost else "so the trace is not all that the device did"
    return f"{device} counted {counted:,} {unit} of {kind}, the trace has {seen:,}: {why}"


def _observed(device: BlockDevice) -> dict[str, Any]:
    """As `Observed` of `crates/logs/src/trace/kernel/tap.rs`."""
    requests = makes_requests(device)
    return {"dev": _inside(device.number), "requests": requests, "fua": device.forced_unit_access}


def makes_requests(device: BlockDevice) -> bool:
    """Whether a device has queues of requests; those made of others often pass I/Os on."""
    return (folder(device.name) / "mq").is_dir()


def _inside(number: str) -> int:
    """`major:minor` as the kernel has it inside."""
    major, minor = (int(part) for part in number.split(":"))
    return major << 20 | minor


class Sampling:
    """The counters of some devices, once a second, where I/Os cannot be seen."""

    def __init__(self, place: Place, file: Plain) -> None:
        """Nothing is recorded yet."""
        self.place, self.file = place, file
        self.result = Recorded()
        self._asked = Asked()

    def run(self, seconds: float | None, tell: Tell, every_s: float = SAMPLED_EVERY_S) -> Recorded:
        """Records."""
        with self._asked:
            return self._run(seconds, tell, every_s)

    def _run(self, seconds: float | None, tell: Tell, every_s: float) -> Recorded:
        begin_ns, number = time.monotonic_ns(), 0
        writer, first = core.sampler(header(self.place, "observe", "samples", time.time_ns()))
        self.file.write(first)
        start = [read_counters(device.number) for device in self.place.devices]
        before, before_ns, reset = start, begin_ns, 0
        own = self._own_bytes()
        try:
            while seconds is None or before_ns - begin_ns < seconds * 1e9 - 1e6:
                number += 1
                due_ns = begin_ns + int(number * every_s * 1e9)
                due_ns = due_ns if seconds is None else min(due_ns, begin_ns + int(seconds * 1e9))
                self._asked.sleep(max(0, due_ns - time.monotonic_ns()) / 1e9)
                if self._asked.end:
                    self.result.ended = "interrupted"
                    break
                now_ns = time.monotonic_ns()
                now = [read_counters(device.number) for device in self.place.devices]
                found = [grown(old, new) for old, new in zip(before, now, strict=True)]
                reset += found.count(None)
                samples = [
                    {"time_ns": now_ns - begin_ns, "interval_ns": now_ns - before_ns, "device": index, "grown": counted}
                    for index, counted in enumerate(found)
                    if counted is not None
                ]
                self.file.write(writer.samples(json.dumps(samples)))
                self.file.grown()
                before, before_ns = now, now_ns
                self._count(start, now, (now_ns - begin_ns) / 1e9)
                if self.file.full:
                    self.result.ended = "size"
                    break
                if number % TOLD_EVERY == 0:
                    passed_s = self.result.passed_s
                    tell(Progress(self.result.events, self.result.bytes, passed_s, self.file.written))
        except TargetError as error:
            self.result.ended = "gone"
            self.result.differences.append(str(error))
        self.result.totals = self._totals(start, before, before_ns - begin_ns, reset)
        self.result.totals["left_out"] += self._of_others(own, start, before)
        self.file.write(writer.finish(json.dumps(self.result.totals)))
        return self.result

    def _own_bytes(self) -> list[tuple[int, int, int] | None]:
        """Of the cgroup of the process that was named, device by device."""
        group = self.place.group
        return [read_bytes(group, device.number) for device in self.place.devices] if group else []

    def _of_others(self, own: list[tuple[int, int, int] | None], start: list[Counters], now: list[Counters]) -> Others:
        found: Others = []
        rows = zip(self.place.devices, own, self._own_bytes(), start, now, strict=False)
        for device, before, after, old, new in rows:
            counted = grown(old, new)
            # A group that went away meanwhile has no counters any more.
            if self.place.group is None or counted is None or after is None:
                continue
            asked = [late - early for early, late in zip(before or (0, 0, 0), after, strict=True)]
            found += of_others(self.place.group, device.name, asked, counted["bytes"])
        return found

    def _count(self, start: list[Counters], now: list[Counters], passed_s: float) -> None:
        since = [counted for old, new in zip(start, now, strict=True) if (counted := grown(old, new)) is not None]
        self.result.events = sum(sum(counted["requests"]) for counted in since)
        self.result.bytes = sum(sum(counted["bytes"]) for counted in since)
        self.result.passed_s = passed_s

    @staticmethod
    def _totals(start: list[Counters], now: list[Counters], passed_ns: int, reset: int) -> dict[str, Any]:
        edges = [
            {"device": index, "before": old, "after": new}
            for index, (old, new) in enumerate(zip(start, now, strict=True))
        ]
        return {
            "kinds": [{"events": 0, "bytes": 0}] * 4,
            "unfinished": 0,
            "last_arrival_ns": 0,
            "recorded_ns": passed_ns,
            "counters": edges,
            "left_out": notes.counters_set_back(reset),
        }
