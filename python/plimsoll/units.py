"""Text to base units and back: bytes, nanoseconds, shares, rates.

Inside Plimsoll everything is in base units; only this module knows how they are written.
`k`, `M`, `G`, `T` alone and `KiB`, `MiB`, … are powers of 1024 (as in fio and ioping); `kB`, `MB`, … are powers of
1000.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import Decimal

from plimsoll.errors import UsageError

KIB, MIB, GIB, TIB, PIB = 1024, 1024**2, 1024**3, 1024**4, 1024**5
MICROSECOND, MILLISECOND, SECOND = 1_000, 1_000_000, 1_000_000_000
MINUTE, HOUR, DAY = 60 * SECOND, 3600 * SECOND, 86400 * SECOND

_NUMBER = r"(\d{1,25}(?:\.\d+)?)"
"""No amount of anything has more digits before its point."""
_SIZES = {"": 1, "b": 1, "k": KIB, "m": MIB, "g": GIB, "t": TIB, "p": 1024**5}
_SIZES |= {f"{letter}ib": 1024**power for power, letter in enumerate("kmgtp", 1)}
_SIZES |= {f"{letter}b": 1000**power for power, letter in enumerate("kmgtp", 1)}
_DURATIONS = {"ns": 1, "us": MICROSECOND, "µs": MICROSECOND, "ms": MILLISECOND, "s": SECOND}
_DURATIONS |= {"m": MINUTE, "min": MINUTE, "h": HOUR, "d": DAY}
_BINARY = ((PIB, "PiB"), (TIB, "TiB"), (GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB"))
_DECIMAL = ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"))
_COUNTS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}


def _fail(what: str, text: str, examples: str) -> UsageError:
    return UsageError(f"{text!r} is not a valid {what}; write it like {examples}")


def parse_size(text: str | int) -> int:
    """Bytes from `4096`, `4k`, `4KiB`, `1.5G` (powers of 1024) or `4kB`, `1MB` (powers of 1000)."""
    if isinstance(text, int):
        return text
    match = re.fullmatch(rf"{_NUMBER}\s*([a-z]*)", text.strip().lower())
    if not match or match[2] not in _SIZES:
        raise _fail("size", text, "4KiB, 1MiB or 2GiB")
    size = Decimal(match[1]) * _SIZES[match[2]]
    if size != int(size):
        raise UsageError(f"{text!r} is not a whole number of bytes")
    return int(size)


def parse_duration(text: str | int | float) -> int:
    """Nanoseconds from `10s`, `2m`, `1h30m`, `250ms`, or a bare number of seconds."""
    if not isinstance(text, str):
        return round(text * SECOND)
    compact = re.sub(r"\s+", "", text.lower())
    if re.fullmatch(_NUMBER, compact):
        return round(Decimal(compact) * SECOND)
    parts = re.findall(rf"{_NUMBER}([a-zµ]+)", compact)
    if not parts or "".join(number + unit for number, unit in parts) != compact:
        raise _fail("duration", text, "10s, 2m, 1h30m or 250ms")
    if any(unit not in _DURATIONS for _, unit in parts):
        raise _fail("duration", text, "10s, 2m, 1h30m or 250ms")
    return round(sum(Decimal(number) * _DURATIONS[unit] for number, unit in parts))


def parse_latency(text: str, what: str) -> int:
    """Nanoseconds from `5ms`. A bare number is refused, because nobody means seconds by `p99<5`, which is `what`.

    Raises UsageError.
    """
    compact = text.strip()
    if re.fullmatch(_NUMBER, compact):
        raise UsageError(f"{what}: {compact!r} has no unit; write {compact}us, {compact}ms or {compact}s")
    return parse_duration(compact)


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
    count = Decimal(match[1]) * _COUNTS[match[2]]
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
    return f"{value:,.0f}" if abs(value) >= 999.5 else significant(value)


def format_size(size_bytes: float) -> str:
    """`4 KiB`, `1.5 GiB`, `1,011 MiB`."""
    for factor, name in _BINARY:
        if abs(size_bytes) >= factor:
            # 1,000 to 1,023 of a unit are not yet one of the next.
            return f"{format_number(size_bytes / factor)} {name}"
    return f"{format_number(size_bytes)} B"


def format_duration(duration_ns: float) -> str:
    """`82.1 µs`, `3.2 ms`, `14 s`, `2 min 5 s`, `1 h 30 min`; nothing is `0 s`."""
    if duration_ns == 0:
        return "0 s"
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


def format_estimate(duration_ns: float) -> str:
    """No finer than anybody knows it: `6 s`, `45 s`, `3 min 40 s`, `19 min`; a guess of `3.43 s` would promise more."""
    step = next(
        step
        for below, step in (
            (15 * SECOND, SECOND),
            (2 * MINUTE, 5 * SECOND),
            (10 * MINUTE, 10 * SECOND),
            (2 * HOUR, MINUTE),
            (float("inf"), 10 * MINUTE),
        )
        if duration_ns < below
    )
    return format_duration(round(duration_ns / step) * step)


def format_share(share: float) -> str:
    """`3.1 %`, `48 %`, `0.02 %`; next to nothing is not nothing."""
    if 0 < abs(share) < 5e-5:
        return "under 0.01 %"
    number = share * 100
    digits = 0 if abs(number) >= 10 or number == 0 else 1 if abs(number) >= 1 else 2
    return f"{number:.{digits}f} %"


def format_percent(share: float) -> str:
    """`48 %`, in whole numbers."""
    return f"{share * 100:.0f} %"


def format_change(change: float) -> str:
    """`+48 %`, `−3 %`, in whole numbers."""
    return f"{change * 100:+.0f} %".replace("-", "−")


def exact_number(value: float | Decimal) -> str:
    """All digits of a number, without an exponent, a comma or a needless `.0`: `parse_count` and `float` read it."""
    if value == int(value):
        return str(int(value))
    return format(value if isinstance(value, Decimal) else Decimal(repr(float(value))), "f")


def exact_size(size_bytes: int) -> str:
    """Bytes that `parse_size` reads back to the last one: `1.5 GiB`, `100 MB`, `1234567 B`."""
    binary = [(factor, name) for factor, name in _BINARY if abs(size_bytes) >= factor]
    # Eighths have at most three decimals.
    if binary and not size_bytes * 8 % binary[0][0]:
        return f"{exact_number(Decimal(size_bytes) / binary[0][0])} {binary[0][1]}"
    for factor, name in (*_DECIMAL, *binary):
        if abs(size_bytes) >= factor and not size_bytes % factor:
            return f"{size_bytes // factor} {name}"
    return f"{size_bytes} B"


def exact_duration(duration_ns: int) -> str:
    """Nanoseconds that `parse_duration` reads back to the last one: `1 h 30 min`, `10 s`, `2.5 ms`, `7 ns`."""
    if duration_ns == 0:
        return "0 s"
    if abs(duration_ns) >= 2 * MINUTE and not duration_ns % SECOND:
        hours, rest = divmod(duration_ns // SECOND, 3600)
        minutes, seconds = divmod(rest, 60)
        parts = ((hours, "h"), (minutes, "min"), (seconds, "s"))
        return " ".join(f"{number} {name}" for number, name in parts if number)
    for factor, name in ((SECOND, "s"), (MILLISECOND, "ms"), (MICROSECOND, "µs")):
        if abs(duration_ns) >= factor and not duration_ns % (factor // 1000):
            return f"{exact_number(Decimal(duration_ns) / factor)} {name}"
    return f"{duration_ns} ns"


def exact_share(share: float) -> str:
    """A share that `parse_share` reads back: `75 %`."""
    text = exact_number(float(f"{share * 100:.12g}"))
    return f"{text} %" if float(text) / 100 == share else exact_number(share)


def plain_text(value: object) -> str:
    """Any value without a unit as people write it: `yes`, `none`, `a, b`, `name=value`; never Python's own spelling."""
    if value is None or value in ("", [], (), {}):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={plain_text(each)}" for name, each in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return ", ".join(plain_text(each) for each in value)
    return format_number(value) if isinstance(value, float) else str(value)


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


