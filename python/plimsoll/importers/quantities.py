"""Units and times as other tools write them, into base units. What is not in a file is None, never 0."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from plimsoll.importers import tracing
from plimsoll.importers.numbers import UnreadableNumber, at, figure, number, plain, scaled
from plimsoll.model import Direction, Unit
from plimsoll.units import KIB, MICROSECOND, MILLISECOND, MINUTE, SECOND

_TIMES = {"ns": 1, "nsec": 1, "nanosecond": 1, "us": MICROSECOND, "usec": MICROSECOND, "µs": MICROSECOND}
_TIMES |= {"μs": MICROSECOND, "microsecond": MICROSECOND, "ms": MILLISECOND, "msec": MILLISECOND}
_TIMES |= {"millisecond": MILLISECOND, "s": SECOND, "sec": SECOND, "second": SECOND, "min": MINUTE, "minute": MINUTE}
_TIMES |= {"hour": 60 * MINUTE, "h": 60 * MINUTE}
_SIZES = {"b": 1, "byte": 1, "bytes": 1}
_SIZES |= {f"{letter}ib": KIB**power for power, letter in enumerate("kmgtp", 1)}
_SIZES |= {f"{letter}b": 1000**power for power, letter in enumerate("kmgtp", 1)}
_BITS = {f"{letter}bit": 1000**power / 8 for power, letter in enumerate("kmgt", 1)} | {"bit": 1 / 8, "bits": 1 / 8}
_PLAIN = {"": 1.0, "1": 1.0, "%": 0.01, "percent": 0.01, "ratio": 1.0, "count": 1.0, "x": 1.0}
_RATES = {"iops": 1.0, "tps": 1.0, "qps": 1.0, "eps": 1.0, "rps": 1.0, "kiops": 1e3, "miops": 1e6}
_RATES |= {"nopm": 1 / 60, "tpm": 1 / 60, "ktps": 1e3}
_PER_SECOND = re.compile(r"(.*?)\s*(?:/\s*|\bper\s+)(?:s|sec|second)s?", re.IGNORECASE)
_PER_MINUTE = re.compile(r"(.*?)\s*(?:/\s*|\bper\s+)(?:min|minute)s?", re.IGNORECASE)
_UNIT = re.compile(r"(.*?)[ \t]*([a-zµμ]*)", re.IGNORECASE | re.DOTALL)
_DECIMAL = {"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_LONGEST = 100
_DATES = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d", "%Y/%m/%d %H:%M:%S")


def divided(value: float | None, by: float | None) -> float | None:
    """`value / by`, None where one is missing or `by` is not above zero."""
    return number(value / by) if value is not None and by is not None and by > 1e-30 else None


def time_unit(unit: str) -> float | None:
    """ns in one `unit`: ms → 1,000,000."""
    return _TIMES.get(unit.strip().lower()) or _TIMES.get(unit.strip().lower().removesuffix("s"))


def size_unit(unit: str) -> float | None:
    """Bytes in one `unit`: KiB and kB are told apart; `Kbit` is bits."""
    return _SIZES.get(unit.strip().lower())


def duration_ns(text: str, default: str = "") -> float | None:
    """`17.52ms`, `1.15 ms`, `8035us`, or a bare number in `default`. Raises UnreadableNumber for anything else."""
    if len(text) > _LONGEST:
        raise UnreadableNumber(text, "is not a time")
    value, unit = _UNIT.fullmatch(text).groups()  # type: ignore[union-attr]  # both parts may be empty
    factor = time_unit(unit or default)
    if factor is None:
        raise UnreadableNumber(text.strip(), "stands where a time with its unit belongs")
    return scaled(value, factor)


def time_in(match: re.Match[str], group: int = 1, default: str = "") -> float | None:
    """`duration_ns` of a group of a match; None where it took no part."""
    try:
        read = None if match[group] is None else duration_ns(match[group], default)
        return tracer.placed_in(match, group, read) if (tracer := tracing.current()) else read
    except UnreadableNumber as error:
        raise at(match, group, error) from None


def decimal(match: re.Match[str], group: int, prefix: int) -> float | None:
    """The number in a group with the decimal prefix in another: (`2.99`, `k`) → 2990."""
    return figure(match, group, _DECIMAL[match[prefix].strip().lower()])


def unit_of(text: str) -> tuple[Unit, float] | None:
    """Base unit and factor of a unit as people write it: `MB/s`, `KiB/s`, `IOPS`, `Requests Per Second`, `usec`."""
    plain = " ".join(text.split())
    low = plain.lower()
    if low in _PLAIN:
        return "1", _PLAIN[low]
    if low in _RATES:
        return "1/s", _RATES[low]
    if factor := time_unit(low):
        return "ns", float(factor)
    if match := _PER_SECOND.fullmatch(plain):
        return _per_second(match[1].strip())
    if _PER_MINUTE.fullmatch(plain):
        return "1/s", 1 / 60
    size = size_unit(low)
    return ("B", float(size)) if size else None


def _per_second(what: str) -> tuple[Unit, float]:
    # `Mb` with a small b is megabits; in any other spelling the case says nothing.
    if re.fullmatch(r"[KMGTkmgt]?b", what):
        return "B/s", _DECIMAL[what[:-1].lower()] / 8
    bytes_or_bits = size_unit(what) or _BITS.get(what.lower())
    return ("B/s", float(bytes_or_bits)) if bytes_or_bits else ("1/s", 1.0)


def usual_direction(unit: Unit) -> Direction | None:
    """Which way is better for a unit that says so by itself."""
    return {"ns": "lower", "1/s": "higher", "B/s": "higher"}.get(unit)  # type: ignore[return-value]


def epoch_ns(seconds: Any) -> int | None:
    """ns since 1970 from seconds, if that is a time between 1990 and 2200."""
    read = plain(seconds)
    return round(read * SECOND) if read is not None and 6.3e8 < read < 7.3e9 else None


def moment_ns(text: str) -> int | None:
    """ns since 1970 from ISO 8601 (UTC where no zone is given) or a number of seconds."""
    known = epoch_ns(text)
    if known is not None:
        return known
    text = text.strip()[:40]
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = next((parsed for form in _DATES if (parsed := _parsed(text, form))), datetime.min)
    try:
        return epoch_ns((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (OverflowError, ValueError):
        return None


def _parsed(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form)
    except ValueError:
        return None
