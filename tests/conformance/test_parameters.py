"""Every parameter, through the whole way from text to the core, with the effect that its description promises."""

from __future__ import annotations

import os
import resource
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from plimsoll.parameters import WORKLOADS
from plimsoll.profile import Entry, cases
from plimsoll.run.sampler import Sampler
from plimsoll.run.workers.local import engines, execute

Outcome = Mapping[str, Any]

BASE = {"size": "4MiB", "runtime": "150ms", "warmup": "20ms", "depth": "4"}
BLOCK = 4096
BLOCKS = 1024
"""Of the file that `BASE` asks for."""


def run(path: Path, holes: str = "no", there: str = "no", **texts: str) -> Outcome:
    """The outcome of `randread` with these parameters on a file, with its `trace` and what was seen while it ran.

    These are the `flags` that the file was open with, the names of the `threads` of this process, the `cpus` that ours
    may run on, and how many bytes came `from_device`.

    With `holes` the file is there before, and holds nothing; with `there` it is written, and in the page cache.
    """
    if there == "yes":
        path.write_bytes(bytes(BLOCKS * BLOCK))
    if holes == "yes":
        path.touch()
        os.truncate(path, BLOCKS * BLOCK)
    (case,) = cases([Entry("randread", {**BASE, **texts})], {}, "test")
    seen: dict[str, Any] = {"trace": [], "flags": 0, "threads": set(), "cpus": set()}

    def look(progress: Mapping[str, Any]) -> None:
        seen["trace"] += progress.get("trace", [])
        if progress["phase"] == "measure":
            seen["flags"] |= opened_with(path)
            for name, cpus in tasks():
                seen["threads"].add(name)
                seen["cpus"] |= {cpus} if name.startswith("plimsoll") else set()

    before = bytes_from_devices()
    execution = execute(case.plan({}, "target"), path, Sampler(), look, lambda: False, keep=["trace"])
    assert execution.outcome["status"] == "ok", execution.outcome["error"]
    seen["trace"] += execution.outcome.get("trace", [])
    return {**execution.outcome, **seen, "from_device": bytes_from_devices() - before, "path": path}


def bytes_from_devices() -> int:
    """What this process has read that was not in the page cache."""
    (line,) = [line for line in Path("/proc/self/io").read_text().splitlines() if line.startswith("read_bytes:")]
    return int(line.split()[1])


def opened_with(path: Path) -> int:
    """The flags of all descriptors of this process on a file."""
    flags = 0
    for descriptor in Path("/proc/self/fd").iterdir():
        try:
            if descriptor.readlink() == path:
                (line,) = [
                    line
                    for line in Path(f"/proc/self/fdinfo/{descriptor.name}").read_text().splitlines()
                    if line.startswith("flags:")
                ]
                flags |= int(line.split()[1], 8)
        except FileNotFoundError:
            continue
    return flags


def tasks() -> Iterable[tuple[str, str]]:
    """Name and processors of each thread of this process."""
    for task in Path("/proc/self/task").iterdir():
        try:
            lines = dict(line.split(":", 1) for line in (task / "status").read_text().splitlines() if ":" in line)
        except (FileNotFoundError, ProcessLookupError):
            continue
        yield lines["Name"].strip(), lines["Cpus_allowed_list"].strip()


def places(outcome: Outcome, kind: str = "read") -> list[int]:
    """First bytes of the operations of a kind, in their order."""
    return [offset for name, _, _, offset, *_ in outcome["trace"] if name == kind]


def hottest(outcome: Outcome) -> float:
    """Share of the reads that went to the block that most went to."""
    found = places(outcome)
    return max(Counter(found).values()) / len(found)


def jumps(outcome: Outcome) -> float:
    """Share of the reads that did not follow the one before."""
    found = places(outcome)
    return sum(after != before + BLOCK for before, after in pairwise(found)) / len(found)


def blocks(outcome: Outcome) -> list[bytes]:
    """What the file holds."""
    content = outcome["path"].read_bytes()
    return [content[place : place + BLOCK] for place in range(0, len(content), BLOCK)]


def written(outcome: Outcome) -> int:
    """Blocks of the file that hold something."""
    return sum(any(block) for block in blocks(outcome))


def zeros(outcome: Outcome) -> float:
    """Share of the bytes of the file that are zero."""
    content = outcome["path"].read_bytes()
    return content.count(0) / len(content)


def cached(outcome: Outcome) -> float:
    """Share of the blocks of the file that the page cache holds."""
    with outcome["path"].open("rb") as file:
        # To ask must not bring in what follows.
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
        length = os.fstat(file.fileno()).st_size
        held = [is_cached(file.fileno(), place) for place in range(0, length, BLOCK)]
    return sum(held) / len(held)


