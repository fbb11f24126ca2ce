"""Rates and runs on volumes of known limits, each made for one sentence."""

from __future__ import annotations

import itertools
import tempfile
from dataclasses import replace
from pathlib import Path

from tests.golden.sentences.speech import Situation
from tests.unit.catalog.test_bounds import READ_4K, shape
from tests.unit.catalog.test_delivery import judged, noisy, reads, run
from tests.unit.catalog.test_lasting import runs
from tests.unit.simulation.test_choices_by_hand import FAST, SLOW, chosen

from plimsoll.catalog.bounds import Use, explain
from plimsoll.catalog.delivery import Role
from plimsoll.catalog.lasting import finding, standing
from plimsoll.catalog.waits import Wait
from plimsoll.model import Run, RunStatus
from plimsoll.prices.cost import cost
from plimsoll.simulation.job import Trace, load
from plimsoll.simulation.outcome import simulate
from plimsoll.simulation.slo import judge, parse_slo
from plimsoll.units import SECOND

GP3 = "gp3,size=100GiB,instance=m5.large"


def _limits() -> list[Situation]:
    def of(name: str, volume: str, use: Use, rate: float, says: str, never: str) -> Situation:
        return Situation("limits", name, lambda: [explain(shape(volume), use, rate).text], (says,), (never,))

    gp2 = "gp2,size=385GiB,instance=m5d.large"
    return [
        of(
            "at the burst",
            gp2,
            READ_4K,
            3010,
            "is near its limit of 3,000/s, the volume IOPS burst; full credits hold this rate for",
            "below",
        ),
        of(
            "at the baseline",
            gp2,
            READ_4K,
            1150,
            "is near its limit of 1,155/s, the volume IOPS baseline",
            "full credits hold",
        ),
        of("between", gp2, READ_4K, 2000, "on a burst; full credits hold this rate for 1 h 47 min", "a cache"),
        of("above all", gp2, READ_4K, 90_000, "is above its volume IOPS burst of 3,000/s: a cache", "on a burst"),
        of("below all", gp2, READ_4K, 400, "is below all its limits (the tightest is the volume IOPS", "is its volume"),
        of(
            "without limits",
            "instance-store,instance=m1.small,era=2009",
            READ_4K,
            400,
            "no limit of it is published",
            "is its",
        ),
        of(
            "in bytes",
            "gp3,size=100GiB",
            Use(2**18, 1.0),
            495,
            "is near its limit of 125 MiB/s (500/s), the volume throughput",
            "counted as",
        ),
        of("as a MiB each", "st1,size=1TiB", READ_4K, 39, "each counted as 1 MiB", "is above"),
        of("as four writes", "gp3,size=100GiB,raid=5,members=4", Use(4096, 0.0), 2900, "each counted as 4", "is above"),
    ]


def _waited() -> list[Situation]:
    """What the volume's own counters say: which limit made I/Os wait, in which share of the time."""

    def of(name: str, rate: float, waits: list[Wait] | None, says: str, never: str, use: Use = READ_4K) -> Situation:
        def speak() -> list[str]:
            found = explain(shape("gp2,size=100GiB"), use, rate, waits)
            return [found.text, found.party]

        return Situation("limits", name, speak, (says,), (never,))

    def at(share: float, bucket: str = "volume.iops_credits") -> list[Wait]:
        return [Wait(bucket, share)]

    return [
        of("no I/O waited", 290, [], "is what its latency allows at this many in flight", "is held back by"),
        of("all came back", 199, [], "is all that was asked for: no limit", "latency", replace(READ_4K, asked=200)),
        of("not all came back", 290, [], "its latency allows", "asked for", replace(READ_4K, asked=400)),
        of(
            "all came back, few waited",
            199,
            at(0.2),
            "is all that was asked for: I/Os waited for its",
            "latency",
            replace(READ_4K, asked=200),
        ),
        of(
            "all came back, nobody counted",
            199,
            None,
            "is all that was asked for, below all its limits",
            "near",
            replace(READ_4K, asked=200),
        ),
        of(
            "pauses",
            199,
            [],
            "is what its latency and the test's pauses allow",
            "asked for",
            replace(READ_4K, pauses=True),
        ),
        of("few waited", 290, at(0.2), "is mostly what its latency allows: I/Os waited for its", "is held back by"),
        of("most waited", 300, at(0.95), "is held back by its volume IOPS baseline of 300/s", "latency allows"),
        of("waited at its rate", 290, at(0.95), "is held back by its volume IOPS baseline of 300/s", "gets less"),
        of("all waited for less", 200, at(1.0), "baseline, of which it gets less than 300/s: I/Os", "baseline of 300"),
        of("waited after a burst", 900, at(0.95), "is in part a burst: I/Os waited for its", "latency allows"),
    ]


