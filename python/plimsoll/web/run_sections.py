"""One run as sections of a report."""

from __future__ import annotations

from functools import partial

from plimsoll import metrics
from plimsoll.catalog import lasting
from plimsoll.model import Finding, Interval, Level, Run, RunStatus
from plimsoll.parameters import all_written
from plimsoll.report.charts.lines import Line, over_time
from plimsoll.report.charts.vega import Vega
from plimsoll.report.charts.zoom import NOTE, is_condensed
from plimsoll.report.document import (
    Block,
    Chart,
    Phrase,
    Section,
    Table,
    Tone,
    columns,
    number,
    phrase,
    text,
)
from plimsoll.report.labels import count_text
from plimsoll.report.sections.environment import flat_facts, time_text
from plimsoll.units import SECOND

MOST_ROWS = 1200
"""Intervals of the table beside a chart, which has all of them."""
_TONES = {Level.OK: Tone.PLAIN, Level.WARN: Tone.UNKNOWN, Level.INVALID: Tone.WORSE}
_CURVES = ("p50", "p99", "max")


def sections_of(run: Run) -> list[Section]:
    """Scores, findings, the course of the run, what was run and where."""
    found = [
        Section("scores", "Scores", _scores(run)),
        Section("findings", "What the guards say", _findings(run)),
        Section("course", "Course of the run", tuple(_course(run))),
        Section("plan", "What was run", _plan(run)),
        Section("facts", "Facts", _facts(run)),
    ]
    return [section for section in found if section.blocks]


def _scores(run: Run) -> tuple[Block, ...]:
    rows = tuple(
        (phrase(metrics.title(score.metric)), number(score.value, score.unit), phrase(f"{score.direction} is better"))
        for score in run.scores
    )
    return (Table("Scores of this run", columns("Metric", ">Value", "Direction"), rows),) if rows else ()


def _findings(run: Run) -> tuple[Block, ...]:
    unlasting = _unlasting(run)
    rows = tuple(
        (
            phrase(finding.guard.replace("_", " ")),
            Phrase(finding.level.value, _TONES[finding.level]),
            phrase(finding.message),
            phrase(finding.advice),
        )
        for finding in (*run.findings, *([unlasting] if unlasting else []))
    )
    return (Table("Findings", columns("Guard", "Level", "Finding", "Advice"), rows),) if rows else ()


def _unlasting(run: Run) -> Finding | None:
    """That this run saw a burst and not what lasts."""
    return lasting.finding([run], lasting.standing([run])) if run.status is RunStatus.OK else None


def _course(run: Run) -> list[Block]:
    """A chart of latency over the seconds of the run, per kind of operation."""
    kinds = dict.fromkeys(kind for interval in run.intervals for kind in interval.operations)
    step = -(-len(run.intervals) // MOST_ROWS) or 1
    found = {kind: [each for each in run.intervals if kind in each.operations] for kind in kinds}
    condensed = any(is_condensed(len(_CURVES) * len(intervals)) for intervals in found.values())
    charts = [_chart(place, kind, intervals, step) for place, (kind, intervals) in enumerate(found.items())]
    return [*([text(NOTE)] if condensed else []), *charts]


def _chart(place: int, kind: str, intervals: list[Interval], step: int) -> Chart:
    title = f"{kind} latency in each interval"
    rows = tuple(
        (
            number(each.start_ns, "ns"),
            number(each.operations[kind].operations * SECOND / each.duration_ns if each.duration_ns else None, "1/s"),
            *(number(getattr(each.operations[kind], f"{name}_ns"), "ns") for name in _CURVES),
            number(each.errors, "1"),
        )
        for each in intervals[::step]
    )
    heads = columns(">From", ">Operations", ">p50", ">p99", ">Max", ">Errors")
    return Chart(
        id=f"course-{place}",
        title=title,
        description=f"p50, p99 and maximum of {kind} latency over {count_text(len(intervals), 'interval')}.",
        data=Table(title, heads, rows),
        draw=partial(_draw, kind, intervals),
        series=_CURVES,
    )


def _draw(kind: str, intervals: list[Interval]) -> Vega:
    curves = [
        [(each.start_ns / SECOND, float(max(1, getattr(each.operations[kind], f"{name}_ns")))) for each in intervals]
        for name in _CURVES
    ]
    lines = [Line(place, "", curve) for place, curve in enumerate(curves)]
    return Vega(over_time(lines, _CURVES, "ns", what="latency"))


def _plan(run: Run) -> tuple[Block, ...]:
    rows = tuple((phrase(name), phrase(value)) for name, value in all_written(run.plan).items())
    caption = f"{run.plan.workload}, plan {run.plan.hash}"
    return (Table(caption, columns("Parameter", "Value"), rows),)


def _facts(run: Run) -> tuple[Block, ...]:
    about = {"started": time_text(run.started_ns or None), "ended": time_text(run.ended_ns or None)}
    measured = tuple((phrase(name), phrase(value)) for name, value in (*about.items(), *flat_facts(run.facts)))
    place = {"where": run.target.where, "kind": run.target.kind, **run.target.options}
    target = tuple((phrase(name), phrase(value)) for name, value in flat_facts({**place, **run.target.facts}))
    return (
        Table("Measured once per run", columns("Fact", "Value"), measured),
        Table(f"Target {run.target.name}", columns("Fact", "Value"), target),
    )
