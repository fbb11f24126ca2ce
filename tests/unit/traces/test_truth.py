"""The advice for loads whose right volume is known is right: by hand, and by trying every volume of the family."""

from __future__ import annotations

import re

import pytest
from tests.unit.traces.exhaustive import cheapest
from tests.unit.traces.loads import load
from tests.unit.traces.truth import CASES, Case

from plimsoll.catalog.shape import VolumeShape
from plimsoll.catalog.volume_type import volume_type
from plimsoll.simulation.slo import parse_slo
from plimsoll.traces.advice.families import Family, Standing, family
from plimsoll.traces.advice.wanted import Wanted
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


def advised(case: Case, period_s: float = 1.0, *, worst: bool = False) -> Family:
    demand = even(load(case.parts, size=case.size, period_s=period_s))
    demands = bursts(demand, None) if worst else (demand,)
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


@pytest.mark.parametrize("period_s", [60.0, 300.0])
@pytest.mark.parametrize("case", SUMMED, ids=lambda case: case.name)
def test_sums_give_a_range_that_contains_the_right_volume(case: Case, period_s: float) -> None:
    low, high = advised(case, period_s), advised(case, period_s, worst=True)
    exact = advised(case)
    assert exact.usd_per_month is not None
    assert low.usd_per_month is not None
    assert low.usd_per_month <= exact.usd_per_month + 1e-9
    assert high.usd_per_month is None or high.usd_per_month >= exact.usd_per_month - 1e-9
