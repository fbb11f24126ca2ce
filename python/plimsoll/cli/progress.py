"""Live progress of a session: a board on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console, Group
from rich.control import Control
from rich.live import Live
from rich.text import Text

from plimsoll.api.watching import Watcher, result_text
from plimsoll.cli.board import State, lines
from plimsoll.cli.output import harmless, say
from plimsoll.cli.recorder import Recorder
from plimsoll.cli.streams import Streams
from plimsoll.model import Run, RunStatus, Session
from plimsoll.run.observer import Observer, Several, Silent
from plimsoll.run.plan import Step
from plimsoll.run.time_left import TimeLeft
from plimsoll.units import SECOND

DRAWN_EVERY_NS = SECOND // 2
"""A board of 100 cells takes 4 ms to draw: less than 1 % of a processor."""
MOST_KEPT = 50
"""Lines above the board that are said again on a screen of another size."""
NO_STREAMS = Streams()
RESUMES = "interrupted; finished runs are kept, test files are removed: `plimsoll run --resume` goes on"


@contextmanager
def observer(*, quiet: bool, interrupted: str = RESUMES, streams: Streams = NO_STREAMS) -> Iterator[Observer]:
    """The observer that fits standard error, and `streams`; what an interruption means is said last."""
    try:
        with _fitting(quiet=quiet) as watching, streams.opened() as also:
            yield Several([watching, *(Watcher(each, None) for each in also)])
    except KeyboardInterrupt as error:
        # Whoever passed it on may know what it means here.
        say(str(error) or interrupted)
        raise


@contextmanager
def _fitting(*, quiet: bool) -> Iterator[Observer]:
    if quiet:
        yield Recorder(Silent())
    elif sys.stderr.isatty():
        # Drawn between the questions to the core, never by a thread of its own, which would take its processor.
        with Live(console=Console(stderr=True), transient=True, auto_refresh=False) as live:
            shown = _Moving(live)
            yield Recorder(shown, shown.draw)
    else:
        yield Recorder(_Plain())


class _Plain(Silent):
    """One line per event."""

    def session_started(self, session: Session, steps: list[Step], earlier: Sequence[Run]) -> None:
        """Say what begins."""
        del earlier
        self._say(f"{session.title}: {len(steps)} test{'s' if len(steps) > 1 else ''}")

    def run_finished(self, run: Run, left: TimeLeft) -> None:
        """One line with the score, or with the reason why there is none."""
        self._say(result_text(run, left))

    def looked(self, case: str, told: str, *, closed: bool) -> None:
        """Pass it on."""
        del closed
        self._say(f"{case}: {told}")

    def note(self, sentence: str) -> None:
        """Pass it on."""
        self._say(sentence)

    def _say(self, line: str) -> None:
        say(line)


class _Moving(_Plain):
    """The board, with what it has no place for above it."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._drawn_ns = 0
        self._size = live.console.size
        self._told: deque[str] = deque(maxlen=MOST_KEPT)

    def draw(self, state: State) -> None:
        """The board as it is now, a few times a second."""
        now_ns = time.monotonic_ns()
        if now_ns - self._drawn_ns >= DRAWN_EVERY_NS:
            self._drawn_ns = now_ns
            if self._live.console.size != self._size:
                self._begin_again()
            width, height = self._size
            self._live.update(Group(*lines(state, width, height, time.time_ns())), refresh=True)

    def _begin_again(self) -> None:
        """A terminal of another size has broken the lines of the old board, or cut them: nobody knows where they are.

        So the screen is cleared, and what was said above the board is said again.
        """
        self._live.update(Text(""), refresh=True)
        console = self._live.console
        self._size = console.size
        console.control(Control.home(), Control.clear())
        for line in list(self._told)[-max(1, self._size.height // 2) :]:
            console.print(line, markup=False, highlight=False)

    def run_finished(self, run: Run, left: TimeLeft) -> None:
        """The board has the score; why there is none is said."""
        if run.status is not RunStatus.OK:
            super().run_finished(run, left)

    def looked(self, case: str, told: str, *, closed: bool) -> None:
        """The board has what is open; how a case ended stays in sight."""
        if closed:
            super().looked(case, told, closed=closed)

    def session_finished(self, session: Session) -> None:
        """Take the board away."""
        del session
        self._live.update(Text(""), refresh=True)

    def _say(self, line: str) -> None:
        self._told.append(harmless(line))
        self._live.console.print(self._told[-1], markup=False, highlight=False)
