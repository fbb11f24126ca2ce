"""Every guard of the folder objects to its bad run, accepts its good run, and speaks in plain sentences."""

from __future__ import annotations

import re
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest
from tests.unit.guards.guard_cases import (
    CASES,
    RunMaker,
    buffered,
    disk,
    queries,
    shorter,
    write_run,
)

from plimsoll import plugins
from plimsoll.model import Finding, Level
from plimsoll.parameters import kind_of
from plimsoll.targets.chain import Chain
from plimsoll.units import GIB, KIB, MILLISECOND, SECOND

GUARDS = {guard.NAME: guard for guard in plugins.modules("plimsoll.run.guards")}
RUN_SHAPE = frozenset(
    {
        "alignment",
        "errors",
        "verify",
        "clock",
        "memory",
        "unwritten",
        "first_touch",
        "db_errors",
        "db_service",
        "db_promises",
        "replay_end",
    }
)
"""Guards whose evidence is as strong in a short run."""


BUSY_TEST = {"busiest_thread": 0.8, "user_ns": 8 * SECOND, "system_ns": 7 * SECOND}


def kinds(guard: ModuleType) -> tuple[str, ...]:
    """Of runs that the program has it judge."""
    return getattr(guard, "KINDS", ("io",))


def a_run(name: str, **changes: Any) -> RunMaker:
    """Of a kind that the guard judges."""
    return RunMaker(workload="ycsb" if kinds(GUARDS[name]) == ("db",) else "io", **changes)


def judge(name: str, run: RunMaker) -> Finding:
    found = GUARDS[name].check(run.make())
    assert isinstance(found, Finding)
    return found


def test_every_guard_has_a_case() -> None:
    assert set(GUARDS) == set(CASES)


@pytest.mark.parametrize("guard", GUARDS.values(), ids=list(GUARDS))
def test_a_guard_says_what_it_is(guard: ModuleType) -> None:
    assert guard.__name__.endswith(f".{guard.NAME}")
    assert 0 < len(guard.TITLE) < 40
    assert guard.WHY.endswith(".")
    assert guard.__doc__


@pytest.mark.parametrize("name", CASES)
def test_it_objects(name: str) -> None:
    found = judge(name, CASES[name].bad)
    assert found.guard == name
    assert found.level is CASES[name].level
    assert CASES[name].says in found.message
    assert found.advice.endswith(".")
    assert not found.message.endswith(".")
    assert found.values
    assert not re.search(r"\bnan\b|\binf\b|\{|\}|None", found.message)


@pytest.mark.parametrize("name", CASES)
def test_it_accepts(name: str) -> None:
    found = judge(name, CASES[name].good)
    assert found.level is Level.OK
    assert found.advice == ""
    assert found.values


@pytest.mark.parametrize("name", CASES)
def test_a_good_run_is_good_for_all_guards(name: str) -> None:
    evidence = CASES[name].good.make()
    judging = {other: guard for other, guard in GUARDS.items() if kind_of(evidence.plan.workload) in kinds(guard)}
    assert name in judging or name == "memory_answer", "a case is of a kind of run that its guard judges"
    for other, guard in judging.items():
        found = guard.check(evidence)
        assert found is None or found.level is Level.OK, f"{other} objects to the good run of {name}: {found.message}"


@pytest.mark.parametrize("name", sorted(set(CASES) - RUN_SHAPE))
def test_a_second_is_too_short_to_be_called_invalid(name: str) -> None:
    found = GUARDS[name].check(shorter(CASES[name].bad).make())
    assert found is None or found.level is not Level.INVALID


@pytest.mark.parametrize("name", CASES)
def test_without_a_device_nothing_is_invalid_for_what_cannot_be_seen(name: str) -> None:
    found = GUARDS[name].check(a_run(name, devices=()).make())
    assert found is None or found.level is Level.OK


def test_what_cannot_be_checked_says_why() -> None:
    assert judge("device_bytes", RunMaker(devices=())).message == "not checkable: tmpfs keeps its files in memory"


@pytest.mark.parametrize("name", CASES)
def test_a_run_in_which_nothing_happened(name: str) -> None:
    found = GUARDS[name].check(a_run(name, operations_per_s=0, outcome={"mean_in_flight": 0.0}).make())
    assert found is None or found.level is not Level.INVALID


