"""What imported scores were made of and is not in the store: logs that were too large to be kept."""

from __future__ import annotations

from collections.abc import Iterable

from plimsoll.model import Run

_MOST_NAMED = 3


def files_not_kept(runs: Iterable[Run]) -> dict[tuple[str, str], None]:
    """Name and SHA-256 of each such file, once, in the order of the runs."""
    found: dict[tuple[str, str], None] = {}
    for run in runs:
        imported = run.facts.get("imported", {})
        if missing := imported.get("not_kept"):
            files = zip(imported["files"], imported["sha256"], strict=True)
            found |= {(name, digest): None for name, digest in files if name in missing}
    return found


def told(files: Iterable[tuple[str, str]]) -> str:
    """`a.log (SHA-256 0f3c…)`, and how many more."""
    names = [f"{name} (SHA-256 {digest})" for name, digest in files]
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
