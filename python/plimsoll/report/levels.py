"""Words for runs that have no common score: both levels of a step with the run and its time, else range and word."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.model import Unit
from plimsoll.report.evidence import ScoreLine
from plimsoll.report.labels import range_text, score_text
from plimsoll.report.sections.environment import time_text
from plimsoll.stats.repeats import Kind
from plimsoll.stats.summary import Level, Split

WORDS = {
    Kind.STEP: "step",
    Kind.FIRST: "first run differs",
    Kind.TREND: "trend",
    Kind.GROUPS: "two groups",
    Kind.SERIAL: "neighbours alike",
}


def split_text(found: Split, unit: Unit) -> str:
    """`3,631/s, from run 34 on 109/s (step)`, `3,400…3,900/s (trend)`."""
    if not found.levels:
        return f"{range_text(found.minimum, found.maximum, unit)} ({WORDS[found.kind]})"
    before, after = found.levels
    return f"{score_text(before.value, unit)}, from run {after.first + 1} on {score_text(after.value, unit)}" + (
        f" ({WORDS[found.kind]})"
    )


def level_rows(line: ScoreLine) -> Iterator[tuple[Level, str, str]]:
    """Each level of a split with the runs it holds, long and short: `runs 34…40 of 40, from 14:08 on`, `runs 34…40`."""
    if line.split is None:
        return
    for level, began in zip(line.split.levels, line.began, strict=True):
        runs = f"run {level.first + 1}" if level.runs == 1 else f"runs {level.first + 1}…{level.last + 1}"
        since = f", from {time_text(began)} on" if level.first and began else ""
        yield level, f"{WORDS[line.split.kind]}: {runs} of {line.split.runs}{since}", runs
