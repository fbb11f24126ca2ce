"""Calls on several workers at once: begun, watched and stopped as one."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from plimsoll.cluster import remote
from plimsoll.cluster.connection import WAIT_S, Cluster, Task, Worker, WorkerLost
from plimsoll.model import RunStatus
from plimsoll.run.outcome import OnProgress

STOP_S = 12.0
"""How long a stopped run may take to come back."""

Call = tuple[Worker, Callable[..., Any], tuple[Any, ...]]
"""Whom, what, and what is handed over."""


@dataclass(frozen=True)
class Calls:
    """How the calls of one session are watched."""

    cluster: Cluster
    session_id: str
    renew: Callable[[], None]
    """Called all the while: the workers are to know that the session is alive."""
    on_progress: OnProgress
    deadline_reached: Callable[[], bool]

    def answers(self, calls: Sequence[Call], ahead_ns: int | None = None) -> list[Any]:
        """What each call returned; with `ahead_ns`, all begin so long after the last has said that it is ready.

        Raises WorkerLost. Whatever happens, nothing goes on when this is left.
        """
        for worker, _, _ in calls:
            self.cluster.check_alive(worker)
        tasks = [self.cluster.start(worker, function, *given) for worker, function, given in calls]
        try:
            self._watch(tasks, ahead_ns)
            return [task.result() for task in tasks]
        except BaseException:
            self._stop(tasks)
            for task in tasks:
                _wait(task)
            raise

    def _watch(self, tasks: Sequence[Task], ahead_ns: int | None) -> None:
        """Until all have ended. If one fails, or at the deadline, all others are stopped."""
        stopped_s: float | None = None
        told_s = 0.0
        # Every task is asked each time: a lost worker must not hide behind one that goes on.
        while len([task for task in tasks if task.done()]) < len(tasks):
            self.renew()
            if ahead_ns is not None and all(map(_is_ready, tasks)):
                self._go(tasks, ahead_ns)
                ahead_ns = None
            moment, progress = tasks[0].progress
            if progress and moment > told_s:
                told_s = moment
                self.on_progress(progress)
            failed = len(tasks) > 1 and any(_has_failed(task) for task in tasks if task.future.done())
            if stopped_s is None and (failed or self.deadline_reached()):
                stopped_s = time.monotonic()
                self._stop(tasks)
            if stopped_s is not None and time.monotonic() - stopped_s > STOP_S:
                late = next(task for task in tasks if not task.future.done())
                raise self.cluster.lost(late.worker, f"did not end its run {STOP_S:g} s after it was stopped")
            time.sleep(WAIT_S)

    def _go(self, tasks: Sequence[Task], ahead_ns: int) -> None:
        begin_ns = time.time_ns() + ahead_ns
        for task in tasks:
            there_ns = begin_ns + task.worker.clock.offset_ns
            self.cluster.tell(task.worker, remote.go, self.session_id, task.number, there_ns)

    def _stop(self, tasks: Sequence[Task]) -> None:
        for task in tasks:
            self.cluster.tell(task.worker, remote.stop, self.session_id, task.number)


def _is_ready(task: Task) -> bool:
    _, progress = task.progress
    return progress is not None and progress["phase"] == remote.READY


def _has_failed(task: Task) -> bool:
    """Whether a task that has ended has measured nothing that counts."""
    answer = task.result()
    runs = answer if isinstance(answer, list) else [answer] if answer else []
    return not runs or any(run.status is RunStatus.FAILED for run, _ in runs)


def _wait(task: Task) -> None:
    """Until a stopped run has come back, or its worker is lost."""
    deadline = time.monotonic() + STOP_S
    try:
        while not task.done() and time.monotonic() < deadline:
            time.sleep(WAIT_S)
    except WorkerLost:
        return
    finally:
        task.cancel()
