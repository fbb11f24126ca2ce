"""Did the database answer what was asked?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import at_most, finding, graded, percent, worst
from plimsoll.run.guards._server import LOST_WITH_THE_SERVER, change, level_of, was_away

NAME = "db_errors"
TITLE = "Database errors and missing records"
KINDS = ("db",)
WHY = """An operation that fails, or finds nothing, is much cheaper than one that does its work. Workloads read only
records that were loaded or inserted, so that nothing should be missing."""

WARN, INVALID = 0.0001, 0.001
"""Failed, or missing, per whole operation."""

FOREIGN = 0.5
"""Missing, per whole operation, from which on the table holds other records than the test's."""

_ADVICE = {
    "read_only": "The server accepts no changes: it is a replica, or was set so (default_transaction_read_only, "
    "read_only, replica-read-only). Give the address of the one that does, or run a test that only reads (ycsb-c).",
    "disk_full": "Give the server more room, and look at its log; what it refused was not measured.",
    "deadlock": "Try transactions again as an application would (max_tries=), or use fewer clients or a larger scale.",
    "serialization": "Try transactions again as an application would (max_tries=), or use fewer clients.",
    "constraint": "Records that the test inserts are there already; data=reuse removes those that earlier runs "
    "added to a table that Plimsoll made.",
    "login": "Look at the user's rights and at the limits on connections.",
    "closed": "Look at the server's log, and for limits on connections and their age, there and on the way.",
    "connect": "Look at the server's log, and for limits on connections and their age, there and on the way.",
    "timeout": "Look at what the server was doing at that time; timeout= says how long is waited.",
    "status": "Look at the address and at the web server's log of errors.",
}
_LOOK = "Look at the server's log for what it says of these."


def check(evidence: RunEvidence) -> Finding | None:
    """Errors by kind, records not found, and keys that the server gave up."""
    outcome = evidence.database
    # Of whole operations; their parts, such as the statements of a transaction, count the same failures again.
    whole = outcome["whole"]
    failures = _failures(evidence, whole)
    failed = sum(failures.values())
    missing = sum(outcome["not_found"].get(name, 0) for name in whole)
    tried = outcome["completed"] + failed
    if not tried:
        return None
    level = worst(graded(failed / tried, WARN, INVALID), graded(missing / tried, WARN, INVALID))
    if evidence.db["fault"] == "expected":
        level = at_most(level, Level.WARN)
    of = f" of {tried:,} operations"
    most = max(failures, key=failures.__getitem__, default="")
    parts = [f"{failed:,}{of} failed ({percent(failed / tried)})"] if failed or not missing else []
    if most in outcome["messages"]:
        parts.append(f"{'first' if len(failures) == 1 else 'most often'}: {outcome['messages'][most]}")
    parts += [f"{missing:,}{'' if failed else of} found no record ({percent(missing / tried)})"] if missing else []
    # What is missing may have been given up while it was loaded.
    evicted = (level_of(evidence, "evicted_keys") if missing else change(evidence, "evicted_keys")) or 0
    if evicted:
        level = worst(level, Level.WARN)
        parts.append(f"the server evicted {evicted:,} keys for want of memory")
    return finding(
        NAME,
        level,
        "; ".join(parts),
        " ".join(_advice(evidence, most if failed else "", missing, evicted)),
        failed=failed,
        missing=missing,
        evicted=evicted,
    )


def _failures(evidence: RunEvidence, whole: Sequence[str]) -> dict[str, int]:
    """Failed operations by cause, without what a server that was away took with it: `db_service` tells of that."""
    elsewhere = LOST_WITH_THE_SERVER if was_away(evidence) else ()
    found: Counter[str] = Counter()
    for name in whole:
        found.update(evidence.database["errors"].get(name, {}))
    return {cause: count for cause, count in found.items() if cause not in elsewhere}


def _advice(evidence: RunEvidence, cause: str, missing: int, evicted: int) -> Iterator[str]:
    """What to do about the most frequent errors, and about missing records, which have reasons of their own."""
    if cause:
        yield _ADVICE.get(cause, _LOOK)
    if missing or evicted:
        yield _about_missing(evidence, missing, evicted)


def _about_missing(evidence: RunEvidence, missing: int, evicted: int) -> str:
    outcome = evidence.database
    if evicted:
        policy = outcome["server"].get("maxmemory-policy", "the present one")
        return (
            "Give the server more memory (maxmemory), or a policy that keeps its records (maxmemory-policy noeviction "
            f"in place of {policy}), and load the data anew."
        )
    if was_away(evidence):
        return "The server has lost records with its end; load them anew before the next run."
    found = not outcome["loaded_records"]
    if found and missing >= FOREIGN * outcome["completed"]:
        return (
            "The rows that are there are not those that the test asks for: say how their keys are made (insert_order=, "
            "zero_padding=), or give the test a table of its own (table=)."
        )
    if found and evidence.db["data"] == "keep":
        return (
            "The table has fewer records than the test asks for: give the number that it has (records=), or give the "
            "test a table of its own (table=)."
        )
    return "Records were there before the run and are missing now: look for who removes them (expiry, another test)."
