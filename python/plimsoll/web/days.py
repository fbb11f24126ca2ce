"""Days as addresses carry them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import Query

from plimsoll.errors import UsageError
from plimsoll.units import DAY, SECOND

Day = Annotated[str, Query(max_length=10, description="A day as 2026-11-21, in UTC; both ends are included.")]


def begin_ns(day: str) -> int | None:
    """When a day begins, in ns since 1970; None for no day. Raises UsageError for what is no day."""
    if not day:
        return None
    try:
        return int(datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC).timestamp()) * SECOND
    except ValueError:
        raise UsageError(f"{day!r} is not a day; write it like 2026-11-21") from None


def end_ns(day: str) -> int | None:
    """When the day after it begins."""
    begin = begin_ns(day)
    return None if begin is None else begin + DAY
