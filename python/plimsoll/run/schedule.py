"""Which block comes next, and when to stop: the session's state as a pure function of the runs so far.

A block is one case on every target, once, in random order, adjacent in time. Cases take turns, so that a session which
ends early has something of every test; a case leaves the round when its verdicts are decided or cannot be.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from plimsoll.model import Level, Run, RunStatus
from plimsoll.run import workloads
from plimsoll.run.guards import unwritten
from plimsoll.run.lost import is_lost
from plimsoll.run.noise import NEVER_QUIET, only_others
from plimsoll.run.plan import Step
from plimsoll.run.study import MOST_REPEATS, Study
from plimsoll.run.time_left import TimeLeft
from plimsoll.stats.endings import looked, repeated, still_open
from plimsoll.stats.paired import ScoreRow
from plimsoll.stats.parts import Extension
from plimsoll.stats.policy import LAST, LOOKS, MODES
from plimsoll.stats.stopping import PRECISE_ENOUGH, Go, Stop, closing, last_block

ATTEMPTS = 2
"""An invalid block is repeated once, unless the repetition would find the same."""


@dataclass(frozen=True)
class Block:
    """The next block to run: a step, its number within the case, and the targets in their random order."""

    step: Step
    number: int
    attempt: int
    targets: tuple[str, ...]


@dataclass(frozen=True)
class RunRequest:
    """One run that is wanted: the block's part for one target."""

    session_id: str
    block: Block
    position: int
    target: str
    noisy_host: bool


@dataclass
class _CaseState:
    """Where one case stands."""

    step: Step
    rows: list[ScoreRow] = field(default_factory=list)
    statuses: dict[tuple[int, int], dict[str, RunStatus]] = field(default_factory=dict)
    """Status of each run by (block, attempt) and target."""
    disturbed: bool = True
    """Whether every invalid run is so only because others used the machine."""
    transient: set[tuple[int, int]] = field(default_factory=set)
    """Attempts with a run that is invalid for a reason that may be gone next time."""
    wanted: int = LOOKS[0]
    cap: int = LAST
    since: int = 0
    """The first block of the last part: what was invalid before says nothing of it."""
    closed: str | None = None
    still_open: str | None = None
    """What the last look left open."""
    durations: dict[str, list[int]] = field(default_factory=dict)
    """Time of every run by target, without what only the first one needs: a better guess than the plan's."""

    @property
    def block_ns(self) -> int:
        """Time of the next block: as long as the runs of each target took, or as the plan guesses."""
        return sum(self.run_ns.values())

    @property
    def run_ns(self) -> Mapping[str, int]:
        """The same of the next run of each target."""
        seen = {name: round(median(lengths)) for name, lengths in self.durations.items()}
        return {name: seen.get(name, ns) for name, ns in self.step.run_ns.items()}

    def underway(self, targets: Collection[str]) -> Collection[str]:
        """The targets that have had their run of a block that others still have to run."""
        latest = self.statuses[max(self.statuses)] if self.statuses else {}
        return () if latest.keys() >= set(targets) else latest.keys() & set(targets)

    def complete(self, targets: Collection[str]) -> dict[int, list[RunStatus]]:
        """Statuses of these targets in the last attempt of each block that has all of them."""
        found: dict[int, list[RunStatus]] = {}
        for (block, _), by_target in sorted(self.statuses.items()):
            if by_target.keys() >= set(targets):
                found[block] = [by_target[name] for name in targets]
        return found


