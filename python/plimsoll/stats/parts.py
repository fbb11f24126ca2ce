"""The parts of a session that was extended: what each was asked to add, and from which block of each case on.

A session keeps them in its study, as `extensions`. Blocks are numbered through, so a block belongs to the last part
that began before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

KEY = "extensions"


@dataclass(frozen=True)
class Extension:
    """One part that was added to a finished session."""

    started_ns: int
    after: Mapping[str, int]
    """Blocks of each case that were there before."""
    blocks: int | None = None
    """Most further blocks of a case; None: as many as fit into the time."""
    time_ns: int | None = None
    until_verdict: bool = False
    """Whether a case ends when it is decided; else it gets all the blocks that were asked for."""
    changed: tuple[str, ...] = ()
    """What was no longer the same on the machine, in words."""

    def cap(self, case: str) -> int | None:
        """Most blocks of a case in all."""
        return None if self.blocks is None else self.after.get(case, 0) + self.blocks

    def to_table(self) -> dict[str, Any]:
        """As a study keeps it; `extensions_of` reads it back."""
        table: dict[str, Any] = {"started_ns": self.started_ns, "after": dict(self.after)}
        if self.blocks is not None:
            table["blocks"] = self.blocks
        if self.time_ns is not None:
            table["time_ns"] = self.time_ns
        if self.until_verdict:
            table["until"] = "verdict"
        if self.changed:
            table["changed"] = list(self.changed)
        return table


def extensions_of(study: Mapping[str, Any]) -> tuple[Extension, ...]:
    """The extensions of a session by its study; what is written wrongly, in a file from elsewhere, is none."""
    listed = study.get(KEY)
    found = [_read(each) for each in listed] if isinstance(listed, list | tuple) else []
    return tuple(each for each in found if each is not None)


def without_extensions(study: Mapping[str, Any]) -> dict[str, Any]:
    """The study as it repeats a session: a new one begins with its first part."""
    return {name: value for name, value in study.items() if name != KEY}


def part_of(extensions: tuple[Extension, ...], case: str, block: int) -> int:
    """The number of the part that a block belongs to; 0 is the session as it was before."""
    return sum(block >= each.after.get(case, 0) for each in extensions)


def _read(table: Any) -> Extension | None:
    if not isinstance(table, Mapping) or not isinstance(table.get("after"), Mapping):
        return None
    numbers = {name: table.get(name) for name in ("started_ns", "blocks", "time_ns")}
    if any(value is not None and not (isinstance(value, int) and value >= 0) for value in numbers.values()):
        return None
    after = {str(case): count for case, count in table["after"].items() if isinstance(count, int) and count >= 0}
    changed = table.get("changed", ())
    return Extension(
        started_ns=numbers["started_ns"] or 0,
        after=after,
        blocks=numbers["blocks"],
        time_ns=numbers["time_ns"],
        until_verdict=table.get("until") == "verdict",
        changed=tuple(map(str, changed)) if isinstance(changed, list | tuple) else (),
    )
