"""The volumes of 2013 are what the fit finds, and no longer the other way round than in the article."""

from __future__ import annotations

import math

import pytest
from benches import fit_2013

from plimsoll.catalog.shape import VolumeShape, options_from, volume_shape
from plimsoll.prices.cost import cost
from plimsoll.simulation.job import load
from plimsoll.simulation.outcome import simulate
from plimsoll.units import MILLISECOND, MINUTE

STANDARD, PIOPS = "standard,size=30GiB", "io1,size=100GiB,iops=1000"


def shape(text: str) -> VolumeShape:
    return volume_shape(options_from(f"{text},era=2013,instance=m1.small", "--volume"), "--volume")


def rate(volume: str, job: str) -> float:
    made = shape(volume)
    return simulate(made, load(job, {}), MINUTE, cost(made)).sustained.operations


def mean_ns(volume: VolumeShape) -> float:
    latency = volume.spec["write_latency"]
    return float(latency["median_ns"]) * math.exp(latency["sigma"] ** 2 / 2)


def test_the_catalog_has_the_values_of_the_fit() -> None:
    units = (64, 16)
    values = fit_2013.fitted(*units, rounds=12)
    standard, piops = shape(STANDARD), shape(PIOPS)
    assert (piops.type.unit_kib, standard.type.unit_kib) == units
    assert standard.limits.iops is not None
    assert standard.limits.iops.rate == pytest.approx(values["standard_iops"], rel=0.02)
    assert standard.limits.iops.baseline is None
    assert mean_ns(standard) == pytest.approx(values["standard_write_s"] * 1e3 * MILLISECOND, rel=0.03)
    assert mean_ns(piops) == pytest.approx(values["piops_write_s"] * 1e3 * MILLISECOND, rel=0.03)
    count = len(fit_2013.FIGURES) * len(fit_2013.VOLUMES) - len(fit_2013.UNEXPLAINED)
    assert math.sqrt(fit_2013.misfit(values, *units) / count) < 0.11


@pytest.mark.parametrize("units", [(16, 16), (256, 16), (64, 256), (64, 4)])
def test_other_units_fit_worse(units: tuple[float, float]) -> None:
    best = fit_2013.misfit(fit_2013.fitted(64, 16, rounds=4), 64, 16)
    assert fit_2013.misfit(fit_2013.fitted(*units, rounds=4), *units) > 1.2 * best


def test_standard_beats_1000_iops_where_many_are_under_way_and_loses_where_writes_wait() -> None:
    many = "randwrite,depth=32,block_size=4KiB"
    assert 0.3 < rate(PIOPS, many) / rate(STANDARD, many) < 0.9, "the article has 0.34 and 0.84"
    one = "randwrite,depth=1,block_size=4KiB"
    assert rate(PIOPS, one) / rate(STANDARD, one) == pytest.approx(156.35 / 75.76, rel=0.15)
    large = "seqwrite,depth=32,block_size=1MiB"
    assert rate(PIOPS, large) / rate(STANDARD, large) == pytest.approx(33.66 / 33.73, rel=0.2)
    old = volume_shape(options_from(f"{STANDARD},era=2009", "--volume"), "--volume")
    assert old.limits.iops is not None
    assert old.limits.iops.baseline == 100, "2009 is not what was measured in 2013"