class Schedule:
    """Hands out blocks and takes in runs. Deterministic: the same study and the same runs give the same blocks."""

    def __init__(self, study: Study, steps: Sequence[Step]) -> None:
        self._study = study
        self._mode = MODES[study.mode]
        self._exact = study.repeats is not None
        """Whether so many blocks are made whatever they decide."""
        if study.extensions:
            self._states = self._extended(study.extensions[-1], steps)
        else:
            self._states = {}
            for step in steps:
                cap = step.most_blocks(study)
                self._states[step.case] = _CaseState(step, wanted=study.repeats or min(LOOKS[0], cap), cap=cap)
        self._left = [target.name for target in study.targets]
        """The targets whose machines are still there."""
        self._pauses_ns: list[int] = []
        self._ended_ns: int | None = None

    def _extended(self, part: Extension, steps: Sequence[Step]) -> dict[str, _CaseState]:
        """The cases of a session that goes on with another part."""
        self._mode = replace(self._mode, patient=True, score_width=self._mode.score_width or PRECISE_ENOUGH)
        self._exact = not part.until_verdict
        found = {}
        for step in steps:
            before, cap = part.after.get(step.case, 0), part.cap(step.case)
            most = (LAST if part.until_verdict else MOST_REPEATS) if cap is None else cap
            # A look is taken at once where a verdict ends the case: it may have one.
            first = most if self._exact else max(before, min(LOOKS[0], most))
            found[step.case] = _CaseState(step, wanted=first, cap=most, since=before)
        return found

    def next_block(self, time_left_ns: float = math.inf) -> Block | None:
        """The block to run now: of the open cases whose blocks fit into the time, the one with the fewest blocks."""
        fitting = [each for each in self._states.values() if each.closed is None and each.block_ns <= time_left_ns]
        if not fitting:
            return None
        state = min(fitting, key=lambda each: len(self._settled(each)))
        number = len(self._settled(state))
        attempt = 1 + max((attempt for block, attempt in state.statuses if block == number), default=-1)
        order = list(self._left)
        random.Random(f"{self._study.seed}/{state.step.case}/{number}/{attempt}").shuffle(order)
        return Block(state.step, number, attempt, tuple(order))

    def leave_out(self, target: str) -> None:
        """Its machine is gone: no block waits for it any more, and the others go on without it."""
        self._left = [name for name in self._left if name != target]

    def _settled(self, state: _CaseState) -> list[int]:
        """Blocks that need no further attempt: valid, invalid for good, or invalid as often as they may be."""
        return [
            block
            for block, statuses in state.complete(self._left).items()
            if RunStatus.INVALID not in statuses
            or not any(number == block for number, _ in state.transient)
            or self._attempts(state, block) >= ATTEMPTS
        ]

    def _attempts(self, state: _CaseState, block: int) -> int:
        """Complete attempts of a block; one that was cut short by an interruption does not count."""
        left = set(self._left)
        return sum(1 for (number, _), each in state.statuses.items() if number == block and each.keys() >= left)

    def take(self, runs: Iterable[Run], session_rows: Iterable[ScoreRow]) -> None:
        """Add finished runs and their score rows, without deciding anything."""
        for run in runs:
            if self._ended_ns is not None:
                self._pauses_ns.append(max(0, run.started_ns - self._ended_ns))
            self._ended_ns = run.ended_ns
            if run.status is not RunStatus.PARTIAL and not is_lost(run):
                state = self._states[run.plan.case]
                state.statuses.setdefault((run.block, run.attempt), {})[run.target.name] = run.status
                state.durations.setdefault(run.target.name, []).append(_again_ns(run))
                if run.status is RunStatus.INVALID:
                    state.disturbed &= only_others(run)
                    if not _for_good(run):
                        state.transient.add((run.block, run.attempt))
        for row in session_rows:
            self._states[row.case].rows.append(row)

    def settle(self, case: str) -> str | None:
        """Decide whether a case goes on; returns the sentence with which it closed, or None."""
        state = self._states[case]
        state.still_open = None
        blocks = self._settled(state)
        complete = state.complete(self._left)
        statuses = [status for block in blocks for status in complete[block]]
        recent = [status for block in blocks if block >= state.since for status in complete[block]]
        if not self._left:
            state.closed = "the machines of all its targets are lost: see the runs' reasons"
        elif RunStatus.FAILED in statuses:
            state.closed = "failed: see the run's reason"
        elif recent and recent.count(RunStatus.INVALID) == len(recent):
            state.closed = f"invalid {'twice' if state.transient else 'for good'}: see the warnings"
            state.closed += f"; {NEVER_QUIET}" if state.disturbed else ""
        elif len(blocks) >= state.wanted and self._exact:
            done = f"extended to {len(blocks)} blocks" if self._study.extensions else repeated(len(blocks))
            state.closed = f"{done}, as asked"
        elif len(blocks) >= state.wanted:
            self._look(state, len(blocks))
        return state.closed

    def still_open(self, case: str) -> str | None:
        """What the look after the latest block of a case has left open, as a sentence; None if there was no look."""
        return self._states[case].still_open

    def _look(self, state: _CaseState, blocks: int) -> None:
        primary = state.step.metrics[0]
        rows = [row for row in state.rows if row.metric == primary and row.target in self._left]
        look = looked(
            rows,
            self._left,
            self._study.baseline,
            band=self._study.band,
            mode=replace(self._mode, cap=state.cap),
            blocks=blocks,
        )
        match look.step:
            case Go(blocks=wanted):
                state.wanted = wanted
                state.still_open = still_open(primary, blocks, look, self._turn_ns(), state.cap)
            case Stop() as step:
                statuses = [status for by_target in state.statuses.values() for status in by_target.values()]
                valid = (statuses.count(RunStatus.OK), len(statuses))
                state.closed = closing(step, primary, blocks, valid, look.summaries, asked=self._study.blocks)

    @property
    def open_cases(self) -> list[str]:
        """Cases that are neither decided nor given up."""
        return [case for case, state in self._states.items() if state.closed is None]

    def block_ns(self, case: str) -> int:
        """Expected time of one more block of a case."""
        return self._states[case].block_ns

    def _turn_ns(self) -> int:
        """Expected time until a case has one more block: others that are open take their turns."""
        pause_ns = len(self._left) * self._pause_ns()
        return sum(state.block_ns + pause_ns for state in self._states.values() if state.closed is None)

    def _pause_ns(self) -> int:
        """Usual time between two runs."""
        return round(median(self._pauses_ns)) if self._pauses_ns else 0

    def time_left(self) -> TimeLeft:
        """From now to the next look of every open case, and to its last one.

        Runs and the pauses between them are taken to last as they did so far; what is left of a block that is under way
        counts, too.
        """
        pause_ns, least, most = self._pause_ns(), 0, 0
        for state in self._states.values():
            if state.closed is None:
                done = len(self._settled(state))
                block_ns = state.block_ns + len(self._left) * pause_ns
                begun_ns = sum(state.run_ns.get(name, 0) + pause_ns for name in state.underway(self._left))
                last = last_block(replace(self._mode, cap=state.cap), len(self._left))
                least += max(0, (state.wanted - done) * block_ns - begun_ns)
                most += max(0, ((state.wanted if self._exact else last) - done) * block_ns - begun_ns)
        return TimeLeft(least, most)


def _again_ns(run: Run) -> int:
    """How long a run takes once its file is there, which it is from the second run on, unless it is refilled."""
    phases = run.facts.get("phases")
    layout_ns = phases.get("layout_ns") if isinstance(phases, dict) else None
    if run.plan.parameters.get("layout") == "refill" or not isinstance(layout_ns, int):
        return run.spent_ns
    return max(0, run.spent_ns - layout_ns)


def _for_good(run: Run) -> bool:
    """Whether a repetition would be invalid as well: what was never written stays so while a test only reads."""
    empty = any(each.guard == unwritten.NAME and each.level is Level.INVALID for each in run.findings)
    return empty and not workloads.of(run.plan).writes(run.plan)
