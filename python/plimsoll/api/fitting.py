"""What a volume was measured to be: its numbers from stored runs, and the file that `model=FILE` reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plimsoll.fitting.fit import Fit


def fit_volume(words: Sequence[str], target: str | None = None) -> tuple[Fit, str]:
    """The fit of a target of the named sessions, their only volume where none is named; and the file's text.

    Raises UsageError where it is not clear which volume is meant, or none was measured; UnknownName.
    """
    from datetime import UTC, datetime

    from plimsoll.api.finding import find_sessions
    from plimsoll.catalog.targets import shape_of
    from plimsoll.errors import NothingMeasured, UnknownName, UsageError
    from plimsoll.fitting.fit import fitted
    from plimsoll.fitting.written import as_toml
    from plimsoll.store.names import short_id
    from plimsoll.store.opening import open_store
    from plimsoll.units import SECOND

    with open_store() as store:
        sessions = find_sessions(store, words)
        runs = store.runs([session.id for session in sessions])
    names = dict.fromkeys(run.target.name for run in runs)
    if not names:
        raise NothingMeasured("nothing can be fitted: these sessions have no runs")
    if target is not None and target not in names:
        raise UnknownName("target", target, list(names), "these sessions")
    volumes = [name for name in names if any(shape_of(run.target) for run in runs if run.target.name == name)]
    if target is None and len(volumes) > 1:
        raise UsageError(f"there are {len(volumes)} volumes, {', '.join(volumes)}; say which one with --on NAME")
    chosen = target or next(iter(volumes or names))
    mine = [run for run in runs if run.target.name == chosen]
    shapes = {shape.one for run in mine if (shape := shape_of(run.target))}
    if len(shapes) > 1:
        raise UsageError(f"target {chosen} is not one volume in these sessions: {'; '.join(sorted(shapes))}")
    fit = fitted(mine)
    ids = ", ".join(short_id(session.id) for session in sessions)
    day = f"{datetime.fromtimestamp(sessions[-1].started_ns / SECOND, UTC):%Y-%m-%d}"
    return fit, as_toml(fit, ids, day)
