"""Runs that are invalid only because others used the machine, and what to do on a host that is never quiet."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from plimsoll import plugins
from plimsoll.model import Level, Run, RunStatus

NEVER_QUIET = (
    "on a host that is never quiet, --noisy-host counts such runs with a warning; what others do widens the intervals"
)


@cache
def guards_of_noise() -> frozenset[str]:
    """The guards that look for noise of others."""
    return frozenset(guard.name for guard in plugins.found("guards") if getattr(guard.module, "HOST_NOISE", False))


def only_others(run: Run) -> bool:
    """Whether an invalid run would count on a noisy host: every guard that refused it looks for noise of others."""
    refused = {finding.guard for finding in run.findings if finding.level is Level.INVALID}
    return run.status is RunStatus.INVALID and bool(refused) and refused <= guards_of_noise()


def why_nothing(runs: Iterable[Run]) -> str:
    """Why no run of a session counts, by its first reason; and what to do, if it is only others that disturbed."""
    runs = list(runs)
    reason = next((f"{run.plan.case} on {run.target.name}: {run.reason}" for run in runs if run.reason), "nothing ran")
    told = f"no run of this session is valid; {reason}"
    return f"{told}; {NEVER_QUIET}" if runs and all(map(only_others, runs)) else told
