"""The advice for loads whose right volume is known is right: by hand, and by trying every volume of the family."""

from __future__ import annotations

import re

import pytest
from tests.unit.traces.exhaustive import cheapest
from tests.unit.traces.loads import Part, load
from tests.unit.traces.truth import CASES, Case, Censored

from plimsoll.catalog.shape import VolumeShape
from plimsoll.catalog.volume_type import volume_type
from plimsoll.simulation.slo import parse_slo
from plimsoll.traces.advice.families import Family, Standing, family
from plimsoll.traces.advice.progress import Progress
from plimsoll.traces.advice.sentences import answer
from plimsoll.traces.advice.wanted import Wanted
from plimsoll.traces.advice.whole import Asked, advise
from plimsoll.traces.demand import bursts, even
from plimsoll.units import GIB


def words(shape: VolumeShape | None) -> str | None:
    """As the table has it."""
    if shape is None:
        return None
    parts = [f"{shape.size_gib:.0f} GiB"]
    if shape.provisioned_iops is not None:
        parts.append(f"{shape.provisioned_iops} IOPS")
    if shape.provisioned_throughput is not None:
        parts.append(f"{shape.provisioned_throughput:.0f} MiB/s")
    return ", ".join(parts)


def advised(case: Case, period_s: float = 1.0, *, worst: bool = False, seen_on: VolumeShape | None = None) -> Family:
    demand = even(load(case.parts, size=case.size, period_s=period_s))
    demands = bursts(demand, seen_on) if worst else (demand,)
    wanted = Wanted(demands, parse_slo(case.slo), case.gib * GIB)
    return family(volume_type(case.family), wanted, {})


def right(found: Family) -> str | None:
    return words(found.shape) if found.standing is Standing.CARRIES else None


def is_right(found: str | None, case: Case) -> bool:
    """The same volume, or IOPS as near as the case says."""
    if found is None or case.right is None or not case.within:
        return found == case.right
    iops, wanted = (float(re.search(r"(\d+) IOPS", each)[1]) for each in (found, case.right))  # type: ignore[index]
    same = found.replace(f"{iops:.0f}", "") == case.right.replace(f"{wanted:.0f}", "")
    return same and abs(iops / wanted - 1) <= case.within


def test_there_are_forty_of_different_names() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 40


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_by_hand(case: Case) -> None:
    found = right(advised(case))
    assert is_right(found, case), f"{found} instead of {case.right}: {case.because}"


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_by_trying_every_volume(case: Case) -> None:
    percent = float(re.match(r"p([\d.]+)", case.slo)[1])  # type: ignore[index]
    own = 0.006 if "100ms" in case.slo else 0.001
    limit = float(re.search(r"<(\d+)ms", case.slo)[1]) / 1000  # type: ignore[index]
    found = cheapest(
        case.family,
        case.parts,
        gib=case.gib,
        size=case.size,
        allowed=1 - percent / 100,
        slack_s=limit - own,
    )
    best = found.words if found else None
    assert is_right(best, case), f"{best} instead of {case.right}: {case.because}"


SUMMED = [case for case in CASES if sum(part.seconds for part in case.parts) >= 600]
"""Long enough for sums over five minutes."""


@pytest.mark.slow
@pytest.mark.parametrize("period_s", [60.0, 300.0])
@pytest.mark.parametrize("case", SUMMED, ids=lambda case: case.name)
def test_sums_give_a_range_that_contains_the_right_volume(case: Case, period_s: float) -> None:
    low, high, exact = advised(case, period_s), advised(case, period_s, worst=True), advised(case)
    assert is_right(right(exact), case)
    assert low.standing is Standing.CARRIES
    assert low.usd_per_month <= exact.usd_per_month + 1e-9  # type: ignore[operator]
    # A minute's I/Os within a second are more than any of these carries.
    assert high.standing is Standing.FAILS
    assert "I/Os would wait for its" in high.why or "held back by its" in high.why


@pytest.mark.slow
@pytest.mark.parametrize("period_s", [60.0, 300.0])
@pytest.mark.parametrize("case", SUMMED, ids=lambda case: case.name)
def test_what_the_load_was_seen_on_bounds_the_range(case: Case, period_s: float) -> None:
    low, exact = advised(case, period_s), advised(case)
    high = advised(case, period_s, worst=True, seen_on=exact.shape)
    assert (low.standing, high.standing) == (Standing.CARRIES, Standing.CARRIES)
    assert low.usd_per_month <= exact.usd_per_month + 1e-9  # type: ignore[operator]
    assert high.usd_per_month >= exact.usd_per_month - 1e-9  # type: ignore[operator]


CENSORED = [
    # Twice as much was asked for in a minute as the device did, and then nothing until it had caught up.
    Censored("a gp2 of 500 GiB, credits used up", 500, 1500, (Part(60, 400), Part(60, 3100), Part(124, 300))),
    Censored("a gp3 as it is sold", 500, 3000, (Part(60, 700), Part(60, 5000), Part(60, 600))),
]


@pytest.mark.slow
@pytest.mark.parametrize("case", CENSORED, ids=lambda case: case.name)
def test_a_saturated_device_gives_a_lower_bound_and_the_first_sentence_says_so(case: Censored) -> None:
    asked = Asked(size=f"{case.gib}GiB", providers=("aws",))
    true, found = (advise(each, asked, Progress(lambda _: None)) for each in (load(case.parts), case.seen()))
    assert (true.hidden, next(answer(true))[:10]) == (None, "Buy gp3 50")
    first = next(answer(found))
    assert first.startswith("Buy at least gp3 ")
    assert f"this is a lower bound, because the device was saturated in {case.share_words} of the time" in first
    assert found.best is not None
    assert true.best is not None
    assert found.best.usd_per_month < true.best.usd_per_month  # type: ignore[operator]