def _verifications() -> list[Situation]:
    def of(name: str, volume: str, made: dict[Role, Run], *says: str, never: tuple[str, ...] = ()) -> Situation:
        def speak() -> list[str]:
            found = judged(volume, made)
            return [*found.sentences, *(load.why for load in found.loads), *(load.role.value for load in found.loads)]

        return Situation("verify", name, speak, says, never)

    no, yes, unknown = "It does not deliver what is paid for", "It delivers what is paid for", "Cannot tell whether it"
    dip = [*noisy(2995, 30), *noisy(2000, 6), *noisy(2995, 24)]
    together = "all windows together are not, and a provider counts minutes"
    return [
        of(
            "at the limit",
            GP3,
            {Role.READS: run(noisy(2995, 60))},
            yes,
            "no credits of this volume are spent",
            never=(no, unknown, "nothing else holds it back"),
        ),
        of(
            "below the limit",
            "gp3,size=100GiB,iops=4000,instance=m5.xlarge",
            {Role.READS: run(noisy(3000, 60))},
            no,
            "10 of 10 windows are below 3,600/s",
            "nothing else holds it back",
            never=(yes, unknown),
        ),
        of(
            "on a burst",
            "gp2,size=100GiB,instance=m5.large",
            {Role.READS: run(noisy(3000, 600))},
            yes,
            "but full credits hold this rate for 33 min",
            never=("the burst ended after",),
        ),
        of(
            "too short for a cliff",
            GP3,
            {Role.READS: run(noisy(2995, 10))},
            "measured for 10 s, too short to see a cliff",
            never=("no cliff in",),
        ),
        of(
            "a cliff",
            "gp2,size=100GiB,instance=m5.large",
            {Role.READS: run([*noisy(3000, 200), *noisy(300, 400)])},
            "the burst ended after 3 min 20 s",
            never=("no cliff in",),
        ),
        of(
            "a busy machine",
            GP3,
            {Role.READS: run([500, 900, 1300] * 20, busy=0.99)},
            unknown,
            "all processors of this machine were busy",
            never=(no, yes),
        ),
        of(
            "a busy thread",
            GP3,
            {Role.READS: run(noisy(900, 60), busiest_thread=0.99)},
            unknown,
            "kept its processor busy",
            never=(no, "all processors of this machine"),
        ),
        of(
            "too few in flight",
            GP3,
            {Role.READS: run(noisy(900, 60)), Role.DEEPER: run(noisy(1700, 15))},
            "twice as many in flight are 1.89 times faster",
            never=(no,),
        ),
        of(
            "a file system's own I/Os",
            GP3,
            {Role.READS: run(noisy(900, 60), device_share=1.6)},
            "the device does 1.60 I/Os for each of the test's",
            never=(no,),
        ),
        of(
            "a first touch",
            GP3,
            {Role.READS: run(noisy(900, 60)), Role.FIRST: reads(25e6), Role.AGAIN: reads(2.5e6)},
            "first touch: not initialised yet",
            "initialise the volume first",
            never=(no, "fetched before"),
        ),
        of(
            "no first touch",
            GP3,
            {Role.READS: run(noisy(2995, 60)), Role.FIRST: reads(2.5e6), Role.AGAIN: reads(2.44e6)},
            "the blocks were fetched before",
            never=("not initialised yet",),
        ),
        of(
            "a dip", GP3, {Role.READS: run(dip)}, "too few to prove anything, measure longer", never=(no, yes, together)
        ),
        of(
            "a dip where 99.9 % was promised",
            "io2,size=100GiB,iops=3000,instance=m5.large",
            {Role.READS: run(dip)},
            "1 of 10 windows is below 2,700/s",
            "too few to prove anything, measure longer",
            never=(no, yes, together),
        ),
        of(
            "three short dips in a minute that kept the promise",
            GP3,
            {Role.READS: run([*noisy(2995, 12), *noisy(2500, 18), *noisy(2995, 30)])},
            "3 of 10 windows are below 2,700/s",
            together,
            never=(no, yes, "too few to prove anything"),
        ),
        of(
            "nothing was ever written",
            GP3,
            {},
            "hold only zeros, as if nobody ever wrote them",
            unknown,
            never=(no, yes),
        ),
        of(
            "a type without limits",
            "instance-store,instance=m1.small,era=2009",
            {Role.READS: run(noisy(900, 60))},
            "the provider publishes no limit for it",
            never=(no, yes),
        ),
        of("no instance", "gp3,size=100GiB", {Role.READS: run(noisy(2995, 60))}, "No instance was named", yes),
        of(
            "an invalid run",
            GP3,
            {Role.READS: run(noisy(3000, 60), status=RunStatus.INVALID, reason="a cache answered")},
            "a cache answered",
            never=(no, yes),
        ),
    ]


