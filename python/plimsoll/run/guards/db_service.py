"""Was the server of a database test there all the time, for all clients?"""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.drivers import works_in_client
from plimsoll.model import Finding, Level
from plimsoll.outages import without_service_ns
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import at_most, finding, graded_below, softened, worst
from plimsoll.run.guards._server import LOST_WITH_THE_SERVER, was_away
from plimsoll.run.outcome import DbOutcome, Outage
from plimsoll.units import format_duration, format_number

NAME = "db_service"
TITLE = "Database server available throughout"
KINDS = ("db",)
WHY = """A client without a connection asks for nothing, so that a dead server leaves hardly an error behind, and a
rate that is a mean over service and silence. A server that ended, or was away and came back, was not measured, unless
its fault is what is measured (`fault=expected`). In a closed loop every client is at work all the time; where fewer are
than were asked for, another load was measured."""

WARN, INVALID = 0.9, 0.75
"""Clients at work on average, share of those asked for."""


def check(evidence: RunEvidence) -> Finding | None:
    """Outages, a private server that ended, connections that broke, and clients that were not at work."""
    outcome = evidence.database
    expected = evidence.db["fault"] == "expected"
    gone = was_away(evidence)
    broken = outcome["reconnects"] + outcome["failed_reconnects"]
    at_work = _at_work(evidence)
    few = Level.OK if at_work is None else softened(graded_below(at_work, WARN, INVALID), evidence.long_enough)
    level = worst(Level.INVALID if gone else Level.OK, Level.WARN if broken else Level.OK, few)
    if expected:
        level = at_most(level, Level.OK if outcome["outages"] else Level.WARN)
    parts = list(_said(evidence, at_work if few is not Level.OK else None))
    if expected and not gone:
        level, parts = Level.WARN, ["no outage was seen, although a fault was expected", *parts]
    message = "; ".join(parts) or "the server was available throughout"
    return finding(
        NAME,
        level,
        message,
        _advice(gone, bool(broken)) if gone or not expected else "Cause the fault within the measured time (runtime=).",
        outages=len(outcome["outages"]),
        without_service_ns=without_service_ns(outcome),
        reconnects=outcome["reconnects"],
        failed_reconnects=outcome["failed_reconnects"],
        **({} if at_work is None else {"at_work": at_work}),
    )


def _at_work(evidence: RunEvidence) -> float | None:
    """Share of the clients at work, on average; None where it follows from something else: a schedule, a number of
    operations that some clients finish sooner, a database that works in the client's own threads."""
    values, outcome = evidence.db, evidence.database
    limited = values.get("rate") or values.get("max_operations") or values.get("measure") == "load"
    if limited or not outcome["clients"] or works_in_client(values["server"], evidence.target.where):
        return None
    return outcome["mean_in_flight"] / outcome["clients"]


def _said(evidence: RunEvidence, at_work: float | None) -> Iterator[str]:
    outcome = evidence.database
    seen = outcome["outages"]
    if seen:
        yield _absence(seen)
    if outcome.get("server_ended"):
        yield f"the private {evidence.db['server']} {outcome['server_ended']}"
    if words := outcome.get("server_said"):
        yield f"its log: {words}"
    elif seen and (told := _own_words(outcome)):
        yield f"clients were told: {told}"
    if outcome["reconnects"] and not seen:
        many = "1 connection" if outcome["reconnects"] == 1 else f"{outcome['reconnects']:,} connections"
        yield f"{many} broke or had no answer in time, to be opened anew while the server was there"
    if outcome["failed_reconnects"] and not seen:
        yield f"{outcome['failed_reconnects']:,} attempts to connect failed"
    if at_work is not None and not seen:
        clients = outcome["clients"]
        yield f"{format_number(at_work * clients)} of {clients:,} clients were at work on average"


def _absence(seen: list[Outage]) -> str:
    first, last = seen[0], seen[-1]
    total = format_duration(sum(each["duration_ns"] for each in seen))
    start_ns = first["start_ns"]
    began = f"{format_duration(start_ns)} into the measured time" if start_ns >= 0 else "in the warm-up"
    if len(seen) > 1:
        ended = "" if last["back"] else ", and was not back at the end"
        return f"the server was away {len(seen):,} times, for {total} in all, first {began}{ended}"
    ended = "" if last["back"] else ", and did not come back"
    return f"the server was away for {total}, beginning {began}{ended}"


def _own_words(outcome: DbOutcome) -> str:
    """What clients were told when their connections broke."""
    messages = outcome["messages"]
    return next((messages[cause] for cause in LOST_WITH_THE_SERVER if cause in messages), "")


def _advice(gone: bool, broken: bool) -> str:
    if gone:
        return (
            "Look for the cause in the server's log and in the kernel's (dmesg: memory, disk), and measure again; "
            "where the fault is what you measure, say fault=expected."
        )
    if broken:
        return (
            "Look for who closes connections: a limit of the server (max_connections, an idle timeout), a proxy in "
            "between, somebody who ended them."
        )
    return "Look for what keeps clients from their work: connections that are refused, a pool in between."
