"""The bill of what was rented, and the facts by which allocations are told apart."""

from __future__ import annotations

from typing import Any

import pytest
from tests.factories import make_study

from plimsoll.model import RENTED, Run, Session
from plimsoll.report import Evidence
from plimsoll.report.document import Number, Table
from plimsoll.report.sections import bill
from plimsoll.stats.sentences import sentence
from plimsoll.units import HOUR

WHERE = "gp3 100 GiB, 3,000 IOPS, 125 MiB/s, on m7i.large"
_PLACES = {
    "a": "aws:type=gp3,size=100GiB,instance=m7i.large,fs=xfs",
    "b": "aws:type=gp2,size=100GiB,instance=m7i.large",
}


def rented(hours: list[float], *, over: bool = True, requests: bool = False) -> Evidence:
    """One session for each rental of so many hours."""
    sessions: list[Session] = []
    every: list[Run] = []
    for number, length in enumerate(hours):
        session, runs = make_study(seed=number, ratios={"b": 0.8}, blocks=4)
        prices: list[dict[str, Any]] = [{"what": "m1: m7i.large", "usd_per_hour": 0.1, "as_of": "2026-07-20"}]
        if requests:
            magnetic = {
                "what": "a: I/O requests, 1,960 per second at most",
                "requests_of": "a",
                "usd_per_million": 0.05,
            }
            prices.append({**magnetic, "usd_per_hour": 0.35, "as_of": "2024-07"})
        facts = {"id": f"{number:08x}", "begun_ns": session.started_ns, "prices": prices}
        if over:
            facts["ended_ns"] = session.started_ns + round(length * HOUR)
        host = {**session.host, bill.FACT: facts}
        started = {"host": host, "started_ns": session.started_ns + number * 10**13}
        sessions.append(session.model_copy(update=started))
        every += [_rented(run, number) for run in runs]
    return Evidence(sessions, every, "a", 0.1)


def _rented(run: Run, number: int) -> Run:
    name = run.target.name
    about = {
        "rental": f"{number:08x}",
        "machine": f"i-{number}",
        "zone": f"us-east-1{'abc'[number]}",
        "volumes": [name],
    }
    target = {"kind": RENTED, "where": _PLACES[name], "facts": {RENTED: about}}
    return run.model_copy(update={"target": run.target.model_copy(update=target)})


def _rows(found: Evidence) -> dict[str, tuple[float, float]]:
    """Amount and USD by what it is."""
    table = bill.build(found)[0]
    assert isinstance(table, Table)
    rows = {}
    for what, amount, _, _, usd in table.rows:
        assert what is not None
        assert isinstance(amount, Number)
        assert isinstance(usd, Number)
        rows[what.text] = (amount.value, usd.value)
    return rows


def test_hours_of_all_rentals_are_added_up() -> None:
    assert _rows(rented([1.0, 0.5])) == {"m1: m7i.large": (pytest.approx(1.5), pytest.approx(0.15))}


def test_less_than_a_minute_is_billed_as_one() -> None:
    assert _rows(rented([0.001]))["m1: m7i.large"][0] == pytest.approx(1 / 60)


def test_requests_are_those_that_were_counted_and_not_the_most_that_could_be() -> None:
    found = rented([1.0], requests=True)
    done = sum(
        each.operations[kind].operations for run in found.runs if run.target.name == "a" for each in run.intervals
        for kind in each.operations
    )  # fmt: skip
    amount, usd = _rows(found)["a: I/O requests"]
    assert amount == pytest.approx(done / 1e6)
    assert usd == pytest.approx(done / 1e6 * 0.05)


def test_sessions_that_rented_nothing_have_no_bill() -> None:
    session, runs = make_study()
    assert bill.build(Evidence([session], runs, "a", 0.1)) == []


@pytest.mark.parametrize("facts", [{}, {"begun_ns": "x"}, [], {"begun_ns": 1, "prices": [{"usd_per_hour": "y"}, 3]}])
def test_facts_of_a_foreign_file_may_be_anything(facts: Any) -> None:
    session, runs = make_study()
    odd = session.model_copy(update={"host": {**session.host, bill.FACT: facts}})
    bill.build(Evidence([odd], runs, "a", 0.1))


def test_each_rental_is_an_allocation_of_its_own() -> None:
    (product, *_) = rented([1.0, 1.0, 1.0]).products
    assert len(product.allocations) == 3
    assert sentence(product.cell).startswith("b is 1.2")
