"""Plans that run at the same time, each on a thread of its own, until all have ended or one thing stops them all."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

from plimsoll.model import Plan
from plimsoll.run.outcome import OnProgress
from plimsoll.run.sampler import Sampler
from plimsoll.run.workers.execution import Execution
from plimsoll.run.workers.local import Keep, execute
from plimsoll.targets.chain import Chain
from plimsoll.units import SECOND
from plimsoll.volumes.registry import servers_below

WATCH_S = 0.1


@dataclass(frozen=True)
class Task:
    """One plan on one file or device, beside others."""

    plan: Plan
    path: Path
    chain: Chain
    delay_ns: int = 0
    cpus: Sequence[int] = ()
    """CPUs that its threads may use; empty: all."""
    keep: Sequence[Keep] = ()
    made: Sequence[tuple[int, int]] = ()
    """Device and inode of its files, as far as they are known."""
    carry_out: Callable[..., Execution] = execute
    """Takes what the local worker's `execute` takes."""
    name: str = ""
    group: int = 0
    ends: str = ""
    """What its end stops: nothing, its `group`, or `all`."""
    after: str = ""
    """It begins once all tasks of this name have ended."""
    begin: Callable[[], None] = lambda: None
    """Called in the thread of the task, from which those of the core inherit what it is given."""
    on_progress: OnProgress = lambda _progress: None
    enough: Callable[[], bool] = lambda: False
    """Asked about ten times a second: whether this task may end now."""


@dataclass
class Stop:
    """Asked for from outside; all tasks end soon after, with what they measured until then."""

    event: Event = field(default_factory=Event)
    interrupted: bool = False
    groups: set[int] = field(default_factory=set)
    """Those that one of their tasks has ended."""
    going: Counter[str] = field(default_factory=Counter)
    """Tasks by name that have not ended yet."""

    def holds_for(self, task: Task) -> bool:
        """Whether a task is to end, or not to begin."""
        return self.event.is_set() or task.group in self.groups


@dataclass(frozen=True)
class Ended:
    """How a task ended."""

    execution: Execution
    started_ns: int


def run_together(tasks: Sequence[Task], stop: Stop, tick: Callable[[], None] = lambda: None) -> list[Ended | None]:
    """Run all tasks at the same time; None stands for one that was stopped before it began.

    `tick` is called about ten times a second meanwhile. Ctrl-C stops them all and sets `stop.interrupted`: what was
    measured until then is returned.
    """
    stop.going = Counter(task.name for task in tasks)
    with ThreadPoolExecutor(max_workers=len(tasks), thread_name_prefix="plimsoll-job") as pool:
        futures = [pool.submit(_run, task, stop) for task in tasks]
        wait_for(futures, stop, tick)
    return [future.result() for future in futures]


def wait_for(futures: Sequence[Future[Any]], stop: Stop, tick: Callable[[], None] = lambda: None) -> None:
    """Until all have ended; Ctrl-C, or the fault of one, asks the others to stop."""
    pending = set(futures)
    while pending:
        try:
            done, pending = wait(pending, timeout=WATCH_S)
            tick()
        except KeyboardInterrupt:
            stop.interrupted = True
            stop.event.set()
            continue
        except BaseException:
            # Of `tick`, which may write to what is no longer there: the jobs must not go on without anyone to tell.
            stop.event.set()
            raise
        if any(future.exception() is not None for future in done):
            stop.event.set()


def _run(task: Task, stop: Stop) -> Ended | None:
    try:
        return _begun(task, stop)
    finally:
        stop.going[task.name] -= 1
        if task.ends == "all":
            stop.event.set()
        elif task.ends == "group":
            stop.groups.add(task.group)


def _begun(task: Task, stop: Stop) -> Ended | None:
    while task.after and stop.going[task.after] and not stop.holds_for(task):
        stop.event.wait(WATCH_S / 10)
    begins = time.monotonic() + task.delay_ns / SECOND
    while (left := begins - time.monotonic()) > 0 and not stop.holds_for(task):
        stop.event.wait(min(left, WATCH_S))
    if stop.holds_for(task):
        return None
    if task.cpus:
        # Of this thread only; the threads of the core inherit it.
        os.sched_setaffinity(0, task.cpus)
    task.begin()
    started_ns = time.time_ns()

    def over() -> bool:
        return stop.holds_for(task) or task.enough()

    sampler = Sampler(task.chain, servers=servers_below(task.chain))
    execution = task.carry_out(task.plan, task.path, sampler, task.on_progress, over, task.keep, task.made)
    return Ended(execution, started_ns)
