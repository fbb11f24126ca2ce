"""Details of the guards of database runs: what each may say, and when it must not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.guards.guard_cases import PROMISING, SMALL, away, counted, queries
from tests.unit.guards.test_guards import GUARDS, judge

from plimsoll.model import Finding, Level, Target
from plimsoll.units import GIB


def test_many_threads_use_up_the_client_together() -> None:
    found = judge("db_client", queries(busiest_thread=0.24, all_processors=0.93))
    assert found.level is Level.WARN
    assert "the client's threads used 93 % of all processors: the server might be able to do more" in found.message
    assert "threads=" not in found.advice
    assert judge("db_client", queries(busiest_thread=0.24, all_processors=0.6)).level is Level.OK


def test_an_embedded_database_does_its_work_in_the_client() -> None:
    for where in ("sqlite:/x.db", "rocksdb:/x"):
        run = queries(parameters={"server": "none"}, busiest_thread=1.0).make()
        there = replace(run, target=Target(name="x", kind="database", where=where))
        assert GUARDS["db_client"].check(there) is None


def test_a_failed_half_of_an_operation_counts_once() -> None:
    failures = {"read_modify_write": {"timeout": 50}, "rmw_update": {"timeout": 50}}
    outcome = {"errors": failures, "whole": ["read_modify_write"], "not_found": {"rmw_read": 9}}
    found = judge("db_errors", queries(outcome=outcome))
    assert "50 of 100,050 operations failed" in found.message
    assert "found no record" not in found.message


def test_a_table_with_too_few_records_is_no_failure_of_the_server() -> None:
    kept = {"parameters": {"data": "keep"}}
    found = judge("db_errors", queries(outcome={"not_found": {"read": 2_000}}, **kept))
    assert found.message == "2,000 of 100,000 operations found no record (2.0 %)"
    assert "fewer records" in found.advice
    errors = {"errors": {"read": {"timeout": 100}}, "messages": {"timeout": "no answer"}, "not_found": {"read": 2_000}}
    both = judge("db_errors", queries(outcome=errors, **kept))
    assert both.message == (
        "100 of 100,100 operations failed (0.10 %); first: no answer; 2,000 found no record (2.0 %)"
    )
    assert "timeout=" in both.advice
    assert "fewer records" in both.advice
    gone = judge("db_errors", queries(outcome={"not_found": {"read": 2_000}, "loaded_records": 1000}, **kept))
    assert "missing now" in gone.advice
    assert "fewer records" not in gone.advice


def test_records_of_somebody_else_are_not_to_be_dropped() -> None:
    found = judge("db_errors", queries(outcome={"not_found": {"read": 90_000}}))
    assert "not those that the test asks for" in found.advice
    for run in (
        queries(outcome={"not_found": {"read": 90_000}}),
        queries(outcome={"errors": {"read": {"read_only": 9_000}}}),
        queries(outcome={"not_found": {"read": 2_000}}),
    ):
        assert "recreate" not in judge("db_errors", run).advice
    loaded = judge("db_errors", queries(outcome={"not_found": {"read": 90_000}, "loaded_records": 1000}))
    assert "not those that" not in loaded.advice


def test_the_advice_is_about_what_failed_most() -> None:
    messages = {"read_only": "cannot execute UPDATE", "timeout": "no answer"}
    errors = {"read": {"timeout": 1}, "update": {"read_only": 5_000}}
    found = judge("db_errors", queries(outcome={"errors": errors, "messages": messages, "whole": ["read", "update"]}))
    assert "most often: cannot execute UPDATE" in found.message
    assert "accepts no changes" in found.advice
    other = judge("db_errors", queries(outcome={"errors": {"read": {"server": 900}}, "messages": {"server": "x"}}))
    assert "accepts no changes" not in other.advice
    assert "server's log" in other.advice


def test_keys_that_a_server_evicted_are_a_matter_of_its_policy() -> None:
    policy = {"server": "Redis", "maxmemory-policy": "allkeys-lru"}
    evicted = {"not_found": {"read": 50_000}, "server": policy, "loaded_records": 3000}
    found = judge("db_errors", counted({"evicted_keys": 700}, {"evicted_keys": 700}, outcome=evicted))
    assert "the server evicted 700 keys for want of memory" in found.message
    assert "noeviction in place of allkeys-lru" in found.advice
    # Whoever writes a record anew does not miss it; fewer are there all the same.
    within = judge("db_errors", counted({"evicted_keys": 700}, {"evicted_keys": 720}, outcome={"server": policy}))
    assert within.level is Level.WARN
    assert "evicted 20 keys" in within.message
    before = judge("db_errors", counted({"evicted_keys": 700}, {"evicted_keys": 700}, outcome={"server": policy}))
    assert before.level is Level.OK
    none = judge("db_errors", counted({}, {}, outcome={"not_found": {"read": 50_000}, "server": policy}))
    assert "noeviction" not in none.advice


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"fsync": "on", "synchronous_commit": "off"}, "synchronous_commit=off"),
        ({"innodb_flush_log_at_trx_commit": "2", "innodb_doublewrite": "ON"}, "innodb_flush_log_at_trx_commit=2"),
        ({"innodb_flush_log_at_trx_commit": "1", "innodb_doublewrite": "OFF"}, "half written"),
        ({"appendonly": "no", "appendfsync": "always"}, "since the last snapshot"),
        ({"appendonly": "yes", "appendfsync": "everysec"}, "the last second of writes"),
        ({"synchronous": "0", "journal_mode": "delete"}, "synchronous=0"),
        ({"synchronous": "1", "journal_mode": "wal"}, "synchronous=1"),
        ({"sync": "false", "wal": "on"}, "sync=false"),
        ({"sync": "false", "wal": "off"}, "still in memory"),
        ({"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}, ""),
        ({"innodb_flush_log_at_trx_commit": "1", "innodb_doublewrite": "ON", "sync_binlog": "0"}, ""),
        ({"appendonly": "yes", "appendfsync": "always"}, ""),
        ({"synchronous": "1", "journal_mode": "delete"}, ""),
        ({"synchronous": "2", "journal_mode": "wal"}, ""),
        ({"sync": "true", "wal": "on"}, ""),
    ],
)
def test_settings_that_give_up_durability_are_said(settings: dict[str, str], says: str) -> None:
    told = {"server": "x", "version": "1", **settings}
    found = judge("db_promises", queries(parameters={"server": "none"}, outcome={"server": told}))
    assert found.level is (Level.WARN if says else Level.OK)
    assert says in found.message


def test_durability_that_was_asked_for_is_no_surprise() -> None:
    off = {"server": {**PROMISING, "fsync": "off"}}
    asked = judge("db_promises", queries(parameters={"durability": "none"}, outcome=off))
    assert (asked.level, asked.message) == (Level.OK, "durability=none, as asked for (fsync=off)")
    # A private server that is to keep everything, and settings that say otherwise.
    assert judge("db_promises", queries(outcome=off)).level is Level.WARN
    reads = {"read": 1.0, "update": 0.0}
    assert GUARDS["db_promises"].check(queries(parameters=reads, outcome=off).make()) is None
    silent = judge("db_promises", queries(outcome={"server": {"server": "Redis", "redis_version": "7"}}))
    assert silent.message.startswith("not checkable")


def test_a_full_cache_and_a_large_memory_stand_in_for_storage() -> None:
    sizes = {"data_bytes": 10 * GIB, "cache_bytes": GIB}
    none, full = {"cache_hits": 0, "cache_misses": 0}, {"cache_hits": 10**6, "cache_misses": 100}
    found = judge("db_cache", counted({**sizes, **none}, {**sizes, **full}, parameters={"server": "none"}))
    assert "the server's cache had 100 % of the pages asked for: reads came from memory" in found.message
    # That data would fit says nothing of reads of a cache that was still cold; what it counted does.
    cold = {"data_bytes": GIB, "cache_bytes": 2 * GIB, "cache_hits": 0, "cache_misses": 0}
    warmed = judge("db_cache", counted(cold, {**cold, "cache_hits": 2000, "cache_misses": 8000}))
    assert "reads came from memory" not in warmed.message
    assert "reads may have come from memory (its cache had 20 % of the pages asked for)" in warmed.message
    # The private server's memory is that of this machine (16 GiB); that of another one's is not known.
    assert "fit into the memory of this machine (16 GiB)" in judge("db_cache", counted(sizes, sizes)).message
    elsewhere = judge("db_cache", counted(sizes, sizes, parameters={"server": "none"}))
    assert (elsewhere.level, elsewhere.message) == (Level.OK, "10 GiB of data, 1 GiB of cache")
    file = Target(name="x", kind="database", where="sqlite:/x.db")
    embedded = GUARDS["db_cache"].check(
        replace(counted(sizes, sizes, parameters={"server": "none"}).make(), target=file)
    )
    assert "fit into the memory of this machine" in embedded.message
    assert GUARDS["db_cache"].check(counted({}, {}).make()) is None
    for adding in ({"measure": "load"}, {"read": 0.0, "update": 0.0, "insert": 1.0}):
        assert GUARDS["db_cache"].check(counted(SMALL, SMALL, parameters=adding).make()) is None


def test_a_server_that_counts_anew_has_had_no_checkpoints() -> None:
    assert GUARDS["db_background"].check(counted({"checkpoints": 9}, {"checkpoints": 1}).make()) is None
    both = judge("db_background", counted({"background_saves": 0}, {"background_saves": 1}))
    assert both.message == "the database began a snapshot or rewriting of the log within warm-up and run"
    # A run that holds many has its usual share.
    many = judge("db_background", counted({"compactions": 0}, {"compactions": 51}))
    assert (many.level, many.message) == (Level.OK, "the database began 51 compactions within warm-up and run")


def service(**outcome: object) -> Finding:
    return judge("db_service", queries(outcome=outcome))


def test_a_server_that_did_not_come_back_is_told_with_its_own_last_words() -> None:
    ended = {"server_ended": "was ended by SIGKILL", "server_said": ""}
    found = service(outages=[away(4, 6, back=False)], failed_reconnects=9, mean_in_flight=3.2, **ended)
    assert found.level is Level.INVALID
    assert found.message == (
        "the server was away for 6 s, beginning 4 s into the measured time, and did not come back; the private "
        "postgresql was ended by SIGKILL"
    )
    full = service(
        outages=[away(-1, 0.5), away(3, 1)], server_ended="", server_said="PANIC: No space left on device", messages={}
    )
    assert full.message.startswith(
        "the server was away 2 times, for 1.5 s in all, first in the warm-up; its log: PANIC"
    )
    # It ended after the last answer.
    late = service(server_ended="ended by itself with status 1")
    assert (late.level, late.message) == (Level.INVALID, "the private postgresql ended by itself with status 1")


def test_what_a_server_took_with_it_is_told_once() -> None:
    errors = {"read": {"closed": 5_000}}
    alone = queries(outcome={"errors": errors, "messages": {"closed": "x"}})
    assert judge("db_errors", alone).level is Level.INVALID
    together = queries(outcome={"errors": errors, "messages": {"closed": "x"}, "outages": [away(4, 1)]})
    assert judge("db_errors", together).level is Level.OK
    refused = queries(outcome={"errors": {"read": {"server": 5_000}}, "messages": {}, "outages": [away(4, 1)]})
    assert judge("db_errors", refused).level is Level.INVALID


def test_connections_that_break_while_others_are_served_are_no_outage() -> None:
    found = service(reconnects=3, failed_reconnects=12, messages={"closed": "idle timeout"})
    assert found.level is Level.WARN
    assert found.message == (
        "3 connections broke or had no answer in time, to be opened anew while the server was there; "
        "12 attempts to connect failed"
    )
    assert service(reconnects=1).message.startswith("1 connection broke")
    assert "away" not in found.message
    assert "idle timeout" in found.advice


def test_clients_at_work_are_compared_with_those_asked_for() -> None:
    assert service(mean_in_flight=5.0).level is Level.INVALID
    found = service(mean_in_flight=7.0)
    assert (found.level, found.message) == (Level.WARN, "7 of 8 clients were at work on average")
    assert service(mean_in_flight=7.4).level is Level.OK
    # With a schedule they wait for it; some have done their share of a number of operations sooner.
    for values in ({"rate": {"per_second": 5.0}}, {"max_operations": 100}, {"measure": "load"}, {"server": "sqlite"}):
        idle = judge("db_service", queries(parameters=values, outcome={"mean_in_flight": 1.0}))
        assert idle.level is Level.OK, values


def test_an_outage_that_is_measured_is_no_fault_of_the_run() -> None:
    expected = {"parameters": {"fault": "expected"}}
    found = judge("db_service", queries(outcome={"outages": [away(4, 1)], "reconnects": 8}, **expected))
    assert found.level is Level.OK
    none = judge("db_service", queries(**expected))
    assert (none.level, none.message) == (Level.WARN, "no outage was seen, although a fault was expected")


@pytest.mark.parametrize(
    ("cause", "word"),
    [
        ("read_only", "accepts no changes"),
        ("disk_full", "more room"),
        ("deadlock", "larger scale"),
        ("serialization", "max_tries="),
        ("constraint", "data=reuse removes those"),
        ("login", "the user's rights"),
        ("closed", "limits on connections"),
        ("connect", "limits on connections"),
        ("timeout", "timeout= says"),
        ("status", "web server's log"),
    ],
)
def test_each_cause_has_advice_of_its_own(cause: str, word: str) -> None:
    found = judge("db_errors", queries(outcome={"errors": {"read": {cause: 900}}, "messages": {cause: "x"}}))
    assert word in found.advice
    other = judge("db_errors", queries(outcome={"errors": {"read": {"protocol": 900}}, "messages": {"protocol": "x"}}))
    assert word not in other.advice


def test_errors_of_a_fault_that_is_measured_do_not_make_it_invalid() -> None:
    errors = {"errors": {"read": {"server": 9_000}}, "messages": {"server": "LOADING"}, "outages": [away(4, 1)]}
    assert judge("db_errors", queries(outcome=errors)).level is Level.INVALID
    assert judge("db_errors", queries(outcome=errors, parameters={"fault": "expected"})).level is Level.WARN
    lost = {"not_found": {"read": 9_000}, "outages": [away(4, 1)]}
    assert "load them anew" in judge("db_errors", queries(outcome=lost)).advice
