"""From sums per period to what is asked of a volume."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.unit.traces.loads import Part, load

from plimsoll.traces.demand import Demand, bursts, cut, even
from plimsoll.units import MIB


def _bytes_per_s(demand: Demand) -> float:
    moved = (demand.reads * demand.read_bytes + demand.writes * demand.write_bytes).sum()
    return float(moved) / demand.duration_s


@pytest.mark.parametrize(("per_second", "size"), [(50, 4 * MIB), (100, 5 * MIB // 4), (100, MIB), (1000, 16_384)])
@pytest.mark.parametrize("read_share", [0.0, 0.5, 1.0])
def test_every_byte_is_asked_for(per_second: int, size: int, read_share: float) -> None:
    series = load((Part(60, per_second),), size=size, read_share=read_share)
    demand = even(series)
    assert _bytes_per_s(demand) == pytest.approx(per_second * size, rel=0.001)
    assert demand.largest_bytes <= MIB
    assert demand.operations == pytest.approx(60 * per_second * max(1.0, size / MIB), rel=0.01)
    for each in bursts(demand, None):
        assert _bytes_per_s(each) == pytest.approx(per_second * size, rel=0.001)


def test_large_ios_are_said_to_be_several() -> None:
    said = cut(load((Part(60, 50),), size=4 * MIB))
    assert said is not None
    assert "I/Os larger than 1 MiB on average are taken as several of 1 MiB" in said
    assert "9,000 more than were counted" in said
    assert cut(load((Part(60, 50),), size=MIB)) is None


def test_bytes_without_an_io_are_asked_for() -> None:
    series = load((Part(10, 10),), size=MIB)
    moved = replace(series, reads=np.where(np.arange(10) == 3, 0.0, series.reads))
    assert _bytes_per_s(even(moved)) == pytest.approx(10 * MIB)


def test_as_many_are_in_flight_as_large_ios_become() -> None:
    parts, latency_s = (Part(60, 50),), (0.02,)
    assert even(load(parts, size=MIB, latency_s=latency_s)).depth == 1
    assert even(load(parts, size=4 * MIB, latency_s=latency_s)).depth == 4
