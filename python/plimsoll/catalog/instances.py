"""The instance types of all providers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from plimsoll.catalog import eras
from plimsoll.catalog.instance import Instance
from plimsoll.catalog.provider import providers
from plimsoll.errors import UnknownName


@cache
def instances(era: str | None = None) -> Mapping[str, Instance]:
    """The instance types by name, as they were in `era` (see `eras`), or as they are."""
    month = eras.month(era)
    known = (each.instances(month) for each in providers() if each.instances is not None)
    return {name: instance for found in known for name, instance in found.items()}


def instance(name: str, era: str | None = None, where: str = "") -> Instance:
    """One instance type, however it is capitalised; raises UnknownName with the nearest name."""
    known = instances(era)
    found = known.get(name) or {each.lower(): it for each, it in known.items()}.get(name.lower())
    if found is None:
        raise UnknownName("instance type", name, known, where)
    return found
