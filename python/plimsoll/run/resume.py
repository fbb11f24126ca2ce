"""Which session may go on, and whether its places are still the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from plimsoll.errors import TargetError, UsageError
from plimsoll.identity import changes, place_facts
from plimsoll.model import Run, Session, SessionState, Target
from plimsoll.store.liveness import runs
from plimsoll.store.names import short_id
from plimsoll.store.store import Store
from plimsoll.targets.owner import current_owner, machine_key

_SAME = ("path", "file_system", "total_bytes", "identity", "size_bytes")
"""Facts of a place that do not change while it is the same one."""


def ownership() -> dict[str, Any]:
    """What a session keeps about who runs it, beside the facts of its host."""
    return {"machine_key": machine_key(), "owner": current_owner().model_dump()}


def resumable(store: Store, text: str | None, not_rented: Callable[[Session], str | None]) -> Session:
    """The session named by `text`, or the last interrupted one of this machine; raises UsageError if it cannot go on.

    A session goes on only where it began: runs of two machines in one session would be compared as if they were one.
    `not_rented` says why what was rented for one is not there any more; None where it is.
    """
    if text is not None:
        session = store.find_session(text)
        if reason := _refusal(session, not_rented):
            raise UsageError(f"session {short_id(session.id)} ({session.title}) cannot go on: {reason}")
        return session
    for session in store.sessions():
        if _refusal(session, not_rented) is None:
            return session
    raise UsageError("no session of this machine was interrupted; `plimsoll list sessions` shows what there is")


def rents(session: Session) -> bool:
    """Whether targets of a session were rented for it."""
    return session.host.get("rental") is not None


def _refusal(session: Session, not_rented: Callable[[Session], str | None]) -> str | None:
    """Why a session cannot go on, or None."""
    again = f"`plimsoll export {short_id(session.id)} --study again.toml` and `plimsoll run again.toml` start it anew"
    if tool := session.study.get("front_end"):
        return f"it was a command line of {tool}, which does not go on half-way; type it again"
    if session.state is SessionState.DONE:
        return f"it is done; {again}"
    if session.host.get("machine_key") != machine_key():
        return f"it ran on another machine ({session.host.get('hostname', 'unknown')}); {again}"
    if session.state is SessionState.RUNNING and runs(session.host.get("owner")):
        return "it is still running; stop it first"
    if rents(session) and (reason := not_rented(session)):
        return f"{reason}; what was measured is kept, and {again}"
    return None


def check_nothing_changed(
    session: Session, earlier: Sequence[Run], targets: Mapping[str, Target], host: Mapping[str, Any]
) -> None:
    """Raise TargetError if anything that is known of a place is no longer as it was: for days that lie apart.

    `session` is as it was then, `host` are the facts of now.
    """
    then = {run.target.name: run.target for run in reversed(earlier)}
    for name, target in then.items():
        # An emulated volume is made anew with the same numbers.
        found = (
            []
            if target.kind == "volume"
            else changes(place_facts(target, session.host), place_facts(targets[name], host))
        )
        if found:
            raise TargetError(
                f"session {short_id(session.id)} cannot go on: of target {name}, {'; '.join(found)}; put it back as it "
                "was, or start a new session, which `plimsoll compare` can set beside this one"
            )


def check_same_places(earlier: Sequence[Run], targets: Mapping[str, Target]) -> None:
    """Raise TargetError if a place is not the one that earlier runs of the session were made on."""
    for run in earlier:
        if run.target.kind == "volume":
            # Made anew with the same numbers; what a test left on it is made again.
            continue
        then, now = run.target.facts, targets[run.target.name].facts
        changed = [name for name in _SAME if name in then and then[name] != now.get(name)]
        if changed:
            raise TargetError(
                f"target {run.target.name}: {run.target.where} is not the place that the session began on "
                f"({changed[0]} was {then[changed[0]]}, is {now.get(changed[0])}); mount it as it was, or start anew"
            )
