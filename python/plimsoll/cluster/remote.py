"""What runs on a worker: the same as on this machine, for a coordinator that may go away at any time.

Every session that is open here has a lease. The coordinator renews it every few seconds; when it does not, the job is
stopped and the places are cleaned up, so that nothing is left behind by a coordinator that died.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from plimsoll.cluster.address import WORKER, split_place
from plimsoll.errors import PlimsollError
from plimsoll.model import Plan, Run, Session, Target
from plimsoll.run import interleave
from plimsoll.run import plan as planning
from plimsoll.run.interleave import Way
from plimsoll.run.machines import LocalTargets, ThisMachine
from plimsoll.run.outcome import OnProgress, Progress
from plimsoll.run.schedule import RunRequest
from plimsoll.run.study import Study
from plimsoll.run.turns import Pace
from plimsoll.run.workers.sliced import AHEADS_NS, TooLate
from plimsoll.targets.database import is_address
from plimsoll.targets.host import HostFacts, host_facts
from plimsoll.targets.lock import lock_machine
from plimsoll.targets.mounts import is_block_device
from plimsoll.targets.workdir import sweep
from plimsoll.units import SECOND

LEASE_S = 15.0
PROGRESS_S = 0.5
HEARTBEAT_S = 3.0
TOPIC = "plimsoll"
READY = "ready"
"""The phase of a task that waits for `go`."""
GO_POLL_S = 0.002

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Refused:
    """An error with a message for the user; exceptions with arguments of their own do not survive the way back."""

    message: str


@dataclass
class _OpenSession:
    """A session on this worker."""

    stack: ExitStack
    prepared: LocalTargets
    renewed_s: float
    closes: threading.Event = field(default_factory=threading.Event)
    busy: threading.Lock = field(default_factory=threading.Lock)
    stopped: int = 0
    """The newest task that was stopped; those after it go on."""
    begins_ns: dict[int, int] = field(default_factory=dict)
    """By the number of a task: when its slices begin, on this clock."""

    def ends(self, number: int) -> bool:
        """Whether what this task does is to end."""
        return self.closes.is_set() or self.stopped >= number


_sessions: dict[str, _OpenSession] = {}


def answers(function: Callable[P, T]) -> Callable[P, T | Refused]:
    """Turn errors for the user into a Refused."""

    @wraps(function)
    def answered(*args: P.args, **kwargs: P.kwargs) -> T | Refused:
        try:
            return function(*args, **kwargs)
        except PlimsollError as error:
            return Refused(str(error))
        except OSError as error:
            return Refused(f"{error.filename or 'the system'}: {error.strerror}")

    return answered


@answers
def facts() -> HostFacts:
    """The facts of this host."""
    return host_facts()


@answers
def kind_of(path: str) -> str:
    """`device`, `directory` or `database`."""
    return "database" if is_address(path) else "device" if is_block_device(Path(path)) else "directory"


@dataclass(frozen=True)
class Secret:
    """A value that no log of a call shows."""

    value: str = field(repr=False)


@answers
def keep_secret(name: str, secret: Secret) -> None:
    """An environment variable of this worker's process, such as the password of a database."""
    os.environ[name] = secret.value


@answers
def identity(path: str) -> tuple[str, int, int]:
    """The same for two workers if they see one and the same directory of one machine."""
    place = Path(path).stat()
    return Path("/proc/sys/kernel/random/boot_id").read_text(), place.st_dev, place.st_ino


@answers
def check(study: Study, destroy: Sequence[str], name: str) -> None:
    """As `plan.check`, for targets on this worker, which is called `name`."""
    here = replace(study, targets=tuple(local(each, name) for each in study.targets))
    planning.check(here, planning.steps(here), destroy)


@answers
def ways(study: Study, name: str) -> dict[str, Way]:
    """As `interleave.ways`, for targets that are all on this worker."""
    here = replace(study, targets=tuple(local(each, name) for each in study.targets))
    return interleave.ways(here, planning.steps(here))


def local(target: Target, name: str) -> Target:
    """The target as this worker calls it."""
    return target.model_copy(update={"where": split_place(target.where)[1].replace(WORKER, name)})


@answers
def open_session(
    targets: Sequence[Target], session: Session, written: Collection[str], destroy: Sequence[str], name: str
) -> dict[str, Target]:
    """Lock and prepare the targets; returns them with their facts."""
    sweep()
    stack = ExitStack()
    stack.enter_context(lock_machine(session.id))
    try:
        here = [local(each, name) for each in targets]
        prepared = stack.enter_context(ThisMachine().open(here, session, written, destroy))
    except BaseException:
        stack.close()
        raise
    _sessions[session.id] = _OpenSession(stack, prepared, time.monotonic())
    threading.Thread(target=_watch, args=(session.id,), daemon=True, name="plimsoll lease").start()
    where = {target.name: target.where for target in targets}
    return {name: each.model_copy(update={"where": where[name]}) for name, each in prepared.targets.items()}