@pytest.mark.parametrize("name", CASES)
def test_the_null_engine_is_never_blamed_on_a_device(name: str) -> None:
    run = a_run(name, parameters={"engine": "null"}, device_share=0.0, busiest_thread=1.0, file={})
    found = GUARDS[name].check(run.make())
    assert found is None or found.level is Level.OK


# Details of single guards: each line is a false alarm that was thought of, or an alarm that must not be missed.


@pytest.mark.parametrize(
    ("engine", "depth", "threads", "advised", "never"),
    [
        ("psync", 1, 64, "in place of psync an engine that queues (io_uring, libaio)", "less depth"),
        ("io_uring", 64, 1, "more threads with less depth each", "an engine that queues"),
        ("libaio", 32, 2, "one thread of libaio could not submit fast enough", "an engine that queues"),
        ("io_uring", 1, 64, "fewer threads with more depth each", "an engine that queues"),
    ],
)
def test_a_queue_that_is_not_full_is_filled_by_what_does_not_run_yet(
    engine: str, depth: int, threads: int, advised: str, never: str
) -> None:
    found = judge("queue", RunMaker(parameters={"engine": engine, "depth": depth, "threads": threads}))
    assert found.level is Level.INVALID
    assert advised in found.advice
    assert never not in found.advice


def test_journal_writes_of_durable_writes_are_no_alarm() -> None:
    run = write_run(device_share=3.0)
    assert judge("device_bytes", run).level is Level.OK
    assert judge("foreign_io", run).level is Level.OK


@pytest.mark.parametrize(("share", "says"), [(1.5, "50 % more"), (400.0, "400 times as much")])
def test_bytes_of_others_are_told_in_numbers_that_can_be_grasped(share: float, says: str) -> None:
    assert says in judge("device_bytes", RunMaker(device_share=share, own_share=share)).message


def test_metadata_of_a_small_run_is_no_alarm() -> None:
    run = RunMaker(operations_per_s=20, device_share=1.5)
    assert judge("device_bytes", run).level is Level.OK
    assert judge("foreign_io", run).level is Level.OK


def test_missing_bytes_of_a_slow_disk_are_an_alarm() -> None:
    assert judge("device_bytes", RunMaker(operations_per_s=80, device_share=0.1)).level is Level.INVALID


def test_what_waited_for_a_place_in_the_queue_of_the_device_is_no_cache() -> None:
    # 120 of 3,000 were done by the device before, and looked at later.
    def level(in_flight: float, queue: int) -> Level:
        run = RunMaker(
            operations_per_s=100,
            seconds=30,
            device_share=0.96,
            devices=(disk(queue_requests=queue),),
            outcome={"mean_in_flight": in_flight},
        )
        return judge("device_bytes", run).level

    assert level(256.0, queue=128) is Level.OK
    # All of it finds a place, or how many there are is not known.
    assert [level(256.0, queue=256), level(128.0, queue=128), level(256.0, queue=0)] == [Level.WARN] * 3


def test_what_others_did_is_said_once() -> None:
    run = RunMaker(device_share=1.2)
    assert judge("foreign_io", run).level is Level.INVALID
    assert judge("device_bytes", run).level is Level.OK
    assert judge("request_shape", run).level is Level.OK


def test_a_short_run_only_warns_of_foreign_io_in_slices_as_in_a_block_alone() -> None:
    def level(elapsed_s: int, **changes: Any) -> Level:
        outcome = {"elapsed_ns": elapsed_s * SECOND}
        return judge("foreign_io", RunMaker(device_share=3.0, outcome=outcome, **changes)).level

    in_slices = {"drain_ns": (MILLISECOND,) * 20}
    assert [level(1, seconds=1), level(1, **in_slices)] == [Level.WARN, Level.WARN]
    assert [level(10), level(10, **in_slices)] == [Level.INVALID, Level.INVALID]


def test_own_extra_reads_are_not_foreign() -> None:
    run = RunMaker(device_share=1.2, own_share=1.2)
    assert judge("foreign_io", run).level is Level.OK
    assert judge("device_bytes", run).level is Level.WARN


def test_reads_of_others_count_against_all_bytes_of_a_writing_test() -> None:
    run = write_run(device_other={"flushes": 5000, "read_sectors": 20_000})
    found = judge("foreign_io", run)
    assert 0.3 < found.values["share"] < 0.4


