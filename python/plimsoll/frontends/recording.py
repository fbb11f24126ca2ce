"""What a front end measured, as a session with runs in the store."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from uuid_utils import uuid7

import plimsoll
from plimsoll.frontends.named import NamedFiles
from plimsoll.model import Plan, Run, RunStatus, Session, SessionState, Target
from plimsoll.notices import tell
from plimsoll.run.places import Place, database_place
from plimsoll.run.plan import Step
from plimsoll.run.record import run_record
from plimsoll.run.sampler import Sampler
from plimsoll.run.schedule import Block, RunRequest
from plimsoll.run.workers.execution import Execution
from plimsoll.store.keeper import Keeper
from plimsoll.store.store import Store
from plimsoll.targets import device, directory, safety
from plimsoll.targets.chain import chain_of
from plimsoll.targets.host import host_facts, memory_limit_bytes
from plimsoll.targets.lock import lock
from plimsoll.targets.parse import parse_target
from plimsoll.volumes.registry import servers_below


@dataclass
class Places:
    """The directories, devices and databases of a session: locked until it ends."""

    destroy: Sequence[str] = ()
    _stack: ExitStack = field(default_factory=ExitStack)
    _held: set[Path] = field(default_factory=set)

    @cached_property
    def named(self) -> NamedFiles:
        """The files that the user named."""
        return NamedFiles(self._stack)

    def __enter__(self) -> Places:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def hold(self, path: Path, *, writes: bool, below: Path | None = None) -> Place:
        """The place of a file or device, for this session alone; a device that is written must be allowed to be.

        `below` is the directory that the user named where `path` lies in a folder made for the session: the target has
        its name, for that of the folder is another one each time. Raises TargetError or UnsafeTarget.
        """
        is_device = path.is_block_device()
        where = (path if is_device else path.parent).resolve()
        if where not in self._held:
            self._stack.enter_context(lock(where))
            self._held.add(where)
        if is_device and writes and where / "written" not in self._held:
            self._stack.enter_context(safety.claim(where, self.destroy))
            self._held.add(where / "written")
        target = parse_target(str(where if below is None else below.resolve()))
        chain = chain_of(where)
        facts = device.facts(target) if is_device else directory.facts(target)
        return Place(
            target=target.model_copy(update={"facts": facts}),
            folder=None,
            chain=chain,
            sampler=Sampler(chain, servers=servers_below(chain)),
            memory_limit_bytes=memory_limit_bytes(),
            stack=self._stack,
            file=path,
        )

    def address(self, target: Target) -> Place:
        """A database, for this session alone. Raises TargetError."""
        return database_place(target, self._stack, None, self.destroy)


class Recorder:
    """One session of a front end; every run is on disk when `add` returns."""

    def __init__(self, store: Store, tool: str, title: str, arguments: Sequence[str], places: Sequence[Place]) -> None:
        targets = {place.target.name: place.target.where for place in places}
        self.session = Session(
            id=str(uuid7()),
            title=title,
            started_ns=time.time_ns(),
            host={**host_facts()},
            study={
                "title": title,
                "front_end": tool,
                "arguments": list(arguments),
                "interleaved": False,
                "targets": [{"name": name, "where": where} for name, where in targets.items()],
            },
            plimsoll_version=plimsoll.__version__,
        )
        self._keeper = Keeper(store)
        self._keeper.begin(self.session)
        self._order = 0
        self.runs: list[Run] = []

    def add(
        self,
        place: Place,
        plan: Plan,
        execution: Execution,
        started_ns: int,
        facts: Mapping[str, Any] | None = None,
        *,
        block: int = 0,
    ) -> Run:
        """Store one run, checked by the guards like any other."""
        number = Block(Step(plan.case, plan.metrics, {}), number=block, attempt=0, targets=())
        request = RunRequest(self.session.id, number, self._order, place.target.name, noisy_host=False)
        run = run_record(request, place, plan, execution, started_ns)
        run = run.model_copy(update={"facts": {**run.facts, **(facts or {})}})
        self._order += 1
        self._keeper.add(run)
        self.runs.append(run)
        return run

    def finish(self, *, interrupted: bool = False) -> None:
        """The session is over: interrupted where the caller says so or Ctrl-C is on its way, else done."""
        cut = interrupted or isinstance(sys.exception(), KeyboardInterrupt)
        state = SessionState.INTERRUPTED if cut else SessionState.DONE
        stopped = interrupted or sys.exception() is not None
        if left := self._keeper.finish(state, time.time_ns(), stopped=stopped):
            # The result is printed as the original prints it; that it is in no store yet is for the user alone.
            tell(left)

    def doubts(self) -> list[str]:
        """Why the guards call runs invalid, one sentence each."""
        return self._reasons(RunStatus.INVALID)

    def failures(self) -> list[str]:
        """Why runs failed, one sentence each."""
        return self._reasons(RunStatus.FAILED)

    def _reasons(self, status: RunStatus) -> list[str]:
        return list(dict.fromkeys(run.reason for run in self.runs if run.status is status))
