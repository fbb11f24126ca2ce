"""Every parameter, through the whole way from text to the core, with the effect that its description promises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from plimsoll.parameters import DATALESS_ENGINES, WORKLOADS
from plimsoll.profile import Entry, cases
from plimsoll.run.sampler import Sampler
from plimsoll.run.workers.local import engines, execute

Outcome = Mapping[str, Any]

BASE = {"size": "4MiB", "runtime": "150ms", "warmup": "20ms", "depth": "4"}


def run(path: Path, **texts: str) -> Outcome:
    """The outcome of `randread` with these parameters on a file."""
    (case,) = cases([Entry("randread", {**BASE, **texts})], {}, "test")
    execution = execute(case.plan({}, "target"), path, Sampler(), lambda _progress: None, lambda: False)
    assert execution.outcome["status"] == "ok", execution.outcome["error"]
    return execution.outcome


def done(outcome: Outcome, kind: str, what: str = "operations") -> int:
    counts = outcome["operations"].get(kind)
    return int(counts[what]) if counts else 0


def total(outcome: Outcome, what: str) -> int:
    return sum(done(outcome, kind, what) for kind in ("read", "write", "trim"))


def some(outcome: Outcome) -> bool:
    return total(outcome, "operations") > 0


WRITES = {"mode": "randwrite"}
EFFECTS: dict[str, list[tuple[dict[str, str], Callable[[Outcome], bool]]]] = {
    "engine": [
        # The others are for fio's command line, and no test of ours may ask for them.
        ({"engine": name, "depth": "1", "direct": "no"}, some)
        for name in engines()
        if name not in DATALESS_ENGINES
    ],
    "mode": [
        ({"mode": "read"}, lambda o: done(o, "read") > 0 == done(o, "write")),
        ({"mode": "write"}, lambda o: done(o, "write") > 0 == done(o, "read")),
        ({"mode": "randwrite"}, lambda o: done(o, "write") > 0 == done(o, "read")),
        ({"mode": "rw"}, lambda o: done(o, "write") > 0 < done(o, "read")),
        ({"mode": "randrw"}, lambda o: done(o, "write") > 0 < done(o, "read")),
        ({"mode": "randtrim", "engine": "psync", "depth": "1"}, lambda o: done(o, "trim") > 0 == done(o, "read")),
    ],
    "read_share": [
        ({"mode": "randrw", "read_share": "90%", "max_operations": "2000", "runtime": "10s"},
         lambda o: 1700 < done(o, "read") < 1900),
    ],
    "block_size": [
        ({"block_size": "16KiB"}, lambda o: total(o, "bytes") == total(o, "operations") * 16384),
        ({"block_size": "4KiB:50 8KiB:50", "max_operations": "2000", "runtime": "10s"},
         lambda o: 5800 < total(o, "bytes") / total(o, "operations") < 6500),
    ],
    "write_block_size": [
        ({"mode": "randrw", "write_block_size": "16KiB", "depth": "1"},
         lambda o: o["operations"]["write"]["bytes"] == o["operations"]["write"]["operations"] * 16384),
    ],
    "alternate": [
        ({"mode": "randrw", "alternate": "yes", "depth": "1", "max_operations": "100", "runtime": "10s"},
         lambda o: done(o, "read") == done(o, "write") == 50),
    ],
    "depth": [({"depth": "16"}, lambda o: 8 < o["mean_in_flight"] <= 16.5)],
    "threads": [({"threads": "3", "depth": "2"}, lambda o: 3 < o["mean_in_flight"] <= 6.5)],
    "size": [({"size": "1MiB"}, some)],
    "offset": [({"offset": "1MiB"}, some)],
    "direct": [({"direct": "no"}, some)],
    "sync": [
        ({**WRITES, "sync": "fsync"}, lambda o: done(o, "write") > 0 < done(o, "commit")),
        ({**WRITES, "sync": "fdatasync"}, lambda o: done(o, "write") > 0 < done(o, "commit")),
        ({**WRITES, "sync": "dsync"}, some),
        ({**WRITES, "sync": "sync"}, some),
    ],
    "sync_every": [
        ({**WRITES, "sync": "fdatasync", "sync_every": "10", "depth": "1", "max_operations": "200", "runtime": "20s"},
         # A group may have begun in the warm-up.
         lambda o: done(o, "sync") in (20, 21)),
    ],
    "sync_at_end": [({**WRITES, "sync_at_end": "yes"}, lambda o: done(o, "sync") >= 1)],
    "runtime": [({"runtime": "300ms"}, lambda o: o["elapsed_ns"] > 0.29e9)],
    "max_bytes": [({"max_bytes": "1MiB", "runtime": "10s"}, lambda o: total(o, "bytes") == 2**20)],
    "max_operations": [({"max_operations": "321", "runtime": "10s"}, lambda o: total(o, "operations") == 321)],
    "warmup": [({"warmup": "0s"}, lambda o: o["phases"]["warmup_ns"] < 50_000_000)],
    "rate": [
        ({"rate": "500/s", "runtime": "1s"}, lambda o: 450 <= o["offered_operations"] <= 550),
        ({"rate": "2MiB/s", "runtime": "1s"}, lambda o: 450 <= o["offered_operations"] <= 570),
        ({"rate": "500/s"}, lambda o: "read_service" in o["histograms"]),
    ],
    "arrival": [
        ({"rate": "1000/s", "arrival": "poisson", "runtime": "1s"}, lambda o: 800 < o["offered_operations"] < 1200),
    ],
    "think_time": [({"think_time": "5ms", "depth": "1"}, lambda o: 0 < total(o, "operations") <= 40)],
    "think_every": [({"think_time": "20ms", "think_every": "5", "depth": "1"}, lambda o: total(o, "operations") <= 50)],
    "think_from": [
        ({"think_time": "20ms", "think_from": "start", "depth": "1"}, lambda o: 0 < total(o, "operations") <= 11),
    ],
    "distribution": [
        ({"distribution": kind}, some) for kind in ("once", "uniform", "zipf:0.9", "zipf:1.2", "pareto:0.3")
    ],
    "random_share": [({"random_share": "10%"}, some)],
    "seed": [({"seed": "7"}, some)],
    "content": [({**WRITES, "content": "zero"}, some)],
    "compressible": [({**WRITES, "compressible": "60%"}, some)],
    "layout": [({"layout": kind}, some) for kind in ("fill", "refill", "random")],
    "drop_cache": [({"drop_cache": "no", "direct": "no"}, some)],
    "drop_each": [({"drop_each": kind, "direct": "no"}, some) for kind in ("operation", "pass")],
    "verify": [
        ({**WRITES, "verify": "yes"}, lambda o: o["verified"]["blocks"] > 0 == o["verified"]["bad_blocks"]),
    ],
    "cpus": [({"cpus": "0"}, some), ({"cpus": "0+1", "threads": "2"}, some)],
    "count_errors": [({"count_errors": "yes"}, some)],
    "interval": [({"interval": "50ms"}, lambda o: len(o["intervals"]) >= 3)],
    "sqpoll": [({"sqpoll": "yes"}, some)],
}  # fmt: skip
NOT_EVERYWHERE = {"iopoll"}
"""Needs a device with polling queues, which few machines have; the core's own tests cover its refusal."""
NOT_OF_THE_CORE = {"implementation"}
"""Says who carries a run out instead of the core; tests/integration/run/test_originals.py has both do it."""


