"""What the guards of database runs share: what the server says of itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from plimsoll.declared import TpcbParameters, YcsbParameters
from plimsoll.model import Plan
from plimsoll.run.evidence import RunEvidence

_OFF = ("off", "0", "false", "no")


LOST_WITH_THE_SERVER = ("closed", "connect", "timeout", "login")
"""Causes of errors that tell of a server that is away, the most telling first."""


def was_away(evidence: RunEvidence) -> bool:
    """Whether the server served nobody for a time, or has ended."""
    return bool(evidence.database["outages"] or evidence.database.get("server_ended"))


def changes_data(plan: Plan) -> bool:
    """Whether the workload writes."""
    if plan.workload == "tpcb":
        return plan.values(TpcbParameters)["script"] != "select_only"
    if plan.workload != "ycsb":
        return False
    ycsb = plan.values(YcsbParameters)
    return ycsb["measure"] == "load" or any((ycsb["update"], ycsb["insert"], ycsb["read_modify_write"]))


def looks_up(plan: Plan) -> bool:
    """Whether the workload reads records, or looks for them to change them."""
    if plan.workload != "ycsb":
        return plan.workload == "tpcb"
    ycsb = plan.values(YcsbParameters)
    looked = (ycsb["read"], ycsb["update"], ycsb["scan"], ycsb["read_modify_write"])
    return ycsb["measure"] != "load" and any(looked)


def change(evidence: RunEvidence, name: str) -> int | None:
    """How much a number that the server keeps of itself grew in warm-up and run; None where it is not told, or where
    the server began to count anew."""
    counters = evidence.database["counters"]
    before, after = counters["before"].get(name), counters["after"].get(name)
    return None if before is None or after is None or after < before else after - before


def level_of(evidence: RunEvidence, name: str) -> int | None:
    """The number after the run, or else before it; None where the server does not tell it."""
    counters = evidence.database["counters"]
    return counters["after"].get(name, counters["before"].get(name))


def broken_promises(settings: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Settings with which an acknowledged write is not on stable storage, and what they cost."""
    said = {name: value.lower() for name, value in settings.items()}
    for broken in (_by_postgresql, _by_mysql, _by_redis, _by_sqlite, _by_rocksdb):
        yield from broken(said)


def _by_postgresql(said: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if said.get("fsync") in _OFF:
        yield "fsync=off", "nothing waits for stable storage, and a crash of the machine can destroy the database"
    elif said.get("synchronous_commit") in _OFF:
        yield "synchronous_commit=off", "a commit does not wait for the log, and a crash loses the last ones"
    if said.get("full_page_writes") in _OFF:
        yield "full_page_writes=off", "a page that was half written at a crash stays damaged"


def _by_mysql(said: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if (flush := said.get("innodb_flush_log_at_trx_commit")) in ("0", "2"):
        yield f"innodb_flush_log_at_trx_commit={flush}", "a crash of the machine loses the last second of commits"
    if said.get("innodb_doublewrite") in _OFF:
        yield "innodb_doublewrite=OFF", "a page that was half written at a crash stays damaged"


def _by_redis(said: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if said.get("appendonly") in _OFF:
        yield "appendonly=no", "a crash loses every write since the last snapshot"
    elif (every := said.get("appendfsync")) in ("everysec", "no"):
        lost = "the last second of writes" if every == "everysec" else "what the system has not written yet"
        yield f"appendfsync={every}", f"a crash of the machine loses {lost}"


def _by_sqlite(said: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    level = said.get("synchronous")
    # With a write-ahead log, `normal` syncs at checkpoints alone.
    if level in ("0", "off") or (level in ("1", "normal") and said.get("journal_mode") == "wal"):
        yield f"synchronous={level}", "a commit does not wait for stable storage"


def _by_rocksdb(said: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if said.get("wal") in _OFF:
        yield "disableWAL=true", "a crash loses everything that is still in memory"
    elif said.get("sync") in _OFF:
        yield "sync=false", "a write does not wait for stable storage"