@answers
def measure(request: RunRequest, plan: Plan, where: str, start_ns: int, number: int) -> tuple[Run, int]:
    """One run from a moment of this clock on, and when its measured time began.

    Progress goes to the topic with `number`, so that the coordinator knows whose it is.
    """
    with _turn_of(request.session_id, number) as (found, tell):
        progress = _seldom(tell)
        while time.time_ns() < start_ns and not found.ends(number):
            progress(_waits("waiting for the others"))
            time.sleep(max(0.0, min(PROGRESS_S, (start_ns - time.time_ns()) / SECOND)))
        run, began_ns = found.prepared.measure_plan(request, plan, progress, partial(found.ends, number))
    return _as_called(run, where), began_ns


@answers
def measure_block(
    requests: Sequence[RunRequest],
    plans: Sequence[Plan],
    where: Sequence[str],
    pace: Pace | None,
    together: bool,
    number: int,
) -> list[tuple[Run, int]] | None:
    """The runs of a block whose targets alternate or run at once here, and when their measured times began.

    With others `together`, its slices begin at the moment that `go` brings once all are ready; None where that had
    passed when it came.
    """
    with _turn_of(requests[0].session_id, number) as (found, tell):

        def agreed() -> int:
            tell(_waits(READY))
            while number not in found.begins_ns and not found.ends(number):
                time.sleep(GO_POLL_S)
            # One that was stopped meanwhile begins all the same, and ends at once.
            begin_ns = found.begins_ns.pop(number, time.time_ns() + AHEADS_NS[0])
            return time.monotonic_ns() + begin_ns - time.time_ns()

        try:
            runs = found.prepared.measure_plans(
                requests, plans, pace, agreed if together else None, _seldom(tell), partial(found.ends, number)
            )
        except TooLate:
            return None
    return [(_as_called(run, place), began_ns) for (run, began_ns), place in zip(runs, where, strict=True)]


def _waits(phase: str) -> Progress:
    return {"phase": phase, "done": 0.0, "elapsed_ns": 0, "interval": None}


def _as_called(run: Run, where: str) -> Run:
    """With the place as the coordinator calls it."""
    return run.model_copy(update={"target": run.target.model_copy(update={"where": where})})


@contextmanager
def _turn_of(session_id: str, number: int) -> Iterator[tuple[_OpenSession, OnProgress]]:
    """The session, for one task at a time, and how it tells its progress."""
    from distributed import get_worker

    worker, found = get_worker(), _open(session_id)
    with found.busy, _heartbeat(worker, number):
        _open(session_id)
        yield found, lambda now: worker.log_event(TOPIC, {"number": number, **now})


def _seldom(tell: OnProgress) -> OnProgress:
    """What many call, and few need to hear."""
    told = [0.0]

    def progress(now: Progress) -> None:
        if time.monotonic() - told[0] >= PROGRESS_S:
            told[0] = time.monotonic()
            tell(now)

    return progress


def _open(session_id: str) -> _OpenSession:
    """What is open here. Raises PlimsollError when it was closed."""
    found = _sessions.get(session_id)
    if found is None:
        raise PlimsollError("its lease ran out, because the coordinator was silent")
    return found


@contextmanager
def _heartbeat(worker: Any, number: int) -> Iterator[None]:
    """Tell every few seconds that this process lives, also while it starts a server or loads data."""
    ended = threading.Event()

    def beat() -> None:
        while not ended.wait(HEARTBEAT_S):
            worker.log_event(TOPIC, {"number": number})

    threading.Thread(target=beat, daemon=True, name="plimsoll heartbeat").start()
    try:
        yield
    finally:
        ended.set()


async def renew(session_id: str) -> None:
    """The coordinator is still there. On the worker's event loop; a coroutine, because nobody waits for it."""
    found = _sessions.get(session_id)
    if found is not None:
        found.renewed_s = time.monotonic()


async def stop(session_id: str, number: int) -> None:
    """End the run of a task. On the worker's event loop, as `renew`; it may come when the next run is under way."""
    found = _sessions.get(session_id)
    if found is not None:
        found.stopped = max(found.stopped, number)


async def go(session_id: str, number: int, begin_ns: int) -> None:
    """When the slices of a task begin, on this clock. On the worker's event loop, as `renew`."""
    found = _sessions.get(session_id)
    if found is not None:
        found.begins_ns[number] = begin_ns


@answers
def close_session(session_id: str) -> None:
    """Remove everything of a session, after the run that goes on has ended."""
    found = _sessions.get(session_id)
    if found is None:
        return
    found.closes.set()
    with found.busy:
        # Of several who close, as this process ends from more than one side, each comes back once all is removed.
        try:
            found.stack.close()
        finally:
            _sessions.pop(session_id, None)


def _watch(session_id: str) -> None:
    """Close a session whose lease ran out."""
    while (found := _sessions.get(session_id)) is not None:
        if time.monotonic() - found.renewed_s > LEASE_S:
            close_session(session_id)
            return
        time.sleep(0.5)


@atexit.register
def close_all() -> None:
    """Remove everything of every session, because this process ends."""
    for session_id in list(_sessions):
        close_session(session_id)
