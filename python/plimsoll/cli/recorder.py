"""Keeps where a running session stands: what it tells goes into a `State`, from there to a file and to the screen."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from plimsoll.api.watching import rates
from plimsoll.cli.board import MOST_POINTS, CaseState, CellState, CurrentRun, State
from plimsoll.cli.live_states import StateFile, forget_killed
from plimsoll.metrics import short_title
from plimsoll.model import Run, RunStatus, Session
from plimsoll.report.document import Tone
from plimsoll.report.labels import score_text
from plimsoll.report.sections.verdicts import TONES
from plimsoll.run.observer import Observer
from plimsoll.run.outcome import Progress
from plimsoll.run.plan import Step
from plimsoll.run.record import score_rows
from plimsoll.run.time_left import TimeLeft
from plimsoll.stats.direction import directed
from plimsoll.stats.paired import ScoreRow, cells, valid_scores
from plimsoll.stats.rules import Rules, rules
from plimsoll.stats.summary import summarise
from plimsoll.stats.verdict import Answer
from plimsoll.targets.owner import current_owner
from plimsoll.units import SECOND

WRITTEN_EVERY_NS = SECOND
MOST_NOTES = 5


class Recorder:
    """An observer that keeps the state of the session and passes everything on."""

    def __init__(self, shown: Observer, watch: Callable[[State], None] = lambda _: None) -> None:
        self._shown, self._watch = shown, watch
        self._state: State | None = None
        self._file: StateFile | None = None
        self._written_ns = 0
        self._rules: Rules | None = None
        self._rows: dict[str, list[ScoreRow]] = {}
        """Of the metric that decides, by case."""
        self._last_interval = -1

    def session_started(self, session: Session, steps: list[Step], earlier: Sequence[Run]) -> None:
        """The table is empty, or has what an earlier part of the session measured."""
        self._rules = rules(session)
        forget_killed()
        self._file = StateFile(session.id)
        self._state = State(
            session=session.id,
            title=session.title,
            owner=current_owner(),
            started_ns=session.started_ns,
            targets=list(session.target_names),
            cases=[CaseState(step.case, short_title(step.metrics[0])) for step in steps],
        )
        for run in earlier:
            self._take(run)
        for case in self._state.cases:
            self._compare(case)
        self._tell(at_once=True)
        self._shown.session_started(session, steps, earlier)

    def run_started(self, step: Step, target: str, block: int, left: TimeLeft) -> None:
        """A new current run."""
        if self._state is not None:
            self._state.current = CurrentRun(step.case, target, block)
            self._last_interval = -1
            self._left(left)
            self._tell()
        self._shown.run_started(step, target, block, left)

    def run_progress(self, progress: Progress) -> None:
        """The core has counted; nothing is asked of it."""
        run = self._state.current if self._state else None
        if run is not None:
            run.phase, run.done = progress["phase"], progress["done"]
            interval = progress["interval"]
            if interval and interval["start_ns"] != self._last_interval:
                self._last_interval = interval["start_ns"]
                operations, run.bytes_per_s, p99_ns = rates(interval)
                run.rates = [*run.rates, operations][-MOST_POINTS:]
                run.p99s_ns = [*run.p99s_ns, float(p99_ns)][-MOST_POINTS:]
            self._tell()
        self._shown.run_progress(progress)

    def run_finished(self, run: Run, left: TimeLeft) -> None:
        """A cell has a score, and with the last one of a block its row the comparisons."""
        if self._state is not None:
            self._state.current = None
            self._compare(self._take(run))
            self._left(left)
            self._tell()
        self._shown.run_finished(run, left)

    def looked(self, case: str, told: str, *, closed: bool) -> None:
        """What a look has left open, or how the case ended."""
        found = self._case(case)
        if found is not None:
            found.told, found.closed = told, closed
            self._compare(found)
            self._tell(at_once=True)
        self._shown.looked(case, told, closed=closed)

    def note(self, sentence: str) -> None:
        """For whoever looks later."""
        if self._state is not None:
            self._state.notes = [*self._state.notes, sentence][-MOST_NOTES:]
        self._shown.note(sentence)

    def session_finished(self, session: Session) -> None:
        """Nothing is running any more."""
        if self._file is not None:
            self._file.remove()
        self._state = None
        self._shown.session_finished(session)

    def _left(self, left: TimeLeft) -> None:
        assert self._state is not None  # whoever calls has looked
        # In JSON there is no infinity.
        self._state.least_left_ns, self._state.most_left_ns = left.least_ns, left.most_ns
        self._state.left_at_ns = time.time_ns()

    def _tell(self, *, at_once: bool = False) -> None:
        """To the screen, which knows itself how often; to the file at most once a second."""
        if self._state is None:
            return
        self._watch(self._state)
        now_ns = time.monotonic_ns()
        if self._file is not None and (at_once or now_ns - self._written_ns >= WRITTEN_EVERY_NS):
            self._written_ns = now_ns
            self._file.write(self._state)

    def _case(self, name: str) -> CaseState | None:
        return next((each for each in self._state.cases if each.case == name), None) if self._state else None

    def _take(self, run: Run) -> CaseState:
        """The row of a run, with its score."""
        state, name = self._state, run.target.name
        assert state is not None  # whoever calls has looked
        case = self._case(run.plan.case)
        if case is None:
            case = CaseState(run.plan.case, short_title(run.plan.metrics[0]))
            state.cases.append(case)
        if name not in state.targets:
            state.targets.append(name)
        state.runs += 1
        state.invalid += run.status is not RunStatus.OK
        rows = self._rows.setdefault(case.case, [])
        rows += [row for row in score_rows([run]) if row.metric == run.plan.metrics[0]]
        cell = case.cells.setdefault(name, CellState())
        if run.status is not RunStatus.OK and not cell.score:
            cell.score, cell.tone = run.status.value, Tone.UNKNOWN
        return case

    def _compare(self, case: CaseState) -> None:
        """Scores and ratios so far, by the metric that decides; a verdict only when the case has ended."""
        state, rows, by = self._state, self._rows.get(case.case), self._rules
        if state is None or by is None or not rows:
            return
        whole: dict[int, set[str]] = {}
        for row in rows:
            whole.setdefault(row.block, set()).add(row.target)
        case.blocks = sum(len(names) == len(state.targets) for names in whole.values())
        for (_, _, target), values in valid_scores(rows).items():
            usable = [value for value in values if 0 < value < float("inf")]
            if usable:
                found = summarise(usable, rows[0].direction)
                case.cells[target] = CellState(score_text(found.value, rows[0].unit, found.low, found.high))
        baseline = by.baseline if by.baseline in state.targets else state.targets[0]
        if not case.blocks or baseline not in {row.target for row in rows}:
            return
        for cell in cells(rows, str(baseline), band=by.band, mode=by.mode):
            there, ratio = case.cells.get(cell.target), cell.verdict.ratio
            if there is None or ratio is None:
                continue
            same = case.closed and cell.verdict.answer is Answer.SAME
            there.tone = TONES[cell.verdict.answer] if case.closed else Tone.UNKNOWN
            told = directed(cell, ratio)
            there.told = "same" if same else told
            # Of an undecided ratio the shape does not say the direction.
            there.brief = "" if there.tone is Tone.UNKNOWN else "same" if same else told.partition(" ")[0]
