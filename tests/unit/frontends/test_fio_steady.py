"""fio's steady state: what is sampled, in which units, and when it is enough."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.frontends.test_fio_words import job

from plimsoll.frontends.fio.steady import Steady, criterion
from plimsoll.units import SECOND


def steady(*words: str, rates: list[int]) -> Steady:
    """After seconds with so many operations of 4 KiB each."""
    found = criterion(job(*words, "--ss_dur=3").words)
    assert found is not None
    operations = 0
    for second, rate in enumerate(rates, 1):
        operations += rate
        done = {"operations": operations, "bytes": operations * 4096}
        progress: dict[str, Any] = {"so_far": {"elapsed_ns": second * SECOND, "operations": {"read": done}}}
        found.see(progress)
    return found


def test_bandwidth_is_in_bytes_per_second() -> None:
    """As in fio 3.33, whose limits have suffixes."""
    found = steady("--ss=bw:100k", rates=[100, 110, 120])
    assert found.limit == 100 * 1024
    assert found.means == (110, 110 * 4096)
    assert found.criterion == 10 * 4096
    assert found.enough()
    assert not steady("--ss=bw:40k", rates=[100, 110, 120]).enough()


def test_a_slope_has_a_sign() -> None:
    found = steady("--ss=iops_slope:11", rates=[120, 110, 100])
    assert (found.slope, found.criterion, found.enough()) == (-10, -10, True)
    assert not steady("--ss=iops_slope:9", rates=[120, 110, 100]).enough()
    assert steady("--ss=bw_slope:10%", rates=[120, 110, 100]).criterion == pytest.approx(-100 / 11)


def test_the_window_rolls_and_the_ramp_is_left_out() -> None:
    rates = [900, 800, 100, 100]
    assert not steady("--ss=iops:1%", "--ss_ramp=1", rates=rates).enough()
    assert steady("--ss=iops:1%", "--ss_ramp=1", rates=[*rates, 100]).enough()
    assert steady("--ss=iops:1%", rates=[*rates, 100]).enough()
    assert (steady("--ss=iops:1%", rates=[]).criterion, steady("--ss=iops:1%", rates=[]).enough()) == (0, False)


def test_jobs_reported_together_are_judged_together() -> None:
    found = steady("--ss=iops:1%", rates=[])
    found.members = 2
    for second in range(1, 4):
        for number, rate in ((1, 100 - 10 * second), (2, 100 + 10 * second)):
            # Each job's count so far: 90, 170, 240 and 110, 230, 360.
            total = 100 * second - (1 if rate < 100 else -1) * 10 * second * (second + 1) // 2
            counts = {"operations": total, "bytes": total * 4096}
            found.see({"so_far": {"elapsed_ns": second * SECOND, "operations": {"read": counts}}}, number)
            assert len(found.samples) == second - (number == 1)
    assert found.samples == [(200, 200 * 4096)] * 3
    assert found.enough()
