"""Runs that were made for one guard's sentence each, and every run of the guards' own cases beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tests.golden.sentences.speech import GUARDS, Situation, of_guards
from tests.unit.guards.guard_cases import (
    CASES,
    TRACE,
    RunMaker,
    away,
    buffered,
    counted,
    disk,
    late,
    queries,
    write_run,
)
from tests.unit.guards.test_guards import BUSY_TEST

from plimsoll.model import Target
from plimsoll.units import GIB, MILLISECOND, SECOND

DATABASES = [name for name, guard in GUARDS.items() if "db" in getattr(guard, "KINDS", ())]
DISKS = [name for name, guard in GUARDS.items() if "io" in getattr(guard, "KINDS", ("io",))]
FILES = [name for name, guard in GUARDS.items() if getattr(guard, "KINDS", ()) == ("files",)]


def _of(name: str, run: RunMaker, *says: str, never: tuple[str, ...] = ()) -> Situation:
    asked = DATABASES if "server" in run.parameters else DISKS
    return Situation(
        "databases" if asked is DATABASES else "disks", name, lambda: of_guards(run.make(), asked), says, never
    )


def _cases() -> Iterator[Situation]:
    for name, case in CASES.items():
        for word, run in (("bad", case.bad), ("good", case.good)):
            yield Situation("guard cases", f"{name}, {word}", lambda run=run, name=name: of_guards(run.make(), [name]))  # type: ignore[misc]


def _disks() -> list[Situation]:
    part = disk(name="sda1", kind="partition", start_bytes=63 * 512)
    falling = [round(4000 * 0.99**second) for second in range(120)]
    cycles = ([1000] * 80 + [500] * 40) * 3
    return [
        _of("a quiet run", RunMaker(), never=("invalid", "the processor limits", "other programs kept")),
        _of("a partition inside a block", RunMaker(devices=(part,)), "inside a block of", "Make the partition anew"),
        _of(
            "a rate above the cap",
            RunMaker(options={"cap_throughput": "10MiB/s"}),
            "more than the volume can deliver",
            "A cache or unwritten blocks answered",
            never=("the cap is the limit",),
        ),
        _of(
            "a warm-up",
            RunMaker(rates=[300] * 30 + [4000] * 120),
            "Set warmup= to at least",
            never=("Run over at least",),
        ),
        _of(
            "a decay",
            RunMaker(rates=[4000] * 60 + [2500] * 20 + [1800] * 20 + [1500] * 200),
            "precondition with layout=random",
        ),
        _of(
            "a replay that caught up",
            late(3 * MILLISECOND),
            "at times late, and in time again at the end: target or host could not follow the trace",
            never=("every one was late", "the most that are kept"),
        ),
        _of(
            "a replay of more at one moment than are kept in flight",
            replace(late(3 * MILLISECOND, late=90, late_by_depth=81), parameters={"recording": TRACE, "depth": 32}),
            "90 % of these waited because 32 were in flight, the most that are kept, and in the trace up to 500 are "
            "due at one moment, which no target could be in time for",
            never=("could not follow", "as fast as the trace asks"),
        ),
        _of(
            "a replay on a target that is slower than the trace",
            replace(late(3 * MILLISECOND, late=90, late_by_depth=90), parameters={"recording": TRACE, "depth": 1024}),
            "100 % of these waited because 1,024 were in flight, the most that are kept: the target did not finish "
            "them",
            never=("could not follow", "due at one moment"),
        ),
        _of(
            "a replay that was not done in time",
            RunMaker(parameters={"recording": TRACE}, outcome={"unissued": 250}),
            "were never issued",
            never=("I/Os of the trace were issued",),
        ),
        _of("cycles", RunMaker(rates=cycles), "Run over at least three whole cycles", never=("Set warmup=",)),
        _of(
            "a dip that ended",
            RunMaker(rates=[1000] * 200 + [500] * 40 + [1000] * 160),
            "and came back; scored from 4 min on, after it",
            "Find out what else was going on then",
            never=("Set warmup=", "layout=random"),
        ),
        _of("a trend", RunMaker(rates=falling), "there is no steady state yet", never=("Set warmup=",)),
        _of(
            "other programs",
            RunMaker(busy_share=0.99),
            "other programs kept all processors busy",
            never=("the test kept",),
        ),
        _of(
            "the test itself",
            RunMaker(busy_share=0.99, outcome={"cpu": BUSY_TEST}),
            "the test kept all processors busy",
            never=("other programs kept",),
        ),
        _of(
            "the server of the volume",
            RunMaker(busy_share=0.99, servers=1.2),
            "the test and the server of its volume",
            "The volume may deliver less than its model",
            never=("other programs kept",),
        ),
        _of(
            "drains that reach into the next slice",
            RunMaker(drain_ns=(3 * MILLISECOND,) * 8 + (40 * MILLISECOND,) * 2),
            "in 20 % of the turns, I/Os of the target before were still in flight when measuring began, 20 ms into",
            "Use less depth",
            never=("saved up", "never reached it"),
        ),
        _of("a slow clock", RunMaker(clock_source="hpet"), "which is slow or coarse", "available_clocksource"),
        _of(
            "reads of our own beside the test's",
            RunMaker(device_share=1.2, own_share=1.2),
            "see what the foreign I/O guard says",
        ),
        _of(
            "no volatile cache",
            write_run(device_other={}, devices=(disk(write_cache="write through"),)),
            "so no flush is needed",
            never=("flushes reached the device",),
        ),
        _of(
            "writes that are durable by themselves",
            write_run(
                device_other={},
                parameters={"mode": "randwrite", "sync": "dsync"},
                devices=(disk(forced_unit_access=True),),
            ),
            "without a flush",
        ),
        _of(
            "a killed program",
            RunMaker(vm={"oom_kill": 1}),
            "killed 1 of the running programs",
            "Free memory, or raise",
        ),
        _of("little memory", RunMaker(available=0.02), "Less than", never=("killed",)),
        _of("a file that nobody looked at", RunMaker(file={}), "the data file was not looked at"),
        _of(
            "a cache that was asked for",
            buffered(parameters={"direct": False, "drop_cache": False}),
            "the page cache is part of this test",
            never=("memory can stand in for the device",),
        ),
        _of(
            "a file larger than memory, from it",
            buffered(parameters={"direct": False, "size": 64 * GIB}, device_share=0.2),
            "too large for memory to stand in",
            never=("so memory can stand in",),
        ),
        _of(
            "a file smaller than memory, from it",
            buffered(device_share=0.2),
            "so memory can stand in for the device",
            never=("too large for memory",),
        ),
        _of("too short for counters", _short(), "too short for the once-a-second counters"),
        _of("no device", RunMaker(devices=()), "not checkable: tmpfs keeps its files in memory"),
    ]


def _short() -> RunMaker:
    """A measured part of which no two samples are inside."""
    return RunMaker(seconds=2, parameters={"warmup": SECOND, "verify": True}, outcome={"elapsed_ns": SECOND // 2})


def _server(**settings: str) -> RunMaker:
    return queries(outcome={"server": settings})


def _databases() -> list[Situation]:
    own = {"busy_share": 0.3, "family": 0.55}
    return [
        _of(
            "a quiet server",
            queries(**own, family_read_bytes=10 * 10_000 * 4096),
            never=("other programs read", "was away", "failed (1"),
        ),
        _of(
            "all threads of the client",
            queries(busiest_thread=0.24, all_processors=0.93),
            "the client's threads used 93 % of all processors",
            never=("the busiest thread of the client used",),
        ),
        _of(
            "too few records",
            queries(outcome={"not_found": {"read": 2_000}}),
            "2,000 of 100,000 operations found no record",
            never=("operations failed",),
        ),
        _of(
            "a server of somebody else here",
            queries(parameters={"server": "none"}, family=0.1),
            "was not started for the test",
            never=("other programs used",),
        ),
        _of(
            "reads of others",
            queries(**own, family_read_bytes=10 * 8_000 * 4096),
            "other programs read 78.1 MiB",
            never=("other programs used",),
        ),
    ]


def _failures() -> list[Situation]:
    """The advice on the most frequent cause, and on no other."""
    advice = {
        "disk_full": "Give the server more room",
        "deadlock": "or use fewer clients or a larger scale",
        "serialization": "(max_tries=), or use fewer clients.",
        "constraint": "Records that the test inserts are there already",
        "login": "Look at the user's rights",
        "status": "the web server's log of errors",
        "read_only": "The server accepts no changes",
    }
    return [
        _of(
            f"errors of {cause}",
            queries(outcome={"errors": {"read": {cause: 1000}}, "messages": {}}),
            words,
            never=tuple(
                other for other in advice.values() if other not in (words, "(max_tries=), or use fewer clients.")
            ),
        )
        for cause, words in advice.items()
    ]


def _outages() -> list[Situation]:
    saves = counted({"background_saves": 1}, {"background_saves": 4})
    gone = queries(outcome={"outages": [away(3, 1), away(8, 2, back=False)], "reconnects": 1})
    lost = queries(outcome={"outages": [away(3, 1)], "reconnects": 8, "not_found": {"read": 5000}, "loaded_records": 0})
    return [
        _of(
            "three saves",
            saves,
            "3 snapshots or rewritings of the log",
            never=("a snapshot or rewriting of the log within",),
        ),
        _of("away twice, and gone at the end", gone, "the server was away 2 times", "and was not back at the end"),
        _of(
            "away, and back",
            queries(outcome={"outages": [away(3, 1)], "reconnects": 8}),
            never=("was not back at the end",),
        ),
        _of(
            "a log that is never synced",
            queries(outcome={"server": {"appendonly": "yes", "appendfsync": "no"}}),
            "what the system has not written yet",
            never=("the last second of writes",),
        ),
        _of("records that went with the server", lost, "The server has lost records with its end"),
    ]


def _embedded() -> Situation:
    run = replace(queries(parameters={"server": "none"}).make(), target=Target(name="x", where="sqlite:/x.db"))
    return Situation("databases", "an embedded database", lambda: of_guards(run, DATABASES), (), ("client used",))


SITUATIONS = [*_cases(), *_disks(), *_databases(), *_failures(), *_outages(), _embedded()]
