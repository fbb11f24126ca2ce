"""What each session of a list found, in the words of its report: without the report, which takes ten times as long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from markupsafe import Markup

from plimsoll import metrics
from plimsoll.errors import PlimsollError
from plimsoll.model import Plan, Session
from plimsoll.parameters import all_written
from plimsoll.report.comparisons import tally
from plimsoll.report.labels import count_text
from plimsoll.report.naming import named_rows
from plimsoll.stats.paired import Cell, ScoreRow, cells, measured_apart, valid_scores
from plimsoll.stats.ratio_text import levels_told
from plimsoll.stats.rules import rules
from plimsoll.stats.verdict import Answer
from plimsoll.store import kept_answers, search
from plimsoll.store.names import short_id
from plimsoll.store.search import Line
from plimsoll.store.store import Store
from plimsoll.web.lru_cache import LruCache
from plimsoll.web.sparkline import MOST_LINES, sparkline

MOST_KEPT = 20_000
MOST_AT_ONCE = 50
"""Of an upload with more sessions the rest is judged when somebody looks."""

MOST_RUNS = 2_000
"""A session with more says only in its report what it found: judging it would keep the list waiting."""


@dataclass(frozen=True)
class Told:
    """What one target is, compared with another; without a target, why nothing is compared."""

    words: str
    target: str = ""
    baseline: str = ""
    answer: Answer | None = None
    """Where all comparisons have the same, and a correction takes none of it."""


@dataclass(frozen=True)
class Course:
    """How the scores of one test went: a line per target, and what that is in words."""

    lines: tuple[tuple[float, ...], ...] = ()
    label: str = ""


@dataclass(frozen=True)
class Judged:
    """What a session found, and how the scores of its first test went."""

    told: tuple[Told, ...]
    course: Course = Course()

    @property
    def spark(self) -> Markup:
        """The course as a small picture."""
        return sparkline(self.course.lines, self.course.label)

    def as_json(self) -> Any:
        """As a store keeps it."""
        return asdict(self)

    @classmethod
    def from_json(cls, kept: Any) -> Judged | None:
        """The reverse; None for what no server wrote."""
        try:
            told = [Told(**each | {"answer": each["answer"] and Answer(each["answer"])}) for each in kept["told"]]
            lines = tuple(tuple(map(float, line)) for line in kept["course"]["lines"])
            return cls(tuple(told), Course(lines, str(kept["course"]["label"])))
        except (ValueError, TypeError, KeyError, LookupError, AttributeError):
            return None


class Answers:
    """The answers of sessions, kept as long as their runs stay the same: in memory, and in the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: LruCache[Judged] = LruCache(MOST_KEPT)

    def of(self, lines: Sequence[Line]) -> dict[str, Judged]:
        """The answers of these sessions, by session id."""
        new = [line for line in lines if _key(line) not in self._kept and _simple(line) is None]
        judged = self._from_store(new) if new else {}
        return {line.id: self._kept.get(_key(line), partial(_found, line, judged)) for line in lines}

    def judge(self, session_ids: Sequence[str]) -> None:
        """Make the answers of sessions that just arrived, so that nobody who looks at a list waits for them."""
        with suppress(PlimsollError):
            self.of(search.lines_of(self._store, session_ids[:MOST_AT_ONCE]))

    def _from_store(self, lines: Sequence[Line]) -> dict[str, Judged]:
        """The answers that are kept there; the others are made, and kept for the next time."""
        made_of = kept_answers.made_of(self._store, lines)
        stored = {of: Judged.from_json(kept) for of, kept in kept_answers.load(self._store, made_of).items()}
        found = {of: each for of, each in stored.items() if each is not None}
        made = self._judge([line.id for line in lines if line.id not in found])
        new = {of: (made_of[of], each.as_json()) for of, each in made.items() if of in made_of}
        kept_answers.keep(self._store, new)
        return found | made

    def _judge(self, ids: Sequence[str]) -> dict[str, Judged]:
        """What these sessions found, from their scores alone."""
        if not ids:
            return {}
        plans = self._store.plans(ids)
        written = {key: all_written(plan) for key, plan in plans.items()}
        rows: dict[str, list[ScoreRow]] = {each: [] for each in ids}
        for row in self._store.score_rows(ids, {key: plan.metrics for key, plan in plans.items()}):
            rows[row.session].append(row)
        changed = Counter(session for session, _, _ in self._store.altered(ids).values())
        found = {each: search.get_session(self._store, each) for each in ids}
        return {
            session.id: Judged(
                (
                    *_judged(session, rows[session.id], plans, written, self._store),
                    *_changed(changed[session.id]),
                ),
                _course(rows[session.id], plans, session.target_names),
            )
            for session in found.values()
            if session is not None
        }


