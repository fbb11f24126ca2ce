"""Every run as a point, by block, with the runs of one block joined: what all statistics rest on.

Targets that were measured apart have no block in common: their runs are counted for each of them, and lie over each
other.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from math import isfinite

from plimsoll.model import Level, Run, RunStatus
from plimsoll.report.charts.strips import Point, spec
from plimsoll.report.charts.vega import Vega
from plimsoll.report.charts.zoom import MOST_POINTS, is_condensed
from plimsoll.report.document import Block, Cell, Chart, Column, Table, columns, number, phrase, text
from plimsoll.report.evidence import Evidence
from plimsoll.report.labels import count_text

ORDER = 25
TITLE = "Every run"

MOST_CHARTS = 40
_JOINED = "; a thin line joins the runs of one block, which ran next to each other in time"
FEWEST = 3
"""So few runs are read faster than they are drawn."""


def build(evidence: Evidence) -> list[Block]:
    """One chart per case, of its deciding metric; of a few runs a table says more."""
    found: list[Block] = []
    points = 0
    for place, case in enumerate(evidence.cases):
        metric = next((name for name in evidence.judged[case] if (case, name) in evidence.metrics), None)
        if metric is not None and len(found) < MOST_CHARTS:
            found.append(_shown(place, evidence, case, metric))
            points = max(points, sum(run.plan.case == case for run in evidence.runs))
    if not found:
        return []
    words = []
    if any(isinstance(block, Chart) for block in found):
        words.append(
            f"Each point is one run{_JOINED if any(map(partial(_in_blocks, evidence), evidence.cases)) else ''}. "
            "A cross is a measured run that does not count, ✕ above a column a run without a score; r is a repetition."
        )
    if is_condensed(points):
        words.append(
            f"A chart of more than {MOST_POINTS} runs shows each target's median over neighbouring runs instead, and "
            "a band from its lowest to its highest score, of the runs that count; choose a part of them to see every "
            "run."
        )
    if len(evidence.cases) > len(found):
        words.append(f"Shown are {len(found)} of {len(evidence.cases)} cases; the data of all runs are below.")
    return [*([text(*words)] if words else []), *found]


def _shown(place: int, evidence: Evidence, case: str, metric: str) -> Block:
    chart = _chart(place, evidence, case, metric)
    scored = sum(run.plan.case == case and _value(run, metric) is not None for run in evidence.runs)
    return chart if scored > FEWEST else chart.data


def _chart(place: int, evidence: Evidence, case: str, metric: str) -> Chart:
    unit, direction = evidence.metrics[case, metric]
    runs = _runs_of(evidence, case)
    what = "run" if _apart(runs) else "block"
    scored = [run for run in runs if _value(run, metric) is not None]
    label = evidence.metric_label(case, metric, *evidence.targets)
    title = f"{case}: {label}"
    goal = "higher is better" if direction == "higher" else "lower is better"
    lost = f", {len(runs) - len(scored)} without a score" if len(runs) > len(scored) else ""
    return Chart(
        id=f"strip-{place}",
        title=title,
        description=f"{label} of {count_text(len(scored), 'run')} by {what} ({goal}){lost}.",
        data=_table(title, evidence, runs, metric, unit),
        draw=partial(draw, evidence, runs, metric, unit),
        series=evidence.targets,
    )


def _value(run: Run, metric: str) -> float | None:
    return next((score.value for score in run.scores if score.metric == metric and isfinite(score.value)), None)


def _runs_of(evidence: Evidence, case: str) -> list[Run]:
    return [run for run in evidence.runs if run.plan.case == case]


def _in_blocks(evidence: Evidence, case: str) -> bool:
    """Whether runs of different targets share a block."""
    runs = _runs_of(evidence, case)
    return len({run.target.name for run in runs}) > 1 and not _apart(runs)


def _apart(runs: list[Run]) -> bool:
    """Whether no block has runs of two targets, so that its number says nothing about when they ran."""
    by_block: dict[tuple[str, int], set[str]] = {}
    for run in runs:
        by_block.setdefault((run.session_id, run.block), set()).add(run.target.name)
    return len(set().union(*by_block.values())) > 1 and all(len(found) == 1 for found in by_block.values())


def _columns_of(runs: list[Run]) -> dict[str, str]:
    """Label of the column of each run, by run id: blocks count from 1, sessions and repetitions have their own."""
    if _apart(runs):
        counts: Counter[str] = Counter()
        labels = {}
        for run in _in_order(runs):
            counts[run.target.name] += 1
            labels[run.id] = str(counts[run.target.name])
        return labels
    sessions = list(dict.fromkeys(run.session_id for run in runs))
    places = sorted({(sessions.index(run.session_id), run.block, run.attempt) for run in runs})
    many = len(sessions) > 1
    names = {
        place: (f"{place[0] + 1}." if many else "") + str(place[1] + 1) + ("r" if place[2] else "") for place in places
    }
    return {run.id: names[sessions.index(run.session_id), run.block, run.attempt] for run in runs}


def _table(title: str, evidence: Evidence, runs: list[Run], metric: str, unit: str) -> Table:
    """A row per block, or per run where these were measured apart; a column per target."""
    labels = _columns_of(runs)
    blocks = _order_of(runs, labels)
    cells = {(labels[run.id], run.target.name): run for run in runs}
    heads = (
        *columns("Run" if _apart(runs) else "Block"),
        *(Column(f"target_{i}", name, "right") for i, name in enumerate(evidence.targets)),
    )
    rows = []
    for block in blocks:
        row: list[Cell] = [phrase(block)]
        for target in evidence.targets:
            run = cells.get((block, target))
            value = None if run is None else _value(run, metric)
            if run is not None and run.status is not RunStatus.OK:
                row.append(phrase(run.status.value))
            else:
                row.append(number(value, unit))
        rows.append(tuple(row))
    return Table(title, heads, tuple(rows))


def draw(evidence: Evidence, runs: list[Run], metric: str, unit: str) -> Vega:
    """Blocks from left to right, or the runs of each target where these were measured apart."""
    labels = _columns_of(runs)
    order = _order_of(runs, labels)
    places = {label: place for place, label in enumerate(order)}
    valid = {run.id for run in evidence.valid}
    points = [
        Point(
            column=places[labels[run.id]],
            target=evidence.targets.index(run.target.name),
            value=(value := _value(run, metric)),
            counts=run.id in valid and value is not None,
            finding=_finding(run),
        )
        for run in runs
    ]
    return Vega(spec(points, order, evidence.targets, unit, "run" if _apart(runs) else "block"))


def _in_order(runs: list[Run]) -> list[Run]:
    return sorted(runs, key=lambda run: (run.session_id, run.block, run.attempt))


def _order_of(runs: list[Run], labels: dict[str, str]) -> list[str]:
    """The labels from left to right."""
    found = list(dict.fromkeys(labels[run.id] for run in _in_order(runs)))
    return sorted(found, key=int) if _apart(runs) else found


def _finding(run: Run) -> str:
    if run.status is not RunStatus.OK and run.reason:
        return run.reason
    return next((each.message for each in run.findings if each.level is not Level.OK), "none")
