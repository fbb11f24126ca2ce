"""Verdicts on products: the allocation is the unit, whatever the number of blocks."""

from __future__ import annotations

import math
import random

import pytest
from tests.factories import make_study

from plimsoll.model import Run, Session
from plimsoll.report import Evidence
from plimsoll.report.allocations import allocations
from plimsoll.stats.sentences import sentence
from plimsoll.stats.verdict import Answer, judge


def sessions(
    ratios: list[float],
    *,
    hosts: list[str] | None = None,
    blocks: int = 4,
    shared: tuple[str, ...] = (),
    machine: str = "",
) -> tuple[list[Session], list[Run]]:
    """Sessions of two products, each with this ratio of the second to the first, on places of their own.

    `shared` targets lie on one device in all of them; with `machine`, all ran there.
    """
    found, every = [], []
    for k, ratio in enumerate(ratios):
        session, runs = make_study(
            seed=k + 1, targets=("gp3", "io2"), cases=("randread",), blocks=blocks, ratios={("io2", "randread"): ratio}
        )
        host = hosts[k] if hosts else f"host-{k}"
        at = {"host": {**session.host, "hostname": machine or host}, "started_ns": session.started_ns + k * 10**12}
        found.append(session.model_copy(update=at))
        for run in runs:
            key = f"{run.target.name}-{0 if run.target.name in shared else host}"
            facts = {**run.target.facts, "devices": [{"name": "nvme0n1", "key": key}]}
            every.append(run.model_copy(update={"target": run.target.model_copy(update={"facts": facts})}))
    return found, every


def judged(ratios: list[float], **about: object) -> Evidence:
    return Evidence(*sessions(ratios, **about), "gp3", 0.1)  # type: ignore[arg-type]


def test_the_verdict_is_that_of_one_ratio_per_allocation() -> None:
    found = judged([0.78, 0.83, 0.80, 0.75, 0.82], blocks=6)
    (product,) = (each for each in found.products if each.cell.metric == "iops")
    means = [each.difference for each in product.allocations]
    assert len(means) == 5
    assert [each.blocks for each in product.allocations] == [6] * 5
    assert product.cell.verdict.estimate == pytest.approx(judge(means).estimate)
    assert product.cell.verdict.answer is Answer.WORSE
    assert sentence(product.cell).startswith("io2 is 1.2")
    assert sentence(product.cell).endswith(", 5 fresh allocations of each")


def test_allocations_that_differ_leave_open_what_blocks_would_decide() -> None:
    """Each session is sure of its own places; together they say nothing of the products."""
    ratios = [0.7, 1.35, 0.8, 1.25]
    each = [judged([ratio], blocks=12).cells[0].verdict.answer for ratio in ratios]
    assert each == [Answer.WORSE, Answer.BETTER, Answer.WORSE, Answer.BETTER]
    (product,) = (found for found in judged(ratios, blocks=12).products if found.cell.metric == "iops")
    assert product.cell.verdict.answer is Answer.UNKNOWN
    assert "over 4 fresh allocations of each; " in sentence(product.cell)
    assert product.spread is not None
    assert product.spread.low > 0.1


def test_the_spread_is_that_of_the_allocations_without_the_noise_of_each() -> None:
    rng = random.Random(3)
    true = 0.08
    found = judged([math.exp(rng.gauss(0, true)) for _ in range(20)], blocks=6)
    (product,) = (each for each in found.products if each.cell.metric == "iops")
    assert product.spread is not None
    assert product.spread.within is not None
    assert product.spread.low < true < product.spread.high
    assert product.spread.low < product.spread.between < product.spread.high
    (alike,) = (each for each in judged([1.0] * 8, blocks=6).products if each.cell.metric == "iops")
    assert alike.spread is not None
    assert alike.spread.between < 0.02


def test_where_the_next_allocation_lies_is_wider_than_where_the_mean_lies() -> None:
    (product,) = (each for each in judged([0.78, 0.83, 0.80, 0.75]).products if each.cell.metric == "iops")
    low, high = product.next_ratio or (math.nan, math.nan)
    assert low < min(0.78, 0.75)
    assert high > 0.83
    assert product.cell.verdict.ratio is not None
    assert low < product.cell.verdict.ratio < high


@pytest.mark.parametrize(
    ("about", "count"),
    [
        ({"hosts": ["a", "a", "b"]}, 2),
        ({"hosts": ["a", "a", "a"]}, 0),
        ({"shared": ("gp3",), "machine": "a"}, 0),
        ({}, 3),
    ],
)
def test_sessions_that_shared_a_place_are_one_allocation(about: dict[str, object], count: int) -> None:
    found = judged([0.8, 0.8, 0.8], **about).products
    assert {len(each.allocations) for each in found} == ({count} if count else set())


def test_a_chain_of_shared_places_is_one_allocation() -> None:
    """The first and the last have nothing in common but what the one between them had of both."""
    known, runs = sessions([1.0, 1.0, 1.0])
    shared = {known[0].id: "x", known[1].id: "x"}

    def at(run: Run, key: str) -> Run:
        facts = {**run.target.facts, "devices": [{"name": "nvme0n1", "key": key}]}
        return run.model_copy(update={"target": run.target.model_copy(update={"facts": facts})})

    hosts = [session.model_copy(update={"host": {"hostname": "one"}}) for session in known]
    moved = [
        at(run, shared.get(run.session_id, f"{run.session_id} {run.target.name}"))
        if run.target.name == "gp3"
        else at(run, "y" if run.session_id in (known[1].id, known[2].id) else "z")
        for run in runs
    ]
    assert len(set(allocations(hosts, moved, {}).values())) == 1


def test_two_allocations_are_a_preview() -> None:
    (product,) = (each for each in judged([0.8, 0.8]).products if each.cell.metric == "iops")
    assert sentence(product.cell).startswith("preview, no verdict: ")
    assert sentence(product.cell).endswith("over 2 fresh allocations of each; a verdict on products needs 3")
    assert (product.spread, product.next_ratio) == (None, None)
