"""A load for a simulation, written like a test: `randread`, or `randrw,depth=64,read_share=75%,rate=2000/s`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plimsoll.declared import IoParameters
from plimsoll.errors import UsageError
from plimsoll.parameter import value_text
from plimsoll.parameters import parameter as known
from plimsoll.profile import Entry, cases, profiles
from plimsoll.units import DAY, SECOND, format_duration, format_size

DEFAULT_TEST = "randread"
ASSUMED = " (assumed; --job says what it really is)"
TRACE_DEPTH = 256
"""Operations in flight that a replay may have: more than any trace that was recorded below its device's queue."""
MOST_INTERVALS = 100_000
"""Seconds, up to somewhat over a day; a longer simulation has longer intervals."""
LONGEST_NS = 3660 * DAY

_READ_SHARES = {"read": 1.0, "randread": 1.0, "write": 0.0, "randwrite": 0.0}


@dataclass(frozen=True)
class Load:
    """A made load: operations of one size, closed loop (`rate` None) or open loop."""

    words: str
    """As people say it."""
    block_bytes: int
    depth: int
    rate: float | None
    """Operations per second."""
    read_share: float
    sequential: bool
    region_bytes: int
    seed: int

    def request(self, duration_ns: int, device_bytes: int) -> dict[str, Any]:
        """The JSON of the crate's `Workload`."""
        return {
            "block_bytes": self.block_bytes,
            "depth": self.depth,
            "rate": self.rate,
            "read_share": self.read_share,
            "pattern": "sequential" if self.sequential else "random",
            "region_bytes": min(self.region_bytes, device_bytes),
            "duration_ns": duration_ns,
            "interval_ns": interval_ns(duration_ns),
            "seed": self.seed,
        }


@dataclass(frozen=True)
class Trace:
    """A recorded load: a trace of any format that `plimsoll replay` reads."""

    path: Path
    depth: int = TRACE_DEPTH

    @property
    def words(self) -> str:
        """As people say it."""
        return f"the recorded load {self.path.name}"


def interval_ns(duration_ns: int) -> int:
    """One second, or more where there would be too many of them."""
    return max(1, -(-duration_ns // (MOST_INTERVALS * SECOND))) * SECOND


def load(text: str | None, settings: Mapping[str, Any]) -> Load:
    """The load written as `TEST[,parameter=value…]`, and further parameters; raises UsageError for what has no model.

    Only tests of the workload `io` have one: what a file system or database asks of a volume can be recorded and given
    as a trace.
    """
    name, overrides = _split(text or DEFAULT_TEST)
    if name in profiles() and profiles()[name].workload != "io":
        raise UsageError(
            f"test {name} cannot be simulated: what it asks of the volume is not known; "
            "record it with blktrace or fio's write_iolog, and give --trace FILE"
        )
    case = cases([Entry(name, overrides)], settings, "--job")[0]
    values = case.plan({}, "--job").values(IoParameters)
    mode = values["mode"]
    if "trim" in mode:
        raise UsageError(f"--job {name}: trims have no cost in the model; simulate reads and writes")
    sizes = values["block_size"]
    if len(sizes) > 1:
        raise UsageError("--job: a simulation takes one block size; simulate the largest part of the mix")
    block = int(sizes[0][0])
    rate = values["rate"]
    per_second = None if rate is None else rate["per_second"] / (block if rate["unit"] == "bytes" else 1)
    depth = values["depth"] * values["threads"]
    share = _READ_SHARES.get(mode, values["read_share"])
    return Load(
        words=_words(values, depth, per_second) + ("" if text else ASSUMED),
        block_bytes=block,
        depth=depth,
        rate=per_second,
        read_share=share,
        sequential="rand" not in mode,
        region_bytes=values["size"],
        seed=values["seed"],
    )


def _split(text: str) -> tuple[str, dict[str, str]]:
    words: Sequence[str] = [word.strip() for word in text.split(",") if word.strip()]
    named = [word for word in words if "=" not in word]
    if len(named) > 1:
        raise UsageError(f"--job {text!r} names {', '.join(named)}; give one test, such as randread,depth=32")
    pairs = (word.partition("=") for word in words if "=" in word)
    return (named[0] if named else DEFAULT_TEST), {name: value for name, _, value in pairs}


def _words(values: IoParameters, depth: int, rate: float | None) -> str:
    mode = value_text(known("io", "mode"), values["mode"])
    share = f", {value_text(known('io', 'read_share'), values['read_share'])} reads" if mode in ("rw", "randrw") else ""
    kind = f"{mode} of {format_size(values['block_size'][0][0])}{share}"
    pace = f"{rate:,.10g} per second, at most {depth} in flight" if rate else f"always {depth} in flight"
    return f"{kind}, {pace}"


def checked_duration(duration_ns: int, option: str = "--duration") -> int:
    """A duration that can be simulated; raises UsageError."""
    if not SECOND <= duration_ns <= LONGEST_NS:
        raise UsageError(f"{option} {format_duration(duration_ns)}: from one second to ten years")
    return duration_ns
