"""Every run as a point, by block, with the runs of one block joined: what all statistics rest on."""

from __future__ import annotations

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
            "Each point is one run; a thin line joins the runs of one block, which ran next to each other in time. "
            "A cross is a measured run that does not count, ✕ above a column a run without a score; r is a repetition."
        )
    if is_condensed(points):
        words.append(
            f"A chart of more than {MOST_POINTS} runs shows each target's median over neighbouring blocks instead, and "
            "a band from its lowest to its highest score, of the runs that count; choose some of the blocks to see "
            "every run."
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
    runs = [run for run in evidence.runs if run.plan.case == case]
    scored = [run for run in runs if _value(run, metric) is not None]
    label = evidence.metric_label(case, metric, *evidence.targets)
    title = f"{case}: {label}"
    goal = "higher is better" if direction == "higher" else "lower is better"
    lost = f", {len(runs) - len(scored)} without a score" if len(runs) > len(scored) else ""
    return Chart(
        id=f"strip-{place}",
        title=title,
        description=f"{label} of {count_text(len(scored), 'run')} by block ({goal}){lost}.",
        data=_table(title, evidence, runs, metric, unit),
        draw=partial(draw, evidence, runs, metric, unit),
        series=evidence.targets,
    )


def _value(run: Run, metric: str) -> float | None:
    return next((score.value for score in run.scores if score.metric == metric and isfinite(score.value)), None)


def _columns_of(runs: list[Run]) -> dict[str, str]:
    """Label of the column of each run, by run id: blocks count from 1, sessions and repetitions have their own."""
    sessions = list(dict.fromkeys(run.session_id for run in runs))
    places = sorted({(sessions.index(run.session_id), run.block, run.attempt) for run in runs})
    many = len(sessions) > 1
    names = {
        place: (f"{place[0] + 1}." if many else "") + str(place[1] + 1) + ("r" if place[2] else "") for place in places
    }
    return {run.id: names[sessions.index(run.session_id), run.block, run.attempt] for run in runs}


def _table(title: str, evidence: Evidence, runs: list[Run], metric: str, unit: str) -> Table:
    """A row per block, a column per target."""
    labels = _columns_of(runs)
    blocks = list(dict.fromkeys(labels[run.id] for run in runs))
    cells = {(labels[run.id], run.target.name): run for run in runs}
    heads = (*columns("Block"), *(Column(f"target_{i}", name, "right") for i, name in enumerate(evidence.targets)))
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
    """Blocks from left to right."""
    labels = _columns_of(runs)
    order = list(dict.fromkeys(labels[run.id] for run in sorted(runs, key=lambda run: (run.session_id, run.block))))
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
    return Vega(spec(points, order, evidence.targets, unit))


def _finding(run: Run) -> str:
    if run.status is not RunStatus.OK and run.reason:
        return run.reason
    return next((each.message for each in run.findings if each.level is not Level.OK), "none")
