"""What belongs together: pieces of one device, from several files or from several parts of one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from plimsoll.errors import UsageError
from plimsoll.traces.series import Column, Found
from plimsoll.units import SECOND, format_duration

Key = tuple[str, str]
"""Device and column."""


def joined(found: Sequence[Found]) -> list[Found]:
    """One per device. Columns of several files come beside each other, and times of one column after each other.

    Raises UsageError for files that do not go together.
    """
    by_name: dict[str, Found] = {}
    for each in found:
        before = by_name.get(each.name)
        by_name[each.name] = each if before is None else _both(before, each)
    return list(by_name.values())


def _both(before: Found, after: Found) -> Found:
    shared = [name for name in after.columns if name in before.columns]
    name, lengths = before.name, [each for each in (before.period_s, after.period_s) if each is not None]
    if len(set(lengths)) > 1:
        told = " and of ".join(format_duration(round(each * SECOND)) for each in lengths)
        raise UsageError(f"the files have periods of {told} for {name}; ask for one length")
    if before.dated != after.dated or (shared and not after.dated):
        raise UsageError(f"the files of {name} have times without a date, so nobody can tell which came first")
    if before.zone != after.zone:
        zones = " and ".join(each.zone or "one that they do not name" for each in (before, after))
        raise UsageError(f"the files have times in different zones for {name} ({zones}); ask for one zone")
    both = {each: _column(f"{name}, {each}", before.columns[each], after.columns[each]) for each in shared}
    return replace(
        before,
        columns={**before.columns, **after.columns, **both},
        period_s=lengths[0] if lengths else None,
        notes=(*before.notes, *after.notes),
    )


def _column(what: str, before: Column, after: Column) -> Column:
    if before.kind != after.kind:
        raise UsageError(f"{what}: a {before.kind} in one place and a {after.kind} in another; take one of them")
    return Column(before.kind, [*before.times, *after.times], [*before.values, *after.values])


def in_turn(pieces: Iterable[tuple[Key, Column]]) -> dict[Key, Column]:
    """One column of each key; pieces that are of the same time are of different things, and refused."""
    found: dict[Key, Column] = {}
    for key, piece in pieces:
        before = found.get(key)
        if before is not None and _overlap(before, piece):
            raise UsageError(
                f"several series are {key[1]} of {key[0]} at the same time; leave one, or give the device's own labels"
            )
        found[key] = piece if before is None else _column(", ".join(key), before, piece)
    return found


def _overlap(before: Column, after: Column) -> bool:
    if not before.times or not after.times:
        return False
    return min(after.times) <= max(before.times) and min(before.times) <= max(after.times)
