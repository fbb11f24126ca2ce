"""What is said of stored runs that are not as they were measured: changed afterwards, or nobody can tell.

The store compares checksums (`plimsoll.store.seal`); here are the words, and how reports and comparisons find them.
"""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.model import Finding, Level, Run, RunStatus

GUARD = "checksum"
"""The guard of these findings; the store is the one that judges, each time a run is read."""
FACT = "checksum"
"""The fact of a run that says that it has no checksum; in a result file and between stores, its checksum itself."""
NONE = "none: stored before checksums, so nobody can tell whether it was changed afterwards"

_ADVICE = (
    "Find out who changed it, and take the session from an exported result file or a copy of the store; "
    "`plimsoll store check` lists every such run"
)


def with_altered_scores(run: Run, metrics: Sequence[str]) -> Run:
    """The run, which does not count: these scores, or whose they are, do not match their checksums."""
    names = ", ".join(dict.fromkeys(metrics))
    verb = "was" if len(set(metrics)) == 1 else "were"
    message = f"{names} {verb} changed after the run was stored: the checksum does not match"
    return _with(run, Level.INVALID, message, _ADVICE + ".", status=RunStatus.INVALID, reason=message)


def with_altered_parts(run: Run) -> Run:
    """The run with a warning: its scores are as they were measured, and something else of it is not."""
    message = (
        "what belongs to the run was changed after it was stored (facts, intervals, histograms, findings or files): "
        "the checksum does not match; its scores do match theirs"
    )
    return _with(run, Level.WARN, message, _ADVICE + ".")


def without_checksum(run: Run) -> Run:
    """The run with the fact that it has none."""
    return run.model_copy(update={"facts": {**run.facts, FACT: NONE}})


def _with(run: Run, level: Level, message: str, advice: str, **values: object) -> Run:
    found = Finding(guard=GUARD, level=level, message=message, advice=advice)
    return run.model_copy(update={**values, "findings": (*run.findings, found)})


def is_altered(run: Run) -> bool:
    """Whether its scores were changed after it was stored."""
    return any(finding.guard == GUARD and finding.level is Level.INVALID for finding in run.findings)


def has_no_checksum(run: Run) -> bool:
    """Whether it was stored before there were checksums."""
    return run.facts.get(FACT) == NONE
