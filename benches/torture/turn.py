"""One round: a command, what befalls it, and the laws afterwards."""

from __future__ import annotations

import random
import signal
import subprocess
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from types import ModuleType

from benches.torture.laws import broken
from benches.torture.sandbox import Answer, Sandbox, ended
from benches.torture.scenarios import Scenario
from benches.torture.stored import Stored, stored
from benches.torture.supervisor import Supervisor
from benches.torture.template import Template

Strike = Callable[[], None]
RESUME_SHARE = 0.3
"""Of the sessions that did not come to their end, those that are resumed."""


@dataclass
class Turn:
    """What a fault knows of the round, and what it tells."""

    sandbox: Sandbox
    template: Template
    scenario: Scenario
    rng: random.Random
    usual_s: float
    """How long the command takes when nothing befalls it."""
    supervisor: Supervisor | None = None
    """Set by faults at chosen system calls."""
    process: subprocess.Popen[str] | None = None
    endings: set[int] = field(default_factory=set)
    """Exit codes that follow from what befell the command, beside those that it may always have."""
    store_taken: bool = False
    """The store was taken away for good; what it held before is not asked for."""
    was_done: bool = False
    """Its session was stored as done by then: a command that only prints any more cannot answer for the store."""
    before: Stored | None = None
    """What the store held when the command began."""
    told: list[str] = field(default_factory=list)
    flaws: list[str] = field(default_factory=list)
    """What of the fault itself went wrong."""

    def kill(self) -> None:
        """`kill -9` of the command."""
        assert self.process is not None
        self.endings.add(-signal.SIGKILL)
        self.process.kill()


@dataclass(frozen=True)
class Result:
    """What came of a round."""

    told: str
    code: int | None
    laws: tuple[str, ...]
    seconds: float
    said: str = ""
    """All that the command wrote."""


def play(turn: Turn, faults: Sequence[ModuleType]) -> Result:
    """Let the faults befall the command, and look."""
    began = monotonic()
    sandbox, scenario = turn.sandbox, turn.scenario
    # Some come early, for much happens at the start.
    moments = [turn.usual_s * turn.rng.choice((0.3, 0.8, 0.8)) * turn.rng.random() for _ in faults]
    with ExitStack() as stack:
        strikes = [stack.enter_context(fault.fault(turn)) for fault in faults]
        turn.template.copied(sandbox)
        turn.before = before = stored(sandbox)
        scenario.prepare(sandbox, turn.template)
        turn.process = sandbox.start(list(scenario.words(sandbox, turn.template)), turn.supervisor)
        timers = [
            threading.Thread(target=_strike, args=(turn, strike, moment))
            for strike, moment in zip(strikes, moments, strict=True)
            if strike
        ]
        for timer in timers:
            timer.start()
        answer = ended(turn.process)
        for timer in timers:
            timer.join()
    if turn.supervisor and turn.supervisor.struck:
        turn.told.append(turn.supervisor.struck)
    scenario = turn.scenario
    held = None if turn.store_taken else before
    laws = turn.flaws + broken(sandbox, scenario, answer, held, turn.endings, was_done=turn.was_done)
    if answer.code != 0 and scenario.measures and not laws and turn.rng.random() < RESUME_SHARE:
        laws += _resumed(turn, before)
    return Result(
        "; ".join(turn.told) or "nothing befell it", answer.code, tuple(laws), monotonic() - began, answer.said
    )


def _strike(turn: Turn, strike: Strike, moment_s: float) -> None:
    """Once the command has lived so long, if it does."""
    assert turn.process is not None
    try:
        turn.process.wait(moment_s)
    except subprocess.TimeoutExpired:
        try:
            strike()
        except Exception:
            turn.flaws.append(f"the campaign itself: {traceback.format_exc(limit=-3)}")


def _resumed(turn: Turn, before: Stored) -> list[str]:
    """The session goes on and comes to its end, if it had begun."""
    sandbox, scenario = turn.sandbox, turn.scenario
    begun = [each for each in stored(sandbox, before).new if each.state in ("interrupted", "running")]
    if not begun:
        return []
    turn.told.append("resumed")
    outputs = [word for name in scenario.outputs for word in ("-o", name)]
    answer = sandbox.run("run", "--resume", *outputs)
    found = [f"resumed: {each}" for each in broken(sandbox, scenario, answer, before, set())]
    if answer.code != 0:
        found.append(f"resuming ends with {answer.code}: {answer.err.strip()[-500:]}")
    return found


@contextmanager
def sandbox_for(folder: Path) -> Iterator[Sandbox]:
    """A sandbox in a new folder, taken away with all that is left there."""
    sandbox = Sandbox(folder)
    try:
        yield sandbox
    finally:
        sandbox.end()


@dataclass(frozen=True)
class Known:
    """What a scenario does when nothing befalls it."""

    supervisor: Supervisor
    usual_s: float
    laws: tuple[str, ...]


def undisturbed(folder: Path, template: Template, scenario: Scenario) -> Known:
    """Carry a scenario out with no fault at all: its calls, its time, and the laws, which hold then of all times."""
    with sandbox_for(folder) as sandbox:
        supervisor = Supervisor(sandbox.folder)
        turn = Turn(sandbox, template, scenario, random.Random(0), 0.0, supervisor)
        template.copied(sandbox)
        before = stored(sandbox)
        scenario.prepare(sandbox, template)
        began = monotonic()
        turn.process = sandbox.start(list(scenario.words(sandbox, template)), supervisor)
        answer: Answer = ended(turn.process)
        took_s = monotonic() - began
        calls = Supervisor(sandbox.folder, seen=supervisor.seen.copy())
        laws = broken(sandbox, scenario, answer, before, set())
        if answer.code != 0:
            laws.append(f"it ends with {answer.code}: {answer.said.strip()[-2000:]}")
    return Known(calls, took_s, tuple(laws))
