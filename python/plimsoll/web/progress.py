"""How far a running session is: what its page shows while it fills."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from plimsoll import metrics
from plimsoll.model import RunStatus, SessionState
from plimsoll.stats.paired import ScoreRow, valid_scores
from plimsoll.store import search
from plimsoll.store.liveness import state_now
from plimsoll.store.store import Store
from plimsoll.units import format_value
from plimsoll.web.rendering import environment
from plimsoll.web.sparkline import sparkline

MOST_ROWS = 60
NEWEST = 40
"""So many scores of a target are drawn."""


@dataclass(frozen=True)
class State:
    """What changes when there is something new to see."""

    state: SessionState
    runs: int
    valid: int

    @property
    def running(self) -> bool:
        """Whether more may come."""
        return self.state is SessionState.RUNNING


@dataclass(frozen=True)
class Row:
    """One case on one target so far."""

    case: str
    target: str
    metric: str
    valid: int
    last: str
    middle: str
    spark: str


def state_of(store: Store, session_id: str) -> State | None:
    """How far a session is; None where it is gone."""
    found = search.get_session(store, session_id)
    if found is None:
        return None
    places = search.places(store, [session_id])
    counts = sum(each.runs for each in places), sum(each.valid for each in places)
    return State(state_now(found, search.heard_ns(store, session_id)), *counts)


def fragment(store: Store, session_id: str, state: State) -> str:
    """The part of the page that shows how far it is, as HTML."""
    plans = store.plans([session_id])
    rows = store.score_rows([session_id], {key: plan.metrics[:1] for key, plan in plans.items()})
    listed = _rows(rows)
    template = environment().get_template("progress.html")
    return template.render(state=state, rows=listed[:MOST_ROWS], more=len(listed) - MOST_ROWS, last=_last(rows))


def _rows(rows: Sequence[ScoreRow]) -> list[Row]:
    targets = sorted({row.target for row in rows})
    measured = {(row.case, row.metric): row.unit for row in rows}
    scores = valid_scores(rows)
    return [
        _row(case, target, metric, unit, scores.get((case, metric, target), []))
        for (case, metric), unit in measured.items()
        for target in targets
    ]


def _row(case: str, target: str, metric: str, unit: str, values: Sequence[float]) -> Row:
    title = metrics.title(metric)
    return Row(
        case,
        target,
        title,
        len(values),
        format_value(values[-1], unit) if values else "",
        format_value(median(values), unit) if values else "",
        sparkline([values[-NEWEST:]], f"{case} on {target}: {title} of each run"),
    )


def _last(rows: Sequence[ScoreRow]) -> str:
    """The run that was stored last, in words."""
    if not rows:
        return ""
    newest = rows[-1]
    valid = newest.status == RunStatus.OK and newest.value is not None
    told = format_value(newest.value, newest.unit) if valid and newest.value is not None else newest.status
    return f"{newest.case} on {newest.target}, block {newest.block + 1}: {told}"
