"""The words of a simulation and of a comparison, byte for byte; UPDATE_GOLDEN=1 writes them again."""

from __future__ import annotations

from pathlib import Path

from tests.golden.kept import check

from plimsoll.catalog.shape import options_from, volume_shape
from plimsoll.prices.cost import cost
from plimsoll.report import render
from plimsoll.report.simulated import choice_document, simulation_document
from plimsoll.simulation.choice import choose
from plimsoll.simulation.job import load
from plimsoll.simulation.outcome import simulate
from plimsoll.simulation.slo import parse_slo
from plimsoll.units import MINUTE

HERE = Path(__file__).parent


def test_two_volumes_under_one_load() -> None:
    work = load("randread,depth=16", {})
    shapes = [
        volume_shape(options_from(text, "--volume"), "--volume")
        for text in ("gp2,size=100GiB,instance=m5.large", "gp3,size=100GiB")
    ]
    found = [simulate(shape, work, 40 * MINUTE, cost(shape)) for shape in shapes]
    check(HERE / "two.txt", render(simulation_document(found, short=True), "terminal"))


def test_the_cheapest_that_is_enough() -> None:
    work = load("randread,rate=2000/s", {})
    for name, lasts_ns in (("cheapest.txt", None), ("cheapest-for.txt", 30 * MINUTE)):
        found = choose(
            ["gp2", "gp3", "io2", "st1"],
            {"size": "200GiB"},
            work,
            lasts_ns,
            parse_slo("p99<10ms"),
            None,
            lambda _: None,
        )
        check(HERE / name, render(choice_document(found, work.words, "p99<10ms", lasts_ns), "terminal"))