def _found(line: Line, judged: Mapping[str, Judged]) -> Judged:
    simple = _simple(line)
    return judged.get(line.id, Judged(())) if simple is None else Judged(simple)


def _course(rows: Sequence[ScoreRow], plans: Mapping[str, Plan], planned: Sequence[str]) -> Course:
    """The scores of the first test that was repeated, a line per target in the order of the study."""
    for case, plan in {row.case: row.plan_hash for row in rows}.items():
        metric = next(iter(plans[plan].metrics), "")
        own = [row for row in rows if (row.case, row.metric) == (case, metric)]
        ran = {row.target for row in own}
        targets = [name for name in dict.fromkeys([*planned, *(row.target for row in own)]) if name in ran]
        scores = valid_scores(own)
        lines = [scores.get((case, metric, target), ()) for target in targets]
        if any(len(line) > 1 for line in lines):
            names = ", ".join(targets[:MOST_LINES])
            label = f"{case}: {metrics.title(metric)} of each run, {names}"
            return Course(tuple(tuple(line) for line in lines[:MOST_LINES]), label)
    return Course()


def _judged(
    session: Session,
    rows: Sequence[ScoreRow],
    plans: Mapping[str, Plan],
    written: Mapping[str, Mapping[str, str]],
    store: Store,
) -> tuple[Told, ...]:
    if "load_line" in session.study:
        return (Told("a search for the load line"),)
    compared = _cells(session, rows, plans, written, store)
    if not any(cell.verdict.estimate is not None or levels_told(cell) for cell in compared):
        return (Told("nothing could be compared" if len({row.target for row in rows}) > 1 else "one target"),)
    return tuple(_told(target, compared) for target in dict.fromkeys(cell.target for cell in compared))


def _changed(runs: int) -> tuple[Told, ...]:
    if not runs:
        return ()
    verbs = ("was", "does") if runs == 1 else ("were", "do")
    return (Told(f"{count_text(runs, 'run')} {verbs[0]} changed after being stored and {verbs[1]} not count"),)


def _key(line: Line) -> Hashable:
    return line.id, line.state, line.ended_ns, line.runs, line.valid


def _simple(line: Line) -> tuple[Told, ...] | None:
    """What needs no scores to be said."""
    if not line.runs:
        return (Told("no runs"),)
    if not line.valid:
        return (Told("nothing valid"),)
    if line.runs > MOST_RUNS:
        return (Told("in its report"),)
    return None


def _cells(
    found: Session,
    rows: Sequence[ScoreRow],
    plans: Mapping[str, Plan],
    written: Mapping[str, Mapping[str, str]],
    store: Store,
) -> list[Cell]:
    """Every comparison of a session, as its report makes them."""
    places = {found.id: search.targets(store, found.id)}
    names, rows = named_rows([found], rows, plans, places, {found.id: short_id(found.id)})
    ran = dict.fromkeys(row.target for row in rows)
    planned = dict.fromkeys(new for name in found.target_names for new in names.targets_of(name))
    targets = [name for name in dict.fromkeys([*planned, *ran]) if name in ran]
    by = rules(found)
    reference = names.baseline(by.baseline)
    reference = reference if reference in ran else next(iter(targets), None)
    if reference is None or len(targets) < 2:
        return []
    known = measured_apart([found])
    apart = {work.session: known[stored.session] for stored, work in names.works.items() if stored.session in known}
    opponents = names.opponents(reference)
    compared = cells(rows, reference, band=by.band, mode=by.mode, plans=written, apart=apart, opponents=opponents)
    return sorted(compared, key=lambda cell: targets.index(cell.target))


def _told(target: str, compared: Iterable[Cell]) -> Told:
    these = [cell for cell in compared if cell.target == target]
    answers = {cell.verdict.answer for cell in these}
    return Told(
        words=tally(these),
        target=target,
        baseline=", ".join(dict.fromkeys(cell.baseline for cell in these)),
        answer=answers.pop() if len(answers) == 1 and not any(cell.corrected for cell in these) else None,
    )
