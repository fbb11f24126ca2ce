"""Every run as a point, by block, with the runs of one block joined: what all statistics rest on."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from math import isfinite

from plimsoll.model import Run, RunStatus
from plimsoll.report import scales
from plimsoll.report.canvas import Canvas
from plimsoll.report.document import Block, Cell, Chart, Column, Table, columns, number, phrase, text
from plimsoll.report.evidence import Evidence
from plimsoll.report.labels import count_text

ORDER = 25
TITLE = "Every run"

MOST_CHARTS = 40


def build(evidence: Evidence) -> list[Block]:
    """One chart per case, of its deciding metric."""
    found: list[Block] = []
    for place, case in enumerate(evidence.cases):
        metric = next((name for name in evidence.judged[case] if (case, name) in evidence.metrics), None)
        if metric is not None and len(found) < MOST_CHARTS:
            found.append(_chart(place, evidence, case, metric))
    if not found:
        return []
    words = [
        "Each point is one run; a thin line joins the runs of one block, which ran next to each other in time. "
        "A cross is a measured run that does not count, ✕ above a column a run without a score; r is a repetition.",
    ]
    if len(evidence.cases) > len(found):
        words.append(f"Pictures for {len(found)} of {len(evidence.cases)} cases; the data of all runs are below.")
    return [text(*words), *found]


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


def draw(evidence: Evidence, runs: list[Run], metric: str, unit: str) -> Canvas:
    """Blocks from left to right; the runs of a block that count are joined."""
    labels = _columns_of(runs)
    order = list(dict.fromkeys(labels[run.id] for run in sorted(runs, key=lambda run: (run.session_id, run.block))))
    width = min(0.5, 0.14 * (len(evidence.targets) - 1))
    # Targets of a block stand a little apart, so that equal scores do not cover each other.
    apart = {name: width * (i / max(1, len(evidence.targets) - 1) - 0.5) for i, name in enumerate(evidence.targets)}
    found = {run.id: value for run in runs if (value := _value(run, metric)) is not None}
    at = {
        run.id: (order.index(labels[run.id]) + apart[run.target.name], found[run.id]) for run in runs if run.id in found
    }
    valid = {run.id for run in evidence.valid} & at.keys()
    canvas = Canvas(scales.names(order, "block", most=14), scales.values(found.values(), unit))
    for block in order:
        canvas.rules(pairwise(sorted(at[run.id] for run in runs if labels[run.id] == block and run.id in valid)))
    for series, target in enumerate(evidence.targets):
        ours = [run.id for run in runs if run.target.name == target and run.id in found]
        canvas.points([at[run_id] for run_id in ours if run_id in valid], series)
        canvas.crosses([at[run_id] for run_id in ours if run_id not in valid])
    for place in sorted({order.index(labels[run.id]) for run in runs if run.id not in found}):
        canvas.above(place, "✕")
    return canvas
