"""Eras: a year or month in which facts held. `2013` means its December, `2018-02` that month; no era is today."""

from __future__ import annotations

import re

from plimsoll.errors import UsageError

NOW = "9999-12"
"""The era of today: after everything in the data."""


def month(era: str | None, where: str = "era") -> str:
    """`2013` → `2013-12`, `2018-2` → `2018-02`; None → now. Texts of this form compare by time."""
    if era is None:
        return NOW
    match = re.fullmatch(r"(\d{4})(?:-(\d{1,2}))?", era.strip())
    number = int(match[2] or 12) if match else 0
    if match is None or not 1 <= number <= 12:
        raise UsageError(f"{where}: {era!r} is not an era; write a year or month, such as 2013 or 2018-02")
    return f"{match[1]}-{number:02}"


def within(era: str, since: str, until: str) -> bool:
    """Whether a month lies in `since` … before `until`, where an empty `until` is no end."""
    return since <= era and (not until or era < until)