def test_no_parameter_is_left_out() -> None:
    assert set(EFFECTS) | NOT_EVERYWHERE | NOT_OF_THE_CORE == {parameter.name for parameter in WORKLOADS["io"]}


@pytest.mark.parametrize(
    ("texts", "holds"),
    [pytest.param(texts, holds, id=f"{name}-{number}") for name, each in EFFECTS.items()
     for number, (texts, holds) in enumerate(each)],
)  # fmt: skip
def test_effects(place: Path, texts: dict[str, str], holds: Callable[[Outcome], bool]) -> None:
    outcome = run(place / "data", **texts)
    assert holds(outcome), outcome["operations"]


def test_a_seed_repeats_the_places(place: Path) -> None:
    """Two runs with one seed write the same blocks of a sparse file; another seed writes others."""

    def written(seed: str) -> bytes:
        path = place / f"data-{seed}-{len(list(place.iterdir()))}"
        path.write_bytes(bytes(4 * 2**20))
        run(
            path,
            mode="randwrite",
            seed=seed,
            layout="keep",
            max_operations="100",
            depth="1",
            runtime="20s",
            warmup="0s",
        )
        content = path.read_bytes()
        return bytes(any(content[block : block + 4096]) for block in range(0, len(content), 4096))

    assert written("1") == written("1") != written("2")
