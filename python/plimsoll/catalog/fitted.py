"""Numbers of a volume that were measured, in place of the provider's: `model=FILE`, a file of `plimsoll volume fit`.

In stored targets the file's numbers stand in its place, `iops:2990/read_median_ns:512000`, so that a session means
the same on another machine. What a file leaves out is as the provider says.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from plimsoll.catalog.limits import Limits, Rate
from plimsoll.errors import UnknownName, UsageError

LIMITS = ("iops", "throughput")
KINDS = ("read", "write")
RATE_PARTS = ("", "_baseline", "_credits")
"""Of a limit: the rate, with credits while there are any; what remains without them and is earned; the most held."""
LATENCY_PARTS: Mapping[str, Callable[[float], Any]] = {
    "floor_ns": round,
    "median_ns": round,
    "sigma": float,
    "tail_share": float,
    "tail_median_ns": round,
    "tail_sigma": float,
    "bytes_per_s": round,
}
"""Of a kind: what `LatencySpec` of the volume crate calls them, and what they are."""
NUMBERS = (
    *(f"{limit}{part}" for limit in LIMITS for part in RATE_PARTS),
    *(f"{kind}_{part}" for kind in KINDS for part in LATENCY_PARTS),
)
"""Everything that a fit can say, by name and in base units; throughput and its credits in bytes."""
FILE_ENDS = ".toml"


@dataclass(frozen=True)
class Fitted:
    """The numbers of one file."""

    numbers: Mapping[str, float]
    type: str = ""
    """The volume type that it is of; empty where the numbers were written out, and the type was checked before."""
    volume: Mapping[str, str] | None = None
    """What was provisioned, which limits hold for; None where the file does not say it."""

    @property
    def text(self) -> str:
        """As `read_fitted` reads it, without the file."""
        return "/".join(f"{name}:{self.numbers[name]:.12g}" for name in NUMBERS if name in self.numbers)

    def limits(self, own: Limits, where: str) -> Limits:
        """The limits of a volume with the measured numbers in place of those of its type."""
        return Limits(*(self._rate(name, getattr(own, name), where) for name in LIMITS))

    def latency(self, kind: str, spec: Mapping[str, Any]) -> dict[str, Any]:
        """The latency of a kind, likewise."""
        own = {
            part: read(self.numbers[f"{kind}_{part}"])
            for part, read in LATENCY_PARTS.items()
            if f"{kind}_{part}" in self.numbers
        }
        return {**spec, **own}

    def _rate(self, name: str, rate: Rate | None, where: str) -> Rate | None:
        level, baseline, credits = (
            None if f"{name}{part}" not in self.numbers else round(self.numbers[f"{name}{part}"]) for part in RATE_PARTS
        )
        if level is None and baseline is None and credits is None:
            return rate
        known = rate or Rate(level or 0)
        found = replace(
            known,
            rate=known.rate if level is None else level,
            baseline=known.baseline if baseline is None else baseline,
            capacity=known.capacity if credits is None else credits,
        )
        if found.rate < 1 or (found.baseline is None) != (found.capacity is None):
            raise UsageError(
                f"{where}: model: a burst of {name} needs {name}, {name}_baseline and {name}_credits; give all three"
            )
        if found.baseline is not None and found.baseline >= found.rate:
            raise UsageError(f"{where}: model: {name}_baseline is not below {name}, so nothing is a burst")
        return found


def read_fitted(text: str, where: str) -> Fitted:
    """The numbers in a file, or written out; raises UsageError and UnknownName."""
    if text.endswith(FILE_ENDS):
        return _from_file(Path(text).expanduser(), f"{where}: model={text}")
    numbers: dict[str, float] = {}
    for word in text.split("/"):
        name, colon, value = word.partition(":")
        if not colon:
            raise UsageError(
                f"{where}: model={text}: this is neither a file {FILE_ENDS} of `plimsoll volume fit` nor numbers like "
                "iops:2990/read_median_ns:512000"
            )
        numbers[name.strip()] = _number(name.strip(), value, f"{where}: model")
    return Fitted(numbers)


def _from_file(path: Path, where: str) -> Fitted:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(
            f"{where}: {error.strerror}; `plimsoll volume fit SESSION -o {path.name}` writes one"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{where}: it is no TOML ({error}); `plimsoll volume fit` writes such files") from None
    kind, numbers, volume = table.get("type"), table.get("numbers"), table.get("volume")
    if not isinstance(kind, str) or not isinstance(numbers, dict) or not numbers:
        raise UsageError(f"{where}: it lacks `type` or a table [numbers]; `plimsoll volume fit` writes such files")
    read = {name: _number(name, value, where) for name, value in numbers.items()}
    said = {str(name): str(value) for name, value in volume.items()} if isinstance(volume, dict) else None
    return Fitted(read, kind, said)


@cache
def _number(name: str, value: Any, where: str) -> float:
    if name not in NUMBERS:
        raise UnknownName("number of a model", name, NUMBERS, where)
    try:
        found = float(value)
    except (TypeError, ValueError):
        found = math.nan
    least, most = (1.0 if name.startswith(LIMITS) else 0.0), (1.0 if name.endswith("_share") else 1e18)
    if isinstance(value, bool) or not least <= found <= most:
        raise UsageError(f"{where}: {name} = {value}: write a number from {least:g} to {most:g}")
    return found


def check_is_of(fitted: Fitted, type_name: str, bought: Mapping[str, str], where: str) -> None:
    """Refuses numbers of another type, and limits that were measured with something else provisioned."""
    if not fitted.type:
        return
    if fitted.type != type_name:
        raise UsageError(f"{where}: model: the file is of {fitted.type}, and this volume is {type_name}")
    limits = [name for name in fitted.numbers if name.startswith(LIMITS)]
    if fitted.volume is None or not limits:
        return
    differ = [name for name, value in fitted.volume.items() if bought.get(name) != value]
    if differ:
        told = ", ".join(f"{name}={fitted.volume[name]}" for name in differ)
        has = ", ".join(f"{name}={bought.get(name, 'none')}" for name in differ)
        raise UsageError(
            f"{where}: model: its limits were measured with {told}, and this volume has {has}; ask for the same, or "
            f"take {', '.join(limits)} out of the file: latencies hold for every volume of the type"
        )
