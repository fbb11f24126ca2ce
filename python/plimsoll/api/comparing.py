"""What is compared: sessions, as the evidence of a report and as a comparison for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plimsoll.model import Run, Session
    from plimsoll.report import Evidence
    from plimsoll.report.against import Saved
    from plimsoll.report.comparisons import Comparison
    from plimsoll.stats.verdict import Answer
    from plimsoll.store.store import Store


def compared(
    words: Sequence[str] | None,
    baseline: str | None,
    band: str | None,
    across: Sequence[str],
    *,
    every: bool,
    place: str | None = None,
) -> Evidence:
    """The named sessions or the last one, held against a target or a baseline, in judged metrics or in `every` one.

    Raises NothingMeasured where a session without scores leaves nothing to compare, UsageError where there is only one
    target, UnknownName.
    """
    from plimsoll.api.finding import find_sessions
    from plimsoll.store.baselines import baselines
    from plimsoll.store.opening import open_store
    from plimsoll.store.scored import scored_runs

    with open_store(place) as store:
        found = find_sessions(store, words)
        saved = _saved(store, found, baseline)
        sessions = [saved.session, *found] if saved else found
        runs = scored_runs(store, sessions, every=every)
        names = list(baselines(store)) if baseline else []
    return held(found, runs, baseline, band, across, every=every, saved=saved, names=names)


def held(
    found: Sequence[Session],
    runs: Sequence[Run],
    baseline: str | None,
    band: str | None,
    across: Sequence[str],
    *,
    every: bool,
    saved: Saved | None = None,
    names: Sequence[str] = (),
) -> Evidence:
    """As `compared`, of sessions and runs that are at hand; `names` are those of all baselines, for errors."""
    from plimsoll.errors import UnknownName, UsageError
    from plimsoll.report import Evidence
    from plimsoll.stats.rules import rules

    sessions = [saved.session, *found] if saved else list(found)
    _check_measured(sessions, runs)
    by = rules(found[-1], None, band) if saved else rules(found[0], baseline, band)
    chosen = tuple(dict.fromkeys(across))
    try:
        evidence = Evidence(
            sessions, list(runs), by.baseline, by.band, across=chosen, saved=saved, apart=True, every=every
        )
    except UnknownName as error:
        if error.kind != "target" or baseline is None:
            raise
        raise UnknownName("target or baseline", baseline, [*error.known, *names]) from None
    if evidence.alone:
        raise UsageError(
            f"there is only one target, {', '.join(evidence.targets)}; give `plimsoll run` two with --on NAME=WHERE, "
            "or name two sessions"
        )
    return evidence


def comparison(evidence: Evidence, failing: frozenset[Answer], *, allocations: bool = False) -> Comparison:
    """The same for programs; the answers in `failing` close a gate.

    Where the report is about products so is this, unless every pair of `allocations` is asked for.
    """
    from plimsoll.report.comparisons import Comparison
    from plimsoll.report.gate import nothing_compared, ran_alone
    from plimsoll.report.subject import subject
    from plimsoll.stats.paired import measured_apart

    evidence = evidence if allocations else subject(evidence)
    order: dict[tuple[str, str], int] = {}
    for row in evidence.rows:
        order.setdefault((row.case, row.metric), len(order))
    places = {name: place for place, name in enumerate(evidence.targets)}
    # Stable: cases and metrics stay in the order in which they ran.
    cells = sorted(evidence.cells, key=lambda cell: (order[cell.case, cell.metric], places[cell.target]))
    names = evidence.named.names
    return Comparison(
        title=(evidence.sessions[1] if evidence.saved else evidence.sessions[0]).title,
        cells=cells,
        suites=evidence.suites,
        rows=evidence.rows,
        failing=failing,
        nothing=nothing_compared(cells, names),
        alone=ran_alone(names),
        ordered=len(evidence.sessions) == 1 or all(measured_apart(evidence.sessions).values()),
    )


def _saved(store: Store, found: Sequence[Session], name: str | None) -> Saved | None:
    """The session of a baseline of that name; None where the sessions have such a target, or none is meant."""
    from plimsoll.errors import UsageError
    from plimsoll.report.against import Saved
    from plimsoll.store.baselines import baselines
    from plimsoll.store.names import short_id

    if name is None or any(name in session.target_names for session in found):
        return None
    saved = baselines(store).get(name)
    if saved is None:
        return None
    if saved.id in {session.id for session in found}:
        raise UsageError(
            f"session {short_id(saved.id)} is the baseline {name} itself; measure again with "
            f"`plimsoll run --against {name}`, or name another session"
        )
    return Saved(saved, name)


def _check_measured(found: Sequence[Session], runs: Sequence[Run]) -> None:
    """Raise NothingMeasured if sessions without scores leave nothing to compare: no second target would help."""
    from plimsoll.errors import NothingMeasured
    from plimsoll.store.names import short_id

    scored = [run for run in runs if run.scores]
    measured = {run.session_id for run in scored}
    empty = [session for session in found if session.id not in measured]
    if not empty or len(measured) > 1 or len({run.target.name for run in scored}) > 1:
        return
    which = " and ".join(f"{session.title!r} ({short_id(session.id)})" for session in empty)
    verb = f"session {which} has" if len(empty) == 1 else f"sessions {which} have"
    raise NothingMeasured(f"nothing was compared: {verb} no scores; `plimsoll show {short_id(empty[0].id)}` says why")