def is_cached(descriptor: int, place: int) -> bool:
    try:
        return os.preadv(descriptor, [bytearray(1)], place, os.RWF_NOWAIT) == 1
    except BlockingIOError:
        return False


def done(outcome: Outcome, kind: str, what: str = "operations") -> int:
    counts = outcome["operations"].get(kind)
    return int(counts[what]) if counts else 0


def total(outcome: Outcome, what: str) -> int:
    return sum(done(outcome, kind, what) for kind in ("read", "write", "trim"))


def trims_come_first(outcome: Outcome) -> bool:
    """Each block is trimmed, then written; the last one may have been trimmed only."""
    kinds = [(name, offset) for name, _, _, offset, *_ in outcome["trace"] if name in ("trim", "write")]
    pairs = zip(kinds[kinds[0][0] != "trim" :: 2], kinds[1 + (kinds[0][0] != "trim") :: 2], strict=False)
    return len(kinds) > 1 and all(first == ("trim", place) for first, (_, place) in pairs)


WRITES = {"mode": "randwrite"}
SPARSE = {"holes": "yes", "layout": "keep"}
"""What is written shows: nothing else is there."""
ONCE = {"max_operations": str(BLOCKS), "runtime": "20s", "warmup": "0s"}
"""As many operations as the file has blocks."""
ALONE = {"engine": "psync", "depth": "1"}
"""One operation after the other."""
LONGER = {"runtime": "500ms"}
"""For what is looked at while it runs."""
EFFECTS: dict[str, list[tuple[dict[str, str], Callable[[Outcome], bool]]]] = {
    "engine": [
        # The others are for fio's command line, and no test of ours may ask for them.
        ({**WRITES, **SPARSE, "engine": name, "depth": "1", "direct": "no"},
         lambda o, stores=each.stores: (written(o) > 0) == stores)
        for name, each in engines().items()
        if not each.dataless
    ],
    "mode": [
        ({"mode": "read"}, lambda o: done(o, "read") > 0 == done(o, "write")),
        ({"mode": "write"}, lambda o: done(o, "write") > 0 == done(o, "read")),
        ({"mode": "randwrite"}, lambda o: done(o, "write") > 0 == done(o, "read")),
        ({"mode": "rw"}, lambda o: done(o, "write") > 0 < done(o, "read")),
        ({"mode": "randrw"}, lambda o: done(o, "write") > 0 < done(o, "read")),
        ({"mode": "randtrim", "engine": "psync", "depth": "1"}, lambda o: done(o, "trim") > 0 == done(o, "read")),
        ({"mode": "trimwrite", "engine": "psync", "depth": "1", "warmup": "0s"},
         lambda o: trims_come_first(o) and places(o, "trim")[:9] == [place * BLOCK for place in range(9)]),
        ({"mode": "randtrimwrite", "engine": "psync", "depth": "1"},
         lambda o: trims_come_first(o) and places(o, "trim")[:9] != sorted(places(o, "trim")[:9])),
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
    "size": [({"size": "1MiB", **ONCE}, lambda o: max(places(o)) == 2**20 - BLOCK and len(blocks(o)) == BLOCKS / 4)],
    "offset": [
        ({"offset": "1MiB", **ONCE}, lambda o: (min(places(o)), max(places(o))) == (2**20, 5 * 2**20 - BLOCK)),
    ],
    "direct": [
        ({"direct": "no", **LONGER}, lambda o: not o["flags"] & os.O_DIRECT and cached(o) > 0.5),
        ({"direct": "yes", **LONGER}, lambda o: bool(o["flags"] & os.O_DIRECT) and cached(o) < 0.1),
    ],
    "sync": [
        ({**WRITES, "sync": "fsync"}, lambda o: done(o, "write") > 0 < done(o, "commit")),
        ({**WRITES, "sync": "fdatasync"}, lambda o: done(o, "write") > 0 < done(o, "commit")),
        ({**WRITES, **LONGER, "sync": "dsync"}, lambda o: o["flags"] & os.O_SYNC == os.O_DSYNC),
        ({**WRITES, **LONGER, "sync": "sync"}, lambda o: o["flags"] & os.O_SYNC == os.O_SYNC),
        ({**WRITES, **LONGER, "sync": "none"}, lambda o: not o["flags"] & os.O_SYNC),
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
        ({"distribution": "once", **ONCE}, lambda o: len(set(places(o))) == BLOCKS),
        # 1 - 1/e of all places.
        ({"distribution": "uniform", **ONCE}, lambda o: 0.58 < len(set(places(o))) / BLOCKS < 0.68),
        # 1 / Σ k^-θ.
        ({"distribution": "zipf:0.9", **ONCE}, lambda o: 0.06 < hottest(o) < 0.13),
        ({"distribution": "zipf:1.2", **ONCE}, lambda o: 0.18 < hottest(o) < 0.28),
        # (1 / blocks) ^ (ln (1 - h) / ln h).
        ({"distribution": "pareto:0.3", **ONCE}, lambda o: 0.09 < hottest(o) < 0.17),
    ],
    "random_share": [({"random_share": "10%", **ONCE, "depth": "1"}, lambda o: 0.06 < jumps(o) < 0.15)],
    "content": [
        ({**WRITES, **ONCE, "content": "zero"}, lambda o: zeros(o) == 1),
        ({**WRITES, **ONCE, "content": "random"},
         lambda o: all(len(zlib.compress(block)) > BLOCK for block in blocks(o))),
    ],
    "compressible": [({**WRITES, **ONCE, "compressible": "60%"}, lambda o: 0.58 < zeros(o) < 0.62)],
    "layout": [
        (SPARSE, lambda o: written(o) == 0),
        ({"layout": "fill"}, lambda o: written(o) == BLOCKS),
        *(({**SPARSE, "layout": kind}, lambda o, laid=laid: written(o) == laid)
          for kind, laid in {"fill": 0, "refill": BLOCKS, "random": BLOCKS}.items()),
    ],
    "drop_cache": [
        ({"there": "yes", "layout": "keep", "drop_cache": "no"}, lambda o: cached(o) > 0.9),
        ({"there": "yes", "layout": "keep", "drop_cache": "yes"}, lambda o: cached(o) < 0.1),
    ],
    "drop_each": [
        ({**ONCE, "drop_each": kind, "direct": "no", **ALONE, "max_operations": str(2 * BLOCKS)},
         lambda o, passes=passes: passes - 0.1 < o["from_device"] / (BLOCKS * BLOCK) < passes + 0.4)
        for kind, passes in {"never": 1, "operation": 2, "pass": 2}.items()
    ],
    "verify": [
        ({**WRITES, "verify": "yes"}, lambda o: o["verified"]["blocks"] > 0 == o["verified"]["bad_blocks"]),
    ],
    "cpus": [
        ({"cpus": "0", **LONGER}, lambda o: "0" in o["cpus"] and "1" not in o["cpus"]),
        ({"cpus": "0+1", "threads": "2", **LONGER}, lambda o: {"0", "1"} <= o["cpus"]),
    ],
    "interval": [({"interval": "50ms"}, lambda o: len(o["intervals"]) >= 3)],
    "sqpoll": [({"sqpoll": "yes", **LONGER}, lambda o: any(name.startswith("iou-sqp") for name in o["threads"]))],
}  # fmt: skip
NOT_EVERYWHERE = {"iopoll"}
"""Needs a device with polling queues, which few machines have; the core's own tests cover its refusal."""
SHOWN_BELOW = {"seed", "count_errors"}
"""These take several runs to see what they do."""
NOT_OF_THE_CORE = {"implementation"}
"""Says who carries a run out instead of the core; tests/integration/run/test_originals.py has both do it."""


def test_no_parameter_is_left_out() -> None:
    assert set(EFFECTS) | NOT_EVERYWHERE | SHOWN_BELOW | NOT_OF_THE_CORE == {
        parameter.name for parameter in WORKLOADS["io"]
    }


@pytest.mark.parametrize(
    ("texts", "holds"),
    [pytest.param(texts, holds, id=f"{name}-{number}") for name, each in EFFECTS.items()
     for number, (texts, holds) in enumerate(each)],
)  # fmt: skip
def test_effects(place: Path, texts: dict[str, str], holds: Callable[[Outcome], bool]) -> None:
    for attempt in range(3):
        outcome = run(place / f"data-{attempt}", **texts)
        if outcome["operations"]:
            break
        # Nothing came back in time: the disk stalled for as long as the run.
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


@contextmanager
def files_end_at(length: int) -> Iterator[None]:
    """No file of this process can be written beyond a length meanwhile."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (length, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_errors_are_counted_or_end_the_run(place: Path) -> None:
    beyond = {**WRITES, "layout": "keep", "engine": "psync", "depth": "1", "direct": "no", "warmup": "0s"}
    run(place / "data", size="4MiB")
    with files_end_at(2 * 2**20):
        counted = run(place / "data", **beyond, count_errors="yes")
        with pytest.raises(AssertionError, match="File too large"):
            run(place / "data", **beyond, count_errors="no")
    assert counted["operations"]["write"]["errors"] > 0 < done(counted, "write")
