"""Sessions as Prometheus text, for the textfile collector of a node exporter or a push gateway.

Base units as Prometheus has them: seconds, bytes, per second. Values are of the whole session, so nothing is a counter.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping

from plimsoll.report.evidence import Evidence, ScoreLine
from plimsoll.report.levels import level_rows
from plimsoll.report.marks import mark
from plimsoll.report.printable import clean
from plimsoll.stats.ratio_text import levels_told
from plimsoll.stats.verdict import Answer

_UNITS = {
    "1/s": ("_operations_per_second", 1.0),
    "B/s": ("_bytes_per_second", 1.0),
    "ns": ("_seconds", 1e9),
    "B": ("_bytes", 1.0),
    "1": ("", 1.0),
}
ABOUT_SCORES = "Typical block of one metric"


Sample = tuple[str, str, Mapping[str, str], float]
"""Name of the family, what it is, labels, value."""


def render(evidence: Evidence) -> str:
    """The text; families in the order of their names, each with help and type."""
    families: dict[str, tuple[str, dict[str, float]]] = {}
    for name, about, labels, value in itertools.chain(
        _sessions(evidence), _scores(evidence), _comparisons(evidence), _suites(evidence)
    ):
        if math.isfinite(value):
            # A sample may stand there once; where plans changed between sessions, the first counts.
            families.setdefault(name, (about, {}))[1].setdefault(f"{name}{labelled(labels)}", value)
    return "".join(family(name, *families[name]) for name in sorted(families))


def _sessions(evidence: Evidence) -> Iterator[Sample]:
    for session in evidence.sessions:
        which = {"session": session.id, "title": session.title}
        if session.started_ns:
            started_s = session.started_ns / 1e9
            yield "plimsoll_session_start_timestamp_seconds", "Start of the session", which, started_s
        counts = Counter(run.status.value for run in evidence.runs if run.session_id == session.id)
        for status, count in sorted(counts.items()):
            yield "plimsoll_runs", "Runs of the session by status", {"session": session.id, "status": status}, count


def _scores(evidence: Evidence) -> Iterator[Sample]:
    for line in evidence.lines:
        if not line.judged or (line.summary is None and line.split is None):
            continue
        name, divisor = in_base_units("plimsoll_score", line.unit)
        which = {"case": line.case, "target": line.target, "metric": line.metric}
        which |= {"level": line.basis.value} if line.basis else {}
        for labels, value in _values(line):
            yield name, ABOUT_SCORES, which | labels, value / divisor


def _comparisons(evidence: Evidence) -> Iterator[Sample]:
    for cell in evidence.cells:
        which = {"case": cell.case, "metric": cell.metric, "target": cell.target, "baseline": cell.baseline}
        which |= {"level": mark(cell)} if mark(cell) else {}
        for answer in Answer:
            about = "1 for the answer of the comparison, 0 for the others"
            yield "plimsoll_verdict", about, {**which, "answer": answer.value}, float(answer is cell.verdict.answer)
        if levels_told(cell):
            continue  # no common ratio
        ends = (("", cell.verdict.ratio), ("_low", cell.verdict.ratio_low), ("_high", cell.verdict.ratio_high))
        for suffix, ratio in ends:
            if ratio is not None:
                yield f"plimsoll_ratio{suffix}", "Target / baseline of the metric, with its interval", which, ratio


def _suites(evidence: Evidence) -> Iterator[Sample]:
    for suite in evidence.suites:
        which = {"target": suite.target, "baseline": suite.baseline}
        ends = (("", suite.score.ratio), ("_low", suite.score.low), ("_high", suite.score.high))
        for suffix, ratio in ends:
            yield f"plimsoll_suite_ratio{suffix}", "Geometric mean of the cases' ratios, more is better", which, ratio
        yield "plimsoll_suite_worst_ratio", "The worst case in it, more is better", which, suite.worst_ratio


def _values(line: ScoreLine) -> Iterator[tuple[dict[str, str], float]]:
    """The score; of runs without a common one each level with its runs, or the ends of their range."""
    if line.summary is not None:
        yield {}, line.summary.value
    if line.split is None:
        return
    word = {"pattern": line.split.kind.value}
    for level, _, runs in level_rows(line):
        yield word | {"runs": runs}, level.value
    if not line.split.levels:
        yield word | {"end": "lowest"}, line.split.minimum
        yield word | {"end": "highest"}, line.split.maximum


def in_base_units(name: str, unit: str) -> tuple[str, float]:
    """The name of a family of values in this unit of ours, and what they are divided by for it."""
    end, divisor = _UNITS[unit]
    return name + end, divisor


def family(name: str, about: str, samples: Mapping[str, float], kind: str = "gauge") -> str:
    """Samples, by name with labels, under what they are."""
    lines = [f"{sample} {value!r}" for sample, value in samples.items()]
    return "\n".join([f"# HELP {name} {about}.", f"# TYPE {name} {kind}", *lines, ""])


def labelled(labels: Mapping[str, str]) -> str:
    """`{case="randread",target="gp3"}`, whatever the values hold."""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}" if labels else ""


def _escaped(value: str) -> str:
    return clean(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
