"""Live progress of a session: one moving line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from plimsoll.cli.output import harmless, say
from plimsoll.metrics import short_title
from plimsoll.model import Run, RunStatus, Session
from plimsoll.run.observer import Observer, Silent
from plimsoll.run.outcome import Progress
from plimsoll.run.plan import Step
from plimsoll.run.time_left import TimeLeft
from plimsoll.units import SECOND, format_duration, format_number, format_size, format_value

_PHASES = {"layout": "writing the test file", "warmup": "warming up", "measure": "measuring", "verify": "reading back"}


RESUMES = "interrupted; finished runs are kept, test files are removed: `plimsoll run --resume` goes on"


@contextmanager
def observer(*, quiet: bool, interrupted: str = RESUMES) -> Iterator[Observer]:
    """The observer that fits standard error; what an interruption means is said last."""
    try:
        with _fitting(quiet=quiet) as watching:
            yield watching
    except KeyboardInterrupt:
        say(interrupted)
        raise


@contextmanager
def _fitting(*, quiet: bool) -> Iterator[Observer]:
    if quiet:
        yield Silent()
    elif sys.stderr.isatty():
        with Live(console=Console(stderr=True), transient=True, refresh_per_second=8) as live:
            yield _Moving(live)
    else:
        yield _Plain()


class _Plain(Silent):
    """One line per event."""

    def __init__(self) -> None:
        self._left = TimeLeft(0, 0)

    def session_started(self, session: Session, steps: list[Step]) -> None:
        """Say what begins."""
        self._say(f"{session.title}: {len(steps)} test{'s' if len(steps) > 1 else ''}")

    def run_started(self, step: Step, target: str, block: int, left: TimeLeft) -> None:
        """Remember the time left for the line of the finished run."""
        del step, target, block
        self._left = left

    def run_finished(self, run: Run) -> None:
        """One line with the score, or with the reason why there is none."""
        self._say(f"{_where(run.plan.case, run.target.name, run.block)}: {headline(run)}; {self._left.text()}")

    def note(self, sentence: str) -> None:
        """Pass it on."""
        self._say(sentence)

    def _say(self, line: str) -> None:
        say(line)


class _Moving(_Plain):
    """A line that moves, and finished runs above it."""

    def __init__(self, live: Live) -> None:
        super().__init__()
        self._live = live
        self._where = ""
        self._started = time.monotonic_ns()

    def run_started(self, step: Step, target: str, block: int, left: TimeLeft) -> None:
        """Start the clock of this run."""
        super().run_started(step, target, block, left)
        self._where = _where(step.case, target, block)
        self._started = time.monotonic_ns()

    def run_progress(self, progress: Progress) -> None:
        """Current test, phase, throughput, p99 and time left."""
        left = self._left.passed(time.monotonic_ns() - self._started)
        parts = [self._where, f"{_PHASES.get(progress['phase'], progress['phase'])} {progress['done']:.0%}"]
        if progress["interval"]:
            parts.append(_interval(progress["interval"]))
        self._live.update(Text(" · ".join([*parts, left.text()]), overflow="ellipsis", no_wrap=True))

    def session_finished(self, session: Session) -> None:
        """Take the moving line away."""
        del session
        self._live.update(Text(""))

    def _say(self, line: str) -> None:
        self._live.console.print(harmless(line), markup=False, highlight=False)


def _where(case: str, target: str, block: int) -> str:
    return f"{case} on {target}, block {block + 1}"


def _interval(interval: Mapping[str, Any]) -> str:
    seconds = interval["duration_ns"] / SECOND
    data = {kind: each for kind, each in interval["operations"].items() if kind in ("read", "write", "trim")}
    operations = sum(each["operations"] for each in data.values()) / seconds
    transferred = sum(each["bytes"] for each in data.values()) / seconds
    slowest = max((each["p99_ns"] for each in data.values()), default=0)
    return f"{format_number(operations)}/s, {format_size(transferred)}/s, p99 {format_duration(slowest)}"


def headline(run: Run) -> str:
    """The primary score of a run, or why there is none."""
    if run.status is not RunStatus.OK:
        return f"{run.status.value}: {run.reason}"
    found = {score.metric: score for score in run.scores}
    shown = [found[metric] for metric in run.plan.metrics if metric in found][:2]
    return ", ".join(f"{short_title(score.metric)} {format_value(score.value, score.unit)}" for score in shown)
