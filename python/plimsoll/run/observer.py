"""What a session tells while it runs. The command line shows it; tests record it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from plimsoll.model import Run, Session
from plimsoll.run.outcome import Progress
from plimsoll.run.plan import Step
from plimsoll.run.time_left import TimeLeft


class Observer(Protocol):
    """Receives the events of one session, in order, on the session's own thread."""

    def session_started(self, session: Session, steps: list[Step], earlier: Sequence[Run]) -> None:
        """The session is in the store, with `earlier` runs if it goes on."""

    def run_started(self, step: Step, target: str, block: int, left: TimeLeft) -> None:
        """A run begins; `left` is the time that the whole session still takes."""

    def run_progress(self, progress: Progress) -> None:
        """About ten times a second: the core's progress (phase, share done, last interval)."""

    def run_finished(self, run: Run, left: TimeLeft) -> None:
        """The run is in the store; `left` is what the session still takes after it."""

    def looked(self, case: str, told: str, *, closed: bool) -> None:
        """What the look after a block has left open in a case, or how the case ended."""

    def note(self, sentence: str) -> None:
        """Something worth telling: a block repeated, the time used up."""

    def session_finished(self, session: Session) -> None:
        """The session has ended and everything is cleaned up."""


class Silent:
    """An observer that ignores everything."""

    def session_started(self, session: Session, steps: list[Step], earlier: Sequence[Run]) -> None:
        """Takes no notice."""

    def run_started(self, step: Step, target: str, block: int, left: TimeLeft) -> None:
        """Takes no notice."""

    def run_progress(self, progress: Progress) -> None:
        """Takes no notice."""

    def run_finished(self, run: Run, left: TimeLeft) -> None:
        """Takes no notice."""

    def looked(self, case: str, told: str, *, closed: bool) -> None:
        """Takes no notice."""

    def note(self, sentence: str) -> None:
        """Takes no notice."""

    def session_finished(self, session: Session) -> None:
        """Takes no notice."""


class Several:
    """An observer that passes everything on to others, in their order."""

    def __init__(self, observers: Sequence[Observer]) -> None:
        self._observers = observers

    def session_started(self, session: Session, steps: list[Step], earlier: Sequence[Run]) -> None:
        """Passes it on."""
        for each in self._observers:
            each.session_started(session, steps, earlier)

    def run_started(self, step: Step, target: str, block: int, left: TimeLeft) -> None:
        """Passes it on."""
        for each in self._observers:
            each.run_started(step, target, block, left)

    def run_progress(self, progress: Progress) -> None:
        """Passes it on."""
        for each in self._observers:
            each.run_progress(progress)

    def run_finished(self, run: Run, left: TimeLeft) -> None:
        """Passes it on."""
        for each in self._observers:
            each.run_finished(run, left)

    def looked(self, case: str, told: str, *, closed: bool) -> None:
        """Passes it on."""
        for each in self._observers:
            each.looked(case, told, closed=closed)

    def note(self, sentence: str) -> None:
        """Passes it on."""
        for each in self._observers:
            each.note(sentence)

    def session_finished(self, session: Session) -> None:
        """Passes it on."""
        for each in self._observers:
            each.session_finished(session)
