"""Text to base units and back: bytes, nanoseconds, shares, rates.

Inside Plimsoll everything is in base units; only this module knows how they are written.
`k`, `M`, `G`, `T` alone and `KiB`, `MiB`, … are powers of 1024 (as in fio and ioping); `kB`, `MB`, … are powers of
1000.
"""

from __future__ import annotations

import math
import re

from plimsoll.errors import UsageError

KIB, MIB, GIB, TIB = 1024, 1024**2, 1024**3, 1024**4
MICROSECOND, MILLISECOND, SECOND = 1_000, 1_000_000, 1_000_000_000
MINUTE, HOUR, DAY = 60 * SECOND, 3600 * SECOND, 86400 * SECOND

_NUMBER = r"(\d+(?:\.\d+)?)"
_SIZES = {"": 1, "b": 1, "k": KIB, "m": MIB, "g": GIB, "t": TIB, "p": 1024**5}
_SIZES |= {f"{letter}ib": 1024**power for power, letter in enumerate("kmgtp", 1)}
_SIZES |= {f"{letter}b": 1000**power for power, letter in enumerate("kmgtp", 1)}
_DURATIONS = {"ns": 1, "us": MICROSECOND, "µs": MICROSECOND, "ms": MILLISECOND, "s": SECOND}
_DURATIONS |= {"m": MINUTE, "min": MINUTE, "h": HOUR, "d": DAY}
_COUNTS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}


def _fail(what: str, text: str, examples: str) -> UsageError:
    return UsageError(f"{text!r} is no {what}; write it like {examples}")


def parse_size(text: str | int) -> int:
    """Bytes from `4096`, `4k`, `4KiB`, `1.5G` (powers of 1024) or `4kB`, `1MB` (powers of 1000)."""
    if isinstance(text, int):
        return text
    match = re.fullmatch(rf"{_NUMBER}\s*([a-z]*)", text.strip().lower())
    if not match or match[2] not in _SIZES:
        raise _fail("size", text, "4KiB, 1MiB or 2GiB")
    size = float(match[1]) * _SIZES[match[2]]
    if size != int(size):
        raise UsageError(f"{text!r} is not a whole number of bytes")
    return int(size)


def parse_duration(text: str | int | float) -> int:
    """Nanoseconds from `10s`, `2m`, `1h30m`, `250ms`, or a bare number of seconds."""
    if not isinstance(text, str):
        return round(text * SECOND)
    compact = re.sub(r"\s+", "", text.lower())
    if re.fullmatch(_NUMBER, compact):
        return round(float(compact) * SECOND)
    parts = re.findall(rf"{_NUMBER}([a-zµ]+)", compact)
    if not parts or "".join(number + unit for number, unit in parts) != compact:
        raise _fail("duration", text, "10s, 2m, 1h30m or 250ms")
    if any(unit not in _DURATIONS for _, unit in parts):
        raise _fail("duration", text, "10s, 2m, 1h30m or 250ms")
    return round(sum(float(number) * _DURATIONS[unit] for number, unit in parts))


def parse_share(text: str | float) -> float:
    """A share 0…1 from `75%`, `0.75` or 0.75."""
    if isinstance(text, str):
        match = re.fullmatch(rf"{_NUMBER}\s*(%?)", text.strip())
        if not match:
            raise _fail("share", text, "75% or 0.75")
        value = float(match[1]) / (100 if match[2] else 1)
    else:
        value = float(text)
    if not 0 <= value <= 1:
        raise UsageError(f"{text!r} is not between 0 and 100 %")
    return value


def parse_count(text: str | int) -> int:
    """A whole number from `1000`, `10k` or `1M` (powers of 1000)."""
    if isinstance(text, int) and not isinstance(text, bool):
        return text
    if not isinstance(text, str):
        raise _fail("count", str(text), "1000, 10k or 1M")
    match = re.fullmatch(rf"{_NUMBER}\s*([a-z]?)", text.strip().lower())
    if not match or match[2] not in _COUNTS:
        raise _fail("count", text, "1000, 10k or 1M")
    count = float(match[1]) * _COUNTS[match[2]]
    if count != int(count):
        raise UsageError(f"{text!r} is not a whole number")
    return int(count)


def significant(value: float) -> str:
    """Three significant digits without an exponent, so that 3.1, 31.4 and 314 read alike."""
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def format_number(value: float) -> str:
    """A plain number with thousands separators: `118,204` or `3.14`."""
    return f"{value:,.0f}" if abs(value) >= 1000 else significant(value)


def format_size(size_bytes: float) -> str:
    """`4 KiB`, `1.5 GiB`."""
    for factor, name in ((1024**5, "PiB"), (TIB, "TiB"), (GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if abs(size_bytes) >= factor:
            return f"{significant(size_bytes / factor)} {name}"
    return f"{significant(size_bytes)} B"


def format_duration(duration_ns: float) -> str:
    """`82.1 µs`, `3.2 ms`, `14 s`, `2 min 5 s`, `1 h 30 min`."""
    if abs(duration_ns) >= HOUR:
        hours, rest = divmod(round(duration_ns / MINUTE), 60)
        return f"{hours} h {rest} min" if rest else f"{hours} h"
    if abs(duration_ns) >= 2 * MINUTE:
        minutes, rest = divmod(round(duration_ns / SECOND), 60)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    for factor, name in ((SECOND, "s"), (MILLISECOND, "ms"), (MICROSECOND, "µs")):
        if abs(duration_ns) >= factor:
            return f"{significant(duration_ns / factor)} {name}"
    return f"{significant(duration_ns)} ns"


def format_value(value: float, unit: str) -> str:
    """A value in one of the base units of `plimsoll.model.Unit` as people write it."""
    match unit:
        case "ns":
            return format_duration(value)
        case "B":
            return format_size(value)
        case "B/s":
            return f"{format_size(value)}/s"
        case "1/s":
            return f"{format_number(value)}/s"
        case _:
            return format_number(value)
