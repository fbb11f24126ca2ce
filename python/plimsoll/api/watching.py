"""What a session tells the caller while it runs, and how the caller ends it.

An `Observer` for the session, one function for the caller. Whatever ends it early, the caller's own error among them,
goes down as an interrupt, for which everything that runs already cleans up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal, NoReturn, Protocol

from plimsoll.errors import Cancelled
from plimsoll.metrics import DATA_KINDS, short_title
from plimsoll.model import Run, RunStatus, Session
from plimsoll.run import outcome
from plimsoll.run.plan import Step
from plimsoll.run.time_left import TimeLeft
from plimsoll.units import SECOND, format_value

EventKind = Literal["session", "run", "progress", "result", "look", "note", "end"]


class Cancel(Protocol):
    """How a call is cancelled: a `threading.Event`, or anything else with its `is_set`."""

    def is_set(self) -> bool:
        """Whether the call is to end."""


@dataclass(frozen=True, slots=True)
class Progress:
    """One event of a session; what an event is not about is None or empty."""

    kind: EventKind
    """session (it begins) · run (one begins, or those of a block in slices) · progress (about ten times a second) ·
    result (a run is stored) · look (after a block: what is open, or how the case ended) · note · end."""
    session_id: str
    text: str = ""
    """The event as one sentence, as the command line prints it; empty for most kinds of progress."""
    case: str = ""
    target: str = ""
    block: int | None = None
    """From 0."""
    phase: str = ""
    """Of the run: layout, warmup, measure, …"""
    share: float | None = None
    """Of the phase, 0 to 1."""
    operations_per_s: float | None = None
    """In the last interval, about a second."""
    bytes_per_s: float | None = None
    p99_ns: int | None = None
    left_least_ns: float | None = None
    """Of the whole session, if every question is decided as soon as it can be."""
    left_most_ns: float | None = None
    run: Run | None = None
    """With its scores; of a result."""
    closed: bool | None = None
    """Whether a look ended its case."""


OnProgress = Callable[[Progress], object]


@contextmanager
def watching(progress: OnProgress | None, cancel: Cancel | None) -> Iterator[Watcher]:
    """What a session is given as its observer. Raises Cancelled, and what `progress` raised, when all is cleaned up."""
    watcher = Watcher(progress, cancel)
    if watcher.is_cancelled():
        raise Cancelled("cancelled before it began; nothing was measured")
    try:
        yield watcher
    except Stop as stop:
        if stop.reason is not None:
            raise stop.reason from None
        if not watcher.session_id:
            raise Cancelled("cancelled before the first run was finished; nothing is kept") from None
        raise Cancelled(
            "cancelled; finished runs are kept, test files are removed: `plimsoll.resume(error.session_id)` goes on",
            watcher.session_id,
        ) from None


class Stop(KeyboardInterrupt):
    """The caller wants it to end: for all that runs, an interrupt."""

    def __init__(self, reason: BaseException | None) -> None:
        super().__init__()
        self.reason = reason


class Watcher:
    """An observer that tells one function, and that asks before and after whether it is to end."""

    def __init__(self, progress: OnProgress | None, cancel: Cancel | None) -> None:
        self._progress, self._cancel = progress, cancel
        self.session_id = ""
        """Of the session; empty until it begins, and where nothing is kept of it."""
        self._current = Progress("run", "")

    def is_cancelled(self) -> bool:
        """Whether the caller wants it to end."""
        return self._cancel is not None and self._cancel.is_set()

    def session_started(self, session: Session, steps: list[Step], earlier: Sequence[Run]) -> None:
        """The session is in the store."""
        del earlier
        self.session_id = session.id
        count = len(steps)
        self._tell(Progress("session", session.id, f"{session.title}: {count} test{'s' if count > 1 else ''}"))

    def run_started(self, step: Step, target: str, block: int, left: TimeLeft) -> None:
        """A run begins."""
        self._current = Progress("run", self.session_id, case=step.case, target=target, block=block)
        self._tell(replace(self._current, left_least_ns=left.least_ns, left_most_ns=left.most_ns))

    def run_progress(self, progress: outcome.Progress) -> None:
        """The core has counted."""
        found = replace(self._current, kind="progress", phase=progress["phase"], share=progress["done"])
        if interval := progress["interval"]:
            operations, moved, p99_ns = rates(interval)
            found = replace(found, operations_per_s=operations, bytes_per_s=moved, p99_ns=p99_ns)
        self._tell(found)

    def run_finished(self, run: Run, left: TimeLeft) -> None:
        """The run is in the store."""
        about = Progress("result", self.session_id, result_text(run, left), run.plan.case, run.target.name, run.block)
        self._tell(replace(about, run=run, left_least_ns=left.least_ns, left_most_ns=left.most_ns))

    def looked(self, case: str, told: str, *, closed: bool) -> None:
        """What is open after a block, or how the case ended."""
        self._tell(Progress("look", self.session_id, f"{case}: {told}", case, closed=closed))

    def note(self, sentence: str) -> None:
        """Something worth telling."""
        self._tell(Progress("note", self.session_id, sentence))

    def session_finished(self, session: Session) -> None:
        """Everything is cleaned up: nothing can be cancelled any more."""
        if self._progress is not None:
            try:
                self._progress(Progress("end", session.id))
            except BaseException as error:
                self._stop(error)

    def _tell(self, event: Progress) -> None:
        if self.is_cancelled():
            self._stop(None)
        if self._progress is not None:
            try:
                self._progress(event)
            except BaseException as error:
                self._stop(error)

    def _stop(self, reason: BaseException | None) -> NoReturn:
        raise Stop(reason) from reason


def rates(interval: outcome.OneInterval) -> tuple[float, float, int]:
    """Operations and bytes per second of an interval, and the largest p99 of its kinds, ns."""
    data = [each for kind, each in interval["operations"].items() if kind in DATA_KINDS]
    operations, moved = sum(each["operations"] for each in data), sum(each["bytes"] for each in data)
    p99_ns = max((each["p99_ns"] for each in data), default=0)
    # No time may have passed.
    per_s = SECOND / interval["duration_ns"] if interval["duration_ns"] > 0 else 0.0
    return operations * per_s, moved * per_s, p99_ns


def result_text(run: Run, left: TimeLeft) -> str:
    """A finished run as one line: where, its score or why there is none, and the time left."""
    return f"{run.plan.case} on {run.target.name}, block {run.block + 1}: {headline(run)}; {left.text()}"


def headline(run: Run) -> str:
    """The primary score of a run, or why there is none."""
    if run.status is not RunStatus.OK:
        return f"{run.status.value}: {run.reason}"
    found = {score.metric: score for score in run.scores}
    shown = [found[metric] for metric in run.plan.metrics if metric in found][:2]
    return ", ".join(f"{short_title(score.metric)} {format_value(score.value, score.unit)}" for score in shown)
