"""Words for runs that have no common score: both levels of a step with the run and its time, else range and word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plimsoll.metrics import short_title
from plimsoll.model import Unit
from plimsoll.report.evidence import ScoreLine
from plimsoll.report.labels import count_text, range_text, score_text
from plimsoll.report.sections.environment import EARLIEST_NS, time_text
from plimsoll.stats.repeats import PatternKind
from plimsoll.stats.summary import Level, Split
from plimsoll.units import DAY, format_estimate

WORDS = {
    PatternKind.STEP: "step",
    PatternKind.FIRST: "first run differs",
    PatternKind.TREND: "trend",
    PatternKind.GROUPS: "two groups",
    PatternKind.SERIAL: "neighbours alike",
}
CHANGES = (PatternKind.STEP, PatternKind.TREND, PatternKind.GROUPS)
"""Of these a target is not one thing throughout."""
LONG = DAY
"""After so long the day and time say more than how long it took."""
MANY_CHANGES = 9
"""Targets that a sentence gives with their levels; of more it gives the number."""


def split_text(found: Split, unit: Unit) -> str:
    """`3,631/s, then 109/s from run 34 on (step)`, `3,400…3,900/s (trend)`."""
    if not found.levels:
        return f"{range_text(found.minimum, found.maximum, unit)} ({WORDS[found.kind]})"
    before, after = found.levels
    levels = f"{score_text(before.value, unit)}, then {score_text(after.value, unit)}"
    return f"{levels} from run {after.first + 1} on ({WORDS[found.kind]})"


def step_word(line: ScoreLine) -> str:
    """`fell` or `rose` of the numbers of one that changed in a step; else empty."""
    return _verb(line.split) if line.split is not None and line.split.kind is PatternKind.STEP else ""


def uneven_text(line: ScoreLine) -> str:
    """Why a product has no score; empty where it has one, and of a place."""
    return f"no single score within {count_text(line.uneven, 'allocation')}" if line.uneven else ""


def got_worse(line: ScoreLine) -> bool:
    """Whether it changed in a step, for the worse."""
    return step_word(line) == ("fell" if line.direction == "higher" else "rose")


def changes_told(lines: Sequence[ScoreLine]) -> list[tuple[str, bool]]:
    """Targets that were not one thing throughout, a sentence for each case and kind of change; and if for the worse.

    `volume-3 fell in randread (IOPS): from 99,457/s to 3,382/s from run 62 of 100 on (after 62 min)`
    """
    groups: dict[tuple[str, str, str], list[ScoreLine]] = {}
    for line in lines:
        if line.split is not None and line.split.kind in CHANGES:
            groups.setdefault((line.case, line.metric, _verb(line.split)), []).append(line)
    return [
        (_change_told(case, metric, verb, found), got_worse(found[0])) for (case, metric, verb), found in groups.items()
    ]


def _verb(found: Split) -> str:
    """What the numbers did; empty where they did no one thing."""
    if not found.levels:
        return ""
    before, after = found.levels
    return "fell" if after.value < before.value else "rose"


def _change_told(case: str, metric: str, verb: str, found: Sequence[ScoreLine]) -> str:
    where = f"in {case} ({short_title(metric)})"
    told = [f"{line.target} {_levels(line)}" for line in found[:MANY_CHANGES]]
    if len(found) > MANY_CHANGES:
        told.append(f"and {len(found) - MANY_CHANGES} more")
    if len(found) > 1:
        did = verb or "have no single score"
        return f"{len(found)} targets {did} {where}: {', '.join(told)}"
    did = verb or "has no single score"
    return f"{found[0].target} {did} {where}: {_levels(found[0])}"


def _levels(line: ScoreLine) -> str:
    """`from 99,457/s to 3,382/s from run 62 of 100 on (after 62 min)`, or the range and its word."""
    split = line.split
    assert split is not None
    if not split.levels:
        return split_text(split, line.unit)
    before, after = (score_text(level.value, line.unit) for level in split.levels)
    since = f" ({words})" if (words := when(*line.began)) else ""
    return f"from {before} to {after} from run {split.levels[1].first + 1} of {split.runs} on{since}"


def when(first_ns: int, then_ns: int) -> str:
    """`after 62 min`, of series that lasted days the time itself; nothing where an imported file does not tell it."""
    if first_ns < EARLIEST_NS or then_ns <= first_ns:
        return ""
    away = then_ns - first_ns
    return f"after {format_estimate(away)}" if away < LONG else time_text(then_ns)


def level_rows(line: ScoreLine) -> Iterator[tuple[Level, str, str]]:
    """Each level of a split with the runs it holds, long and short: `runs 34…40 of 40, from 14:08 on`, `runs 34…40`."""
    if line.split is None:
        return
    for level, began in zip(line.split.levels, line.began, strict=True):
        runs = f"run {level.first + 1}" if level.runs == 1 else f"runs {level.first + 1}…{level.last + 1}"
        since = f", from {time_text(began)} on" if level.first and began else ""
        yield level, f"{WORDS[line.split.kind]}: {runs} of {line.split.runs}{since}", runs
