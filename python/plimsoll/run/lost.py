"""A run whose machine went away: what it says, and that its target is left out from then on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plimsoll.errors import PlimsollError
from plimsoll.model import Run, Session, SessionState
from plimsoll.run.resume import rents

FACT = "lost_machine"
"""Of a run: the machine that was lost while, or before, it ran."""


class MachineLost(PlimsollError):
    """A session went on without some of its targets, because their machines were lost."""


def facts(machine: str) -> dict[str, Any]:
    """What a run keeps of it."""
    return {FACT: machine}


def is_lost(run: Run) -> bool:
    """Whether the run was never made, because its machine was gone: it says nothing about the target."""
    return FACT in run.facts


def check_complete(session: Session, runs: Sequence[Run]) -> None:
    """Raise MachineLost if the session ended without targets that it had begun with."""
    lost: dict[str, str] = {}
    for run in runs:
        if is_lost(run):
            lost.setdefault(run.target.name, f"{run.reason} in block {run.block + 1} of {run.plan.case}")
    if session.state is SessionState.INTERRUPTED and lost:
        told = "; ".join(f"{name}: {reason}" for name, reason in lost.items())
        if rents(session):
            raise MachineLost(
                f"{told}. All blocks before are kept, and the other targets were measured without it; what is missing "
                "needs another allocation: give --allocations, or start anew"
            )
        raise MachineLost(
            f"{told}. The other targets were measured without it; `plimsoll run --resume {session.id}` with the same "
            "--cluster measures what is missing once the worker is back"
        )