def _standings() -> list[Situation]:
    def of(
        name: str, where: str, rates: list[float], seconds: int, *says: str, never: tuple[str, ...] = ()
    ) -> Situation:
        def speak() -> list[str]:
            made = runs(where, rates, seconds)
            found = finding(made, standing(made))
            return [] if found is None else [found.message, found.advice]

        return Situation("standing", name, speak, says, never)

    burst = "depends on burst credits of the volume; full ones last"
    return [
        of(
            "on a burst",
            "gp2,size=100GiB",
            [2915.0] * 3,
            2,
            burst,
            "Quote such scores as a burst",
            never=("credits=0",),
        ),
        of("on an emulated burst", "vol:type=gp2,size=100GiB,fs=xfs", [2915.0] * 3, 2, burst, "(credits=0)"),
        of("at the baseline", "gp2,size=100GiB", [295.0] * 3, 2, never=("sustained level not measured",)),
        of("a type without credits", "gp3,size=100GiB", [2990.0] * 3, 2, never=("sustained level not measured",)),
    ]


def _unknown() -> Situation:
    """A test whose I/Os cannot be told from its operations, on a volume that may burst."""
    made = [
        each.model_copy(update={"plan": each.plan.model_copy(update={"workload": "dbench"}), "intervals": ()})
        for each in runs("gp2,size=100GiB", [2915.0] * 3)
    ]

    def speak() -> list[str]:
        found = finding(made, standing(made))
        return [] if found is None else [found.message, found.advice]

    return Situation("standing", "operations that are no I/Os", speak, ("and its I/Os could not be counted",))


def _objectives() -> list[Situation]:
    def of(name: str, volume: str, job: str, slo: str, *says: str, never: tuple[str, ...] = ()) -> Situation:
        def speak() -> list[str]:
            known = shape(volume)
            return list(judge(simulate(known, load(job, {}), 20 * SECOND, cost(known)), parse_slo(slo)).reasons)

        return Situation("objective", name, speak, says, never)

    def recorded(name: str, volume: str, *says: str, never: tuple[str, ...] = ()) -> Situation:
        def speak() -> list[str]:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "app.iolog"
                lines = [f"{i * 10_000 // 6} /dev/sdb read {i % 1000 * 4096} 4096" for i in range(3000)]
                path.write_text("fio version 3 iolog\n" + "\n".join(lines) + "\n")
                known = shape(volume)
                return list(judge(simulate(known, Trace(path), None, cost(known)), parse_slo("iops>=100")).reasons)

        return Situation("objective", name, speak, says, never)

    slow = "gp2,size=100GiB,credits=0"
    kept = "randread,depth=16,rate=200/s"
    return [
        of("kept", slow, kept, "p99<100ms", never=("that are asked for", "p99 is")),
        of(
            "not kept",
            slow,
            "randread,depth=16,rate=2000/s",
            "p99<100ms",
            "/s of 2,000/s that are asked for",
            never=("its own latency with",),
        ),
        of(
            "too few in flight",
            "gp3,size=100GiB",
            "randread,depth=1,rate=2900/s",
            "p99<100ms",
            "held back by its own latency with at most 1 in flight",
        ),
        of("too slow", slow, "randread,depth=16", "p99<1ms", "p99 is", never=("that are asked for",)),
        recorded("a record that was done", "gp3,size=10GiB", never=("undone",)),
        recorded("a record that was not done", slow, "of 3,000 recorded I/Os undone, held back by volume IOPS"),
    ]


def _choices() -> list[Situation]:
    def of(name: str, job: str, *says: str, slo: str = "p99<30ms", never: tuple[str, ...] = ()) -> Situation:
        def speak() -> list[str]:
            found = chosen("st1", "size=500GiB", job, slo)
            return [] if found.judgement is None else list(found.judgement.reasons)

        return Situation("choice", name, speak, says, never)

    return [
        of("more than any of the type", FAST, "only 500/s of 2,000/s are possible, held back by its volume IOPS"),
        of(
            "an objective above any of the type",
            "randread,block_size=16KiB,depth=16",
            "are possible, held back by its",
            slo="iops>=2000",
            never=("of 2,000/s are possible",),
        ),
        of("what the type has", SLOW, never=("are possible",)),
    ]


SITUATIONS = [
    *itertools.chain(_limits(), _waited(), _verifications(), _standings(), _objectives(), _choices()),
    _unknown(),
]