def test_without_flushes_on_a_disk_without_a_volatile_cache() -> None:
    run = write_run(device_other={}, devices=(disk(write_cache="write through"),))
    assert judge("durability", run).level is Level.OK


def test_half_of_the_flushes_missing_is_a_warning() -> None:
    assert judge("durability", write_run(device_other={"flushes": 1000})).level is Level.WARN


def test_a_partition_that_starts_inside_a_block() -> None:
    part = disk(name="sda1", kind="partition", start_bytes=63 * 512)
    found = judge("alignment", RunMaker(devices=(part,)))
    assert found.level is Level.INVALID
    assert "/dev/sda1" in found.message


def test_small_blocks_of_a_mix_are_no_mistake() -> None:
    mix = {"mode": "randrw", "block_size": [[512, 10.0], [4096, 90.0]]}
    assert judge("alignment", RunMaker(parameters=mix, kind="write")).level is Level.WARN


def test_small_aligned_reads_on_an_array_with_large_optimal_size() -> None:
    assert judge("alignment", RunMaker(devices=(disk(optimal_io_bytes=512 * KIB),))).level is Level.OK


def test_polling_is_no_sign_of_a_slow_client() -> None:
    assert judge("client_cpu", RunMaker(parameters={"iopoll": True}, busiest_thread=1.0)).level is Level.OK


def test_a_machine_that_is_busy_all_the_time() -> None:
    others = judge("client_cpu", RunMaker(busy_share=0.99))
    assert others.level is Level.WARN
    assert "other programs kept all processors busy" in others.message
    own = judge("client_cpu", RunMaker(busy_share=0.99, outcome={"cpu": BUSY_TEST}))
    assert own.level is Level.INVALID
    assert "the test kept" in own.message
    volume = judge("client_cpu", RunMaker(busy_share=0.99, servers=1.2))
    assert volume.level is Level.WARN
    assert "the server of its volume kept" in volume.message


def test_a_page_cache_that_is_asked_for() -> None:
    run = buffered(parameters={"direct": False, "drop_cache": False}, device_share=0.0)
    assert GUARDS["page_cache"].check(run.make()) is None
    assert judge("working_set", run).level is Level.OK


def test_buffered_writes_that_never_leave_memory() -> None:
    run = RunMaker(kind="write", parameters={"mode": "randwrite", "direct": False}, device_share=0.0)
    assert judge("working_set", run).level is Level.INVALID
    durable = RunMaker(kind="write", parameters={"mode": "randwrite", "direct": False, "sync": "fsync"})
    assert GUARDS["working_set"].check(durable.make()) is None


def test_zero_blocks_that_were_asked_for() -> None:
    file = {"region_bytes": GIB, "hole_bytes": 0, "unwritten_bytes": 0, "sampled_blocks": 200, "zero_blocks": 200}
    assert judge("unwritten", RunMaker(file=file)).level is Level.INVALID
    assert judge("unwritten", RunMaker(file=file, parameters={"content": "zero"})).level is Level.OK


def test_first_writes_are_a_warning() -> None:
    file = {"region_bytes": GIB, "unwritten_bytes": GIB, "sampled_blocks": 0}
    assert judge("unwritten", RunMaker(file=file, kind="write", parameters={"mode": "randwrite"})).level is Level.WARN


def test_more_than_the_volume_can_deliver() -> None:
    run = RunMaker(options={"cap_throughput": "10MiB/s"})
    assert judge("cap_plateau", run).level is Level.INVALID
    assert "more than the volume can deliver" in judge("cap_plateau", run).message


def test_a_target_without_caps() -> None:
    assert GUARDS["cap_plateau"].check(RunMaker().make()) is None


def test_a_slow_clock_source() -> None:
    assert judge("clock", RunMaker(clock_source="hpet")).level is Level.WARN


def test_a_handful_of_swapped_pages_is_a_warning_and_a_killed_program_is_not() -> None:
    assert judge("memory", RunMaker(vm={"pswpin": 3})).level is Level.WARN
    assert judge("memory", RunMaker(vm={"oom_kill": 1})).level is Level.INVALID
    assert judge("memory", RunMaker(available=0.02)).level is Level.WARN


def test_large_requests_may_be_cut() -> None:
    run = RunMaker(size=1024 * KIB, operations_per_s=500, device_other={"reads": 5000})
    assert judge("request_shape", run).level is Level.OK


