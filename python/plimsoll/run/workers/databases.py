"""Database tests on this machine: what the compiled core says of a request, and carrying it out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from threading import Thread

from plimsoll import _core
from plimsoll.declared import DbParameters
from plimsoll.errors import TargetError
from plimsoll.run.outcome import Made, answer
from plimsoll.run.turns import Turn
from plimsoll.run.workers.execution import PausingJob
from plimsoll.run.workers.sliced import in_slices


class DbJob(DbParameters):
    """What the core takes (`crates/db/src/spec.rs`): the plan's parameters, and the place."""

    driver: str
    url: str
    destroy: list[str]
    workload: Mapping[str, object]
    """Its own parameters, with its name as `kind`."""
    interval_histograms: bool


def impossible(spec: DbJob) -> str | None:
    """Why the core would refuse a request whatever the database, as one sentence."""
    return _core.db_validate(json.dumps(spec))


def cannot_alternate(spec: DbJob, slices: Sequence[Turn], discard_ns: int) -> str | None:
    """The same of a request that works in slices only."""
    return _core.db_validate(json.dumps(in_slices(spec, slices, discard_ns)))


def unusable(spec: DbJob) -> str | None:
    """Why the driver cannot use the address, the password or the settings of a request; no server is asked."""
    return _core.db_validate_address(json.dumps(spec))


def made(spec: DbJob) -> list[Made]:
    """What carries our mark in the database of a request: `name`, `records`, `bytes` (or None). Raises TargetError."""
    text = json.dumps(spec)
    return _awaited(lambda: _core.db_made(text))


def drop_made(spec: DbJob, names: Sequence[str]) -> list[Made]:
    """Remove some of it; nothing where a name has no mark. Says what is gone. Raises TargetError."""
    text, chosen = json.dumps(spec), list(names)
    return _awaited(lambda: _core.db_drop_made(text, chosen))


def _awaited(ask: Callable[[], str]) -> list[Made]:
    """The answer of a server, which may take minutes: asked on a thread, so that Ctrl-C is heard meanwhile."""
    future: Future[str] = Future()

    def work() -> None:
        try:
            future.set_result(ask())
        except Exception as error:
            future.set_exception(error)

    Thread(target=work, name="plimsoll-database", daemon=True).start()
    try:
        return answer(list[Made], future.result())
    except RuntimeError as error:
        raise TargetError(str(error)) from None


def start(spec: DbJob) -> PausingJob:
    """A running job."""
    return _core.db_start(json.dumps(spec))
