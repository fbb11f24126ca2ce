"""fio's notation: sizes under kb_base, times, percentages, values per direction, ranges and splits.

Source: fio 3.33 (`parse.c`), each rule tried with the binary. With kb_base=1024, fio's default, `4k` and `4kb` are 4096
but `4KiB` is 4000: the prefixes of SI and IEC are swapped, and only kb_base=1000 puts them right.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from plimsoll.errors import UsageError

Value = TypeVar("Value")

_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_SIZE = re.compile(r"(0x[0-9a-f]+|\d+(?:\.\d+)?)\s*([kmgtp]?)(ib|b|i)?", re.IGNORECASE)
_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]*)", re.IGNORECASE)
_TIME_UNITS = {
    "us": 1_000,
    "usec": 1_000,
    "ms": 1_000_000,
    "msec": 1_000_000,
    "s": 10**9,
    "sec": 10**9,
    "m": 60 * 10**9,
    "min": 60 * 10**9,
    "h": 3600 * 10**9,
    "d": 86400 * 10**9,
}


def size(text: str, kb_base: int = 1024) -> int:
    """Bytes from `4k`, `0x1000`, `1.5g`, `4KiB` (4000 unless kb_base is 1000)."""
    match = _SIZE.fullmatch(text.strip())
    if not match:
        raise UsageError(f"{text!r} is not a size; fio takes 4k, 1m, 2g, …")
    number, letter, ending = match[1].lower(), match[2].lower(), (match[3] or "").lower()
    swapped = 1000 if kb_base == 1024 else 1024
    unit = (swapped if ending == "ib" else kb_base) ** _POWERS[letter]
    return int(number, 16) * unit if number.startswith("0x") else int(float(number) * unit)


def swapped_unit(text: str, kb_base: int) -> bool:
    """Whether a text has a unit such as KiB, which fio reads as 1000."""
    return kb_base == 1024 and re.search(r"\d\s*[kmgtp]ib", text, re.IGNORECASE) is not None


def size_or_percent(text: str, kb_base: int = 1024) -> int | float:
    """Bytes, or a share 0…1 as a float where the text ends with `%`."""
    if text.strip().endswith("%"):
        return whole(text.strip().removesuffix("%")) / 100
    return size(text, kb_base)


def percent(text: str) -> float:
    """A whole percentage 0…100 as a share 0…1."""
    number = whole(text)
    if not 0 <= number <= 100:
        raise UsageError(f"{number} %: use 0 to 100")
    return number / 100


def time_ns(text: str, unit: str) -> int:
    """Nanoseconds; `unit` is what a bare number counts: `s` or `us`."""
    match = _TIME.fullmatch(text.strip())
    if not match or (match[2].lower() or unit) not in _TIME_UNITS:
        raise UsageError(f"{text!r} is not a time; fio takes 30, 30s, 5m, 100ms, …")
    return int(float(match[1]) * _TIME_UNITS[match[2].lower() or unit])


def whole(text: str) -> int:
    """A whole number; as with fio `2k` is 2048, for counts too."""
    sign, plain = (-1, text.strip()[1:]) if text.strip().startswith("-") else (1, text.strip())
    if "." in plain or not _SIZE.fullmatch(plain):
        raise UsageError(f"{text!r} is not a whole number")
    return sign * size(plain)


def percentiles(text: str) -> list[float]:
    """`50:99:99.9`, ascending."""
    found = sorted(number_of(part) for part in text.split(":"))
    if not 0 <= found[0] <= found[-1] <= 100:
        raise UsageError("percentiles are 0 to 100")
    return found


def number_of(text: str) -> float:
    """A number, perhaps with a fraction."""
    try:
        return float(text.strip())
    except ValueError:
        raise UsageError(f"{text!r} is not a number") from None


def boolean(text: str) -> bool:
    """`1` or `0`; an option without a value is on."""
    if text.strip() in ("", "1"):
        return True
    if text.strip() == "0":
        return False
    raise UsageError(f"{text!r} is neither 1 nor 0")


def per_direction(text: str, read: Callable[[str], Value], default: Value) -> tuple[Value, Value, Value]:
    """Values for read, write and trim from `a`, `a,b` or `a,b,c`: one value is for all, the last one given goes on."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > 3:
        raise UsageError(f"{text!r} has more than three values; they are for read, write and trim")
    if len(parts) == 1:
        return (read(parts[0]),) * 3
    values = [read(part) if part else default for part in parts]
    return values[0], values[1], values[-1]


def range_of(text: str, kb_base: int = 1024) -> tuple[int, int]:
    """`4k-16k`, or `4k:16k`, as its two ends in bytes."""
    low, dash, high = text.replace(":", "-").partition("-")
    if not dash:
        raise UsageError(f"{text!r} is not a range; fio takes 4k-16k")
    ends = size(low, kb_base), size(high, kb_base)
    return min(ends), max(ends)


def split_of(text: str, kb_base: int = 1024) -> list[tuple[int, float]]:
    """`4k/10:64k/50:32k/40` as (bytes, percent); entries without a percentage share what is left."""
    entries = []
    for part in text.split(":"):
        size_text, _, percent = part.partition("/")
        entries.append((size(size_text, kb_base), float(percent) if percent.strip() else None))
    given = sum(percent for _, percent in entries if percent is not None)
    missing = sum(1 for _, percent in entries if percent is None)
    if given > 100:
        raise UsageError(f"bssplit {text!r} adds up to {given:g} %, more than 100")
    if given < 100 and not missing:
        raise UsageError(
            f"bssplit {text!r} adds up to {given:g} %, less than 100; leave one percentage out for the rest"
        )
    return [(length, (100 - given) / missing if percent is None else percent) for length, percent in entries]


HOT = {"zipf": ("theta", 1.1), "pareto": ("h", 0.2), "normal": ("deviation", 0.0)}
"""Kinds with hot blocks: the core's name of their number, and fio's default."""


def hot(kind: str, rest: str) -> dict[str, Any]:
    """`1.2` or `1.2:0.3`: the number of a kind, and the centre."""
    number_text, colon, centre_text = rest.partition(":")
    name, default = HOT[kind]
    number = number_of(number_text) if number_text else default
    if kind == "normal" and not 0 <= number < 100:
        raise UsageError(f"a deviation of {number:g} %: use 0 or more, and less than 100")
    found: dict[str, Any] = {"kind": kind, name: number / 100 if kind == "normal" else number}
    if colon:
        found["centre"] = number_of(centre_text)
        if not 0 <= found["centre"] <= 1:
            raise UsageError(f"a centre of {centre_text}: use 0 to 1")
    return found


def cpu_list(text: str) -> list[int]:
    """CPUs from `0-1,3` (also with `:`)."""
    cpus: list[int] = []
    for part in re.split(r"[,:]", text):
        first, dash, last = part.partition("-")
        cpus += range(whole(first), (whole(last) if dash else whole(first)) + 1)
    return cpus
