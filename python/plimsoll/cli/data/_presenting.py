"""How commands show what loads have left."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from plimsoll.units import format_size

if TYPE_CHECKING:
    from plimsoll.run.leftovers import Left


def rows(left: Iterable[Left]) -> list[dict[str, str]]:
    """For people: one row each, without a size where the database tells none."""
    return [
        {
            "data": each.name,
            "records": f"{each.records:,}",
            "size": "" if each.bytes is None else format_size(each.bytes),
            "database": each.where,
        }
        for each in left
    ]