def test_a_trace_may_have_streams_and_flushes_so_its_requests_are_not_judged() -> None:
    other = {"reads_merged": 50_000}
    recording = {"sha256": "0" * 64, "speed": 1.0, "closed": False, "device": 0, "from_ns": 0, "until_ns": 1}
    replayed = RunMaker(device_other=other, parameters={"recording": {**recording, "extent": 1, "align": 512}})
    assert GUARDS["request_shape"].check(replayed.make()) is None
    assert judge("request_shape", RunMaker(device_other=other)).level is Level.INVALID


def test_merged_requests_are_sequential() -> None:
    assert judge("request_shape", RunMaker(device_other={"reads_merged": 50_000})).level is Level.INVALID


def test_drift_is_invalid_in_a_long_run_only() -> None:
    falling = [round(4000 * 0.99**second) for second in range(120)]
    assert judge("change_point", RunMaker(rates=falling)).level is Level.INVALID
    assert judge("change_point", RunMaker(rates=falling[:40])).level is Level.WARN


def test_a_window_leaves_out_what_happened_before_the_run() -> None:
    """Warm-up reads pass the device before anything is counted: the window starts at the first sample inside."""
    run = RunMaker(parameters={"warmup": 1})
    evidence = run.make()
    shifted = {**evidence.outcome, "started_ns": evidence.outcome["started_ns"] + 300 * MILLISECOND}
    shifted["elapsed_ns"] = evidence.elapsed_ns - 300 * MILLISECOND
    late = RunMaker(parameters={"warmup": 1}, outcome=shifted).make()
    assert late.window is not None
    assert late.window.before is late.samples[0]


def test_a_chain_without_counters_is_not_on_a_device() -> None:
    assert not RunMaker(devices=(disk(counts_io=False),)).make().on_device
    assert Chain().top is None


def test_percentiles_of_kinds_that_did_not_run_are_not_counted() -> None:
    done = {"operations": 100, "bytes": 0, "errors": 0, "latency_sum_ns": 0}
    trim = RunMaker(
        parameters={"mode": "randtrim"}, metrics=("iops", "read_p99"), outcome={"operations": {"trim": done}}
    )
    assert GUARDS["short_run"].check(trim.make()) is None
    few = replace(trim, metrics=("iops", "read_p99", "trim_p99"))
    assert judge("short_run", few).message == "trim p99 rests on 100 operations; it needs at least 368"
    mixed = judge("short_run", RunMaker(operations_per_s=100, metrics=("read_p999", "write_p99")))
    assert mixed.message == "read p99.9 rests on 1,000 operations; it needs at least 3,688"


@pytest.mark.parametrize("engine", ["psync", "null"])
def test_a_test_in_memory_is_no_test_of_a_disk(engine: str) -> None:
    facts = {"in_memory": True, "file_system": "ramfs"}
    found = GUARDS["memory_file_system"].check(RunMaker(parameters={"engine": engine}, facts=facts).make())
    assert (found is not None) == (engine != "null")
    assert GUARDS["memory_file_system"].check(RunMaker().make()) is None


def test_a_schedule_of_which_nothing_was_begun_is_invalid() -> None:
    found = judge("db_schedule", queries(outcome={"offered_operations": 5, "completed": 0}))
    assert found.level is Level.INVALID
    assert "0 of 5 scheduled operations" in found.message


def test_reads_of_others_beside_a_private_server() -> None:
    own = {"busy_share": 0.3, "family": 0.55}
    found = judge("db_foreign", queries(**own, family_read_bytes=10 * 8_000 * 4096))
    assert found.level is Level.WARN
    assert found.message == "other programs read 78.1 MiB of the 391 MiB that the disk read (20 %)"
    assert judge("db_foreign", queries(**own, operations_per_s=100)).level is Level.OK
    all_ours = judge("db_foreign", queries(**own, family_read_bytes=10 * 10_000 * 4096))
    assert all_ours.level is Level.OK


def test_a_server_of_somebody_else_is_no_foreign_program() -> None:
    run = queries(parameters={"server": "none"}, busy_share=0.9, family=0.1)
    assert judge("db_foreign", run).message.startswith("not checkable: the server is on this machine")
    elsewhere = replace(run, facts={"on_this_machine": False}, devices=())
    assert judge("db_foreign", elsewhere).level is Level.WARN
