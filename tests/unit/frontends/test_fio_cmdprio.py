"""Priorities of single operations: `cmdprio_percentage`, `cmdprio_bssplit` and their like, as fio 3.33 reads them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram
from tests.unit.frontends.test_fio_words import job

from plimsoll.errors import UsageError
from plimsoll.frontends.fio.by_priority import by_priority
from plimsoll.frontends.fio.plans import plan_of

RT, BE, IDLE = (kind << 13 for kind in (1, 2, 3))
MIXED = ("--rw=randrw", "--ioengine=libaio", "--iodepth=4")


def share(size: int, percent: int, priority: int) -> dict[str, int]:
    return {"size": size, "percent": percent, "priority": priority}


@pytest.mark.parametrize(
    ("words", "reads", "writes"),
    [
        (["--cmdprio_percentage=20"], [share(0, 20, RT)], [share(0, 20, RT)]),
        (["--cmdprio_percentage=20,0"], [share(0, 20, RT)], []),
        (["--cmdprio_percentage=,50", "--cmdprio_class=3,2", "--cmdprio=1,7"], [], [share(0, 50, BE | 7)]),
        (["--cmdprio_percentage=100", "--cmdprio_class=0", "--cmdprio=3"], [share(0, 100, RT | 3)], None),
        (
            ["--cmdprio_bssplit=64k/100:1024k/0,1024k/0", "--cmdprio_class=1", "--cmdprio=0"],
            [share(65536, 100, RT)],
            [],
        ),
        (
            ["--cmdprio_bssplit=64k/75/3/2:4k/10:64k/25/1/1:8k"],
            [share(4096, 10, RT), share(65536, 75, IDLE | 2), share(65536, 25, RT | 1)],
            None,
        ),
        (["--cmdprio_bssplit=4k/250/9/12"], [share(4096, 100, IDLE | 7)], None),
    ],
)
def test_shares(words: list[str], reads: list[dict[str, int]], writes: list[dict[str, int]] | None) -> None:
    found = plan_of(job(*MIXED, *words)).parameters["priorities"]
    assert (found["reads"], found["writes"], found["whole"]) == (reads, reads if writes is None else writes, False)


def test_a_direction_that_a_job_has_not_is_not_looked_at() -> None:
    words = ("--ioengine=io_uring", "--cmdprio_percentage=20", "--lat_percentiles=1")
    found = plan_of(job("--rw=read", *words)).parameters["priorities"]
    assert (found["reads"], found["writes"], found["whole"]) == ([share(0, 20, RT)], [], True)
    for none in ("--cmdprio_percentage=0", "--cmdprio_class=2", "--cmdprio_bssplit=4k/0"):
        assert "priorities" not in plan_of(job(*MIXED, none)).parameters


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--cmdprio_percentage=20", "--ioengine=psync"], "libaio or io_uring"),
        (["--cmdprio_percentage=20", "--cmdprio_bssplit=4k/10"], "cannot be combined"),
        (["--cmdprio_percentage=101"], "0 to 100"),
        (["--cmdprio_percentage=10", "--cmdprio_class=4"], "0 to 3"),
        (["--cmdprio_percentage=10", "--cmdprio=8"], "0 to 7"),
        (["--cmdprio_percentage=1,2,3"], "two values"),
        (["--cmdprio_bssplit=4k/60:4k/60"], "120 %"),
        (["--cmdprio_bssplit=4k/60/1"], "BYTES/PERCENT/CLASS/LEVEL"),
        (["--cmdprio_bssplit=x/60"], "not a size"),
    ],
)
def test_what_fio_does_not_take_is_refused(words: list[str], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        plan_of(job(*MIXED, *words))


def member(histograms: dict[str, str], *words: str) -> Any:
    found = job(*MIXED, *words)
    outcome = {"histograms": histograms, "operations": {}}
    ended = SimpleNamespace(execution=SimpleNamespace(outcome=outcome))
    return SimpleNamespace(job=found, plan=plan_of(found), ended=ended)


def histogram(*latencies: int) -> str:
    made = HdrHistogram(1, 60_000_000_000, 3)
    for each in latencies:
        made.record_value(each)
    encoded = made.encode()
    return encoded.decode() if isinstance(encoded, bytes) else str(encoded)


def counts(*members: Any, kinds: tuple[str, ...] = ("read",)) -> dict[int, int]:
    return {number: latency.count for number, latency in by_priority(kinds, members)}


def test_latencies_are_those_of_each_priority_over_all_members() -> None:
    some = {
        "read_completion": histogram(1, 2, 3),
        "read_priority_own": histogram(1, 2),
        f"read_priority_{RT}": histogram(3),
        "write_completion": histogram(4),
    }
    first = member(some, "--cmdprio_percentage=30,0", "--prio=7")
    assert counts(first) == {BE | 7: 2, RT: 1}
    assert counts(first, kinds=("write",)) == {}
    # Together, as `unified_rw_reporting` has them; a job with one priority counts as a whole under it.
    assert counts(first, kinds=("read", "write")) == {BE | 7: 3, RT: 1}
    second = member({"read": histogram(9, 9)}, "--prioclass=1", "--prio=0")
    assert counts(first, second) == {BE | 7: 2, RT: 3}
    assert counts(second) == counts(second, second) == {}
    assert counts(member(some, "--cmdprio_percentage=30", "--disable_clat=1")) == {}
    # Where none was drawn there is nothing to tell apart.
    assert counts(member({"read_priority_own": histogram(1)}, "--cmdprio_percentage=1")) == {}
