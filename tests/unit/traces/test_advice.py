"""What an advice is judged for: the worst of the range, with headroom and size, at the price of what was observed."""

from __future__ import annotations

import pytest
from tests.unit.traces.loads import Part, load

from plimsoll.catalog.volume_type import volume_type
from plimsoll.report.document import Table, cell_text
from plimsoll.simulation.slo import parse_slo
from plimsoll.traces.advice import growth, headroom
from plimsoll.traces.advice.document import advice_document
from plimsoll.traces.advice.families import SMALL, Standing, family
from plimsoll.traces.advice.machines import machines
from plimsoll.traces.advice.progress import Progress
from plimsoll.traces.advice.wanted import Wanted
from plimsoll.traces.advice.whole import Advice, Asked, advise
from plimsoll.traces.demand import even
from plimsoll.traces.series import Series
from plimsoll.units import GIB


def _advice(series: Series, asked: Asked) -> Advice:
    return advise(series, asked, Progress(lambda _: None))


def test_a_bound_on_the_mean_is_kept_by_large_loads_as_by_small_ones() -> None:
    # In two minutes of every turn 9,000 are asked for; on 3,000 IOPS all of them wait for minutes.
    burst = (Part(100, 200), Part(120, 9000), Part(400, 200))
    small, large = even(load(burst, size=4096)), even(load((*burst, Part(3000, 200)), size=4096))
    assert small.operations <= SMALL < large.operations
    found = [
        family(volume_type("gp3"), Wanted((each,), parse_slo("mean<5ms"), 500 * GIB), {}) for each in (small, large)
    ]
    assert [each.standing for each in found] == [Standing.CARRIES, Standing.CARRIES]
    iops = [each.shape.provisioned_iops for each in found if each.shape]
    assert iops[0] == pytest.approx(iops[1], rel=0.01)
    assert iops[0] > 8000


def test_requests_are_charged_as_they_were_observed() -> None:
    series = load((Part(60, 30),), size=4096)
    plain, more = (
        _advice(series, Asked(slo="p50<1s", size="100GiB", providers=("aws",), headroom=share)) for share in (0.0, 0.5)
    )
    prices = [next(each.usd_per_month for each in advice.even if each.name == "standard") for advice in (plain, more)]
    assert prices[0] == prices[1]


def test_growth_is_that_of_the_worst_bursts() -> None:
    series = load((Part(600, 1),), period_s=300, size=4096)
    found = _advice(series, Asked(size="100GiB", providers=("aws",)))
    # Two bursts of 300 meet: in their 2 s, 6,000 and the 3,000 of a stored second are let through.
    assert found.breaks_in_bursts
    assert found.breaks is not None
    assert found.breaks.factor == pytest.approx(9000 / 600, rel=0.02)


def test_the_curve_carries_up_to_where_the_volume_breaks_and_not_beyond() -> None:
    for series in (load((Part(60, 2900),)), load((Part(50, 200), Part(10, 2500), Part(60, 200)), size=4096)):
        found = _advice(series, Asked(size="500GiB", providers=("aws",)))
        assert found.breaks is not None
        assert found.breaks.factor is not None
        grown = [each.factor for each in found.stages]
        assert grown == sorted(grown)
        assert (grown[0], found.stages[0].iops) == (1.0, pytest.approx(found.demand.rate))
        for each in found.stages:
            assert bool(each.why_not) == (each.factor >= found.breaks.factor), each.factor
            assert each.why_not or each.turn is not None
        waiting = [each.waiting for each in found.stages]
        assert waiting == sorted(waiting)
        assert waiting[-1] > 0


def test_a_load_of_too_many_operations_is_judged_by_limits_along_its_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "BUDGET", 0)
    monkeypatch.setattr(headroom, "BUDGET", 0)
    found = _advice(load((Part(60, 2900),)), Asked(size="500GiB", providers=("aws",)))
    assert {each.turn for each in found.stages} == {None}
    assert {bool(each.why_not) for each in found.stages} == {True, False}
    table, _ = next(each.blocks for each in advice_document(found).sections if each.title == "As the load grows")
    assert isinstance(table, Table)
    assert {cell_text(row[-1]).partition(":")[0] for row in table.rows} == {"its limits allow it", "no"}


def test_todays_volume_is_judged_with_headroom_and_size() -> None:
    series = load((Part(60, 2900),))
    current = "type=gp2,size=1000GiB"
    words = [Asked(current=current), Asked(current=current, headroom=0.3), Asked(current=current, size="1001GiB")]
    assert [_advice(series, each).today.carries for each in words] == [True, False, False]  # type: ignore[union-attr]


def test_machines_are_judged_by_what_they_give_to_the_type_and_priced_where_they_are_sold() -> None:
    demand = even(load((Part(10, 60_000),), size=4096))
    found = {
        name: machines(volume_type(name), Wanted((demand,), parse_slo("p99<1s"), 1024 * GIB, "us-central1"), None)
        for name in ("gp3", "premium-ssd", "ultra")
    }
    assert all(found.values())
    told = {name: (each.known, each.untold) for name, each in found.items() if each}
    assert told["premium-ssd"][0] == sum(told["ultra"])
    assert told["ultra"][1] > 0
    assert found["gp3"].cheapest is not None  # type: ignore[union-attr]


def test_more_in_flight_than_a_simulation_follows_is_no_error() -> None:
    series = load((Part(60, 3000),), latency_s=(40.0,))
    assert _advice(series, Asked(size="500GiB", providers=("aws",))).demand.depth == 120_000