_SCALES = {
    "B/s": ((PIB, "PiB/s"), (TIB, "TiB/s"), (GIB, "GiB/s"), (MIB, "MiB/s"), (KIB, "KiB/s"), (1, "B/s")),
    "B": ((PIB, "PiB"), (TIB, "TiB"), (GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB"), (1, "B")),
    "1/s": ((1_000_000, "million/s"), (1_000, "thousand/s"), (1, "1/s")),
    "ns": ((SECOND, "s"), (MILLISECOND, "ms"), (MICROSECOND, "µs"), (1, "ns")),
    "1": ((1, ""),),
}


def scale(largest: float, unit: str) -> tuple[float, str]:
    """Divisor and unit in which a value as large as `largest` reads well: 2.1e8 B/s → (1048576, "MiB/s")."""
    steps = _SCALES.get(unit, ((1, unit),))
    return next(((float(factor), name) for factor, name in steps if abs(largest) >= factor), (1.0, steps[-1][1]))


def format_spread(value: float, spread: float, unit: str) -> str:
    """`15.1 ± 0.49 MiB/s`, `1,235 ± 287 s`: a value and its spread in one unit, with the digits that both are worth."""
    factor, name = (1.0, "/s") if unit == "1/s" else scale(value, unit)
    shown, beside = value / factor, spread / factor
    digits = min(max(1 - math.floor(math.log10(beside)), 0), 4) if beside > 0 else 0
    told = f"{shown:,.{digits}f} ± {beside:,.{digits}f}" if beside > 0 else f"{format_number(shown)} ± 0"
    return told + (name if name.startswith("/") or not name else f" {name}")
