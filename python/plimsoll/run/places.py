"""The places of a session while it runs: locked, with a work folder each, cleaned up on any exit."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plimsoll.model import Session, Target
from plimsoll.run.outcome import failure_of
from plimsoll.run.sampler import Sampler
from plimsoll.run.workers.execution import Execution, Measured
from plimsoll.targets import database, device, directory, safety
from plimsoll.targets.chain import Chain, chain_of
from plimsoll.targets.host import memory_limit_bytes
from plimsoll.targets.lock import lock, lock_address
from plimsoll.targets.workdir import WorkFolder, workdir
from plimsoll.volumes.registry import servers_below
from plimsoll.volumes.restart import restarted_below
from plimsoll.volumes.waited import counters_below


@dataclass(frozen=True)
class Place:
    """One target, ready for runs."""

    target: Target
    folder: WorkFolder | None
    """The session's own folder below a directory, held open; None for a device, and for a front end's file."""
    chain: Chain
    sampler: Sampler
    memory_limit_bytes: int
    stack: ExitStack
    """What is entered here ends with the session, before the folder is removed."""
    services: dict[str, Any] = field(default_factory=dict)
    """What a kind of workload keeps at this place between runs, by a name of its own; targets at one place share it."""
    restarted: tuple[Path, ...] = ()
    """The folders of volumes below it that begin anew with each run."""
    file: Path | None = None
    """The one file to work on, where an original tool's command line names it; else files are made in `folder`."""
    destroy: Sequence[str] = ()
    """Data without our mark, at a database address, that the user has allowed to be destroyed."""


@contextmanager
def open_places(
    targets: Sequence[Target], session: Session, written: Collection[str], destroy: Sequence[str]
) -> Iterator[dict[str, Place]]:
    """Lock and prepare every target; two targets at one place share its lock, its folder and its files.

    `written` names the targets that are written; a device among them is held exclusively for the whole session, so
    that nobody can mount it meanwhile.
    """
    with ExitStack() as stack:
        folders: dict[tuple[int, int, int], WorkFolder | None] = {}
        services: dict[tuple[int, int, int], dict[str, Any]] = {}
        places = {}
        for target in targets:
            if target.kind == "database":
                places[target.name] = database_place(target, stack, session.id, destroy)
                continue
            status = os.stat(target.where)
            key = (status.st_dev, status.st_ino, status.st_rdev)
            if key not in folders:
                stack.enter_context(lock(Path(target.where)))
                if target.kind == "directory":
                    folders[key] = stack.enter_context(workdir(Path(target.where), session.id))
                else:
                    folders[key] = None
                    if target.name in written:
                        stack.enter_context(safety.claim(Path(target.where), destroy))
            places[target.name] = _place(target, folders[key], stack, services.setdefault(key, {}))
        yield places


def in_place(place: Place, execution: Execution[Measured]) -> Execution[Measured]:
    """What came back from a run; a failure where the work folder was moved meanwhile."""
    reason = place.folder.moved() if place.folder is not None else None
    if reason is None:
        return execution
    outcome = execution.outcome
    outcome["status"] = "failed"
    if error := outcome["error"]:
        error["message"] += f"; {reason}"
    else:
        outcome["error"] = failure_of(reason)
    return execution


def _place(target: Target, folder: WorkFolder | None, stack: ExitStack, services: dict[str, Any]) -> Place:
    facts = directory.facts(target) if folder is not None else device.facts(target)
    chain = chain_of(Path(target.where))
    return Place(
        target=target.model_copy(update={"facts": facts}),
        folder=folder,
        chain=chain,
        sampler=Sampler(chain, servers=servers_below(chain), waited=counters_below(chain)),
        memory_limit_bytes=memory_limit_bytes(),
        stack=stack,
        services=services,
        restarted=restarted_below(chain),
    )


def database_place(target: Target, stack: ExitStack, session_id: str | None, destroy: Sequence[str] = ()) -> Place:
    """A database address, for one session alone: no folder and no device that could be seen from here."""
    stack.enter_context(lock_address(target.where, session_id))
    return Place(
        target=target.model_copy(update={"facts": database.facts(target)}),
        folder=None,
        chain=Chain(),
        sampler=Sampler(),
        memory_limit_bytes=memory_limit_bytes(),
        stack=stack,
        destroy=destroy,
    )
