"""Histories that a server shows first: one case on one target of one host."""

from __future__ import annotations

import time
from dataclasses import dataclass

from sqlalchemy import ColumnElement, delete, func, insert, select

from plimsoll.errors import UsageError
from plimsoll.store.connection import reading, writing
from plimsoll.store.schema import pin
from plimsoll.store.store import Store

MOST_PINS = 24


@dataclass(frozen=True)
class Pin:
    """One of them; an empty host means whichever the newest runs are of."""

    case: str
    target: str
    host: str = ""


def pins(store: Store) -> list[Pin]:
    """All of them, in the order of their names."""
    columns = pin.c.case_label, pin.c.target_name, pin.c.host
    with reading(store.engine) as connection:
        return sorted(
            (Pin(*row) for row in connection.execute(select(*columns))), key=lambda each: (each.target, each.case)
        )


def add_pin(store: Store, wanted: Pin) -> None:
    """Show a history first; one that is pinned stays so. Raises UsageError for one too many."""
    with writing(store.engine) as connection:
        if connection.execute(select(pin.c.host).where(*_is(wanted))).first() is not None:
            return
        if connection.execute(select(func.count()).select_from(pin)).scalar_one() >= MOST_PINS:
            raise UsageError(f"{MOST_PINS} histories are pinned, as many as there may be; unpin one first")
        row = {
            "case_label": wanted.case,
            "target_name": wanted.target,
            "host": wanted.host,
            "pinned_ns": time.time_ns(),
        }
        connection.execute(insert(pin).values(row))


def remove_pin(store: Store, unwanted: Pin) -> None:
    """Show it like the others again."""
    with writing(store.engine) as connection:
        connection.execute(delete(pin).where(*_is(unwanted)))


def _is(wanted: Pin) -> tuple[ColumnElement[bool], ...]:
    return pin.c.case_label == wanted.case, pin.c.target_name == wanted.target, pin.c.host == wanted.host
