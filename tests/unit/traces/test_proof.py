"""Which interval proves an advice, with which levels, and what is said where nothing can be served."""

from __future__ import annotations

import pytest
from tests.unit.traces.loads import Part, load

from plimsoll.catalog.shape import volume_shape
from plimsoll.errors import UsageError
from plimsoll.simulation.slo import parse_slo
from plimsoll.traces.advice.progress import Progress
from plimsoll.traces.advice.proof.interval import interval
from plimsoll.traces.advice.proof.sentences import proof_row, proved
from plimsoll.traces.advice.proof.shown import Proof
from plimsoll.traces.advice.proof.whole import prove
from plimsoll.traces.advice.whole import Advice, Asked, advise
from plimsoll.traces.demand import even
from plimsoll.traces.series import Series
from plimsoll.units import GIB

BURST = [Part(600, 100), Part(60, 4000), Part(600, 100)]


def gp3(iops: int) -> dict[str, str]:
    return {"type": "gp3", "size": "100GiB", "iops": str(iops)}


def advice(series: Series, slo: str = "p99<100ms", **more: object) -> Advice:
    asked = Asked(slo=slo, size="100GiB", providers=("aws",), **more)  # type: ignore[arg-type]
    return advise(series, asked, Progress(lambda _: None))


def with_proof(found: Advice) -> Advice:
    from dataclasses import replace

    def never(_: object) -> object:
        raise AssertionError("nothing is served in this test")

    return replace(found, proof=prove(found, None, lambda _: None, never))  # type: ignore[arg-type]


def test_the_first_time_at_which_the_cheaper_one_fails() -> None:
    demand, clauses = even(load([*BURST, *BURST])), parse_slo("p99<100ms")
    sides = (volume_shape(gp3(iops), "here") for iops in (4000, 3000))
    found = interval(*sides, demand, clauses, GIB)
    assert found is not None
    # Three seconds of 1,000 too many use up what 3,000 store.
    assert found.from_s <= 603 < found.from_s + found.length_s <= 660
    assert found.bought.judgement.met
    assert not found.cheaper.judgement.met
    assert found.bought.levels == found.cheaper.levels == {"iops": 1.0, "throughput": 1.0}


def test_credits_are_what_the_load_had_left_by_then() -> None:
    # 1,000 a second for an hour take (1,000 - 300) * 3,600 of 5.4 million credits, then 100 a second bring some back.
    series = load([Part(3600, 1000), Part(3600, 100), Part(3600, 3000), Part(86_400, 50)])
    demand, clauses = even(series), parse_slo("p99<100ms")
    sides = (volume_shape({"type": "gp2", "size": f"{gib}GiB"}, "here") for gib in (900, 100))
    found = interval(*sides, demand, clauses, GIB)
    assert found is not None
    left = 5_400_000 - 700 * 3600 + 200 * 3600
    ends_s = 7200 + left / 2700
    assert found.from_s < ends_s < found.from_s + found.length_s
    expected = (ends_s - found.from_s) * 2700 / 5_400_000
    assert found.cheaper.levels["iops_credits"] == pytest.approx(expected, abs=0.002)
    assert 0.9 < found.bought.levels["iops_credits"] < 1.0


def test_volumes_that_both_keep_it_prove_nothing() -> None:
    demand = even(load([Part(100, 100)]))
    sides = (volume_shape(gp3(iops), "here") for iops in (4000, 3000))
    assert interval(*sides, demand, parse_slo("p99<100ms"), GIB) is None


@pytest.mark.slow
def test_monitoring_is_proved_by_simulation_and_that_is_said() -> None:
    found = with_proof(advice(load(BURST)))
    [told] = proved(found)
    assert told.startswith("Proved by simulation: ")
    assert told.endswith("It was not served here: monitoring has sums and no single I/Os, which could be replayed.")
    row = proof_row(found)
    assert row is not None
    assert (row["proved"], row["by"], row["session"]) == (True, "simulation", None)
    assert row["recommended"]["simulated"]["p99<100ms"] < 1e8 < row["cheaper"]["simulated"]["p99<100ms"]


def test_a_cheaper_volume_of_another_family() -> None:
    """The least gp3 is enough, so that it is a family with longer latencies that fails."""
    found = with_proof(advice(load([Part(60, 500)]), "p99<10ms"))
    assert found.best is not None
    assert found.best.name == "gp3"
    assert found.proof is not None
    assert found.proof.cheaper is not None
    assert found.proof.cheaper.type.name in ("standard", "st1", "sc1")
    assert next(proved(found)).startswith("Proved by simulation: ")


def test_nothing_is_cheaper() -> None:
    found = with_proof(advice(load([Part(60, 1)]), "p99<1s"))
    assert isinstance(found.proof, Proof)
    assert found.proof.cheaper is None
    assert next(proved(found)).startswith("There is nothing to prove: no volume that fails costs less than")


@pytest.mark.slow
def test_without_an_answer_there_is_nothing_to_prove() -> None:
    with pytest.raises(UsageError, match="no volume carries this load"):
        with_proof(advice(load([Part(60, 100)]), "p99<1us"))
