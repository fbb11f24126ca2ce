"""Did the database answer what was asked?"""

from __future__ import annotations

from plimsoll.model import Finding
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding, graded, percent, worst
from plimsoll.run.guards._server import LOST_WITH_THE_SERVER, was_away

NAME = "db_errors"
TITLE = "Database errors and missing records"
KINDS = ("db",)
WHY = """An operation that fails, or finds nothing, is much cheaper than one that does its work. Workloads read only
records that were loaded or inserted, so that nothing should be missing."""

WARN, INVALID = 0.0001, 0.001
"""Failed, or missing, per whole operation."""


def check(evidence: RunEvidence) -> Finding | None:
    """Errors by kind, and records not found."""
    outcome = evidence.outcome
    if "completed" not in outcome:
        return None
    # Of whole operations; their parts, such as the statements of a transaction, count the same failures again.
    whole = outcome["whole"]
    # What a server that was away took with it is `db_service`'s to tell.
    elsewhere = LOST_WITH_THE_SERVER if was_away(evidence) else ()
    causes = [item for name in whole for item in outcome["errors"].get(name, {}).items() if item[0] not in elsewhere]
    failed = sum(count for _, count in causes)
    missing = sum(outcome["not_found"].get(name, 0) for name in whole)
    tried = int(outcome["completed"]) + failed
    if not tried:
        return None
    level = worst(graded(failed / tried, WARN, INVALID), graded(missing / tried, WARN, INVALID))
    of = f" of {tried:,} operations"
    parts = [f"{failed:,}{of} failed ({percent(failed / tried)})"] if failed or not missing else []
    parts += [f"{missing:,}{'' if failed else of} found no record ({percent(missing / tried)})"] if missing else []
    parts += [f"first: {message}" for message in list(outcome["messages"].values())[:1]]
    return finding(
        NAME,
        level,
        "; ".join(parts),
        "Look at the server's log; load the data anew with data=recreate."
        if failed or not missing
        else "The table has fewer records than the test asks for; load it anew with data=recreate, or give the number "
        "that it has.",
        failed=failed,
        missing=missing,
    )
