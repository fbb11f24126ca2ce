"""The choice against exhaustive search: of all volumes that are sold, the cheapest that is enough is found."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from plimsoll.catalog import tables
from plimsoll.catalog.instances import instances
from plimsoll.catalog.shape import VolumeShape
from plimsoll.catalog.volume_type import volume_type, volume_types
from plimsoll.simulation import lasting
from plimsoll.simulation.choice import Requirements
from plimsoll.simulation.grid import Axis, Grid, grid
from plimsoll.simulation.job import load
from plimsoll.simulation.search import Need, cheapest, one_cheaper
from plimsoll.simulation.slo import parse_slo
from plimsoll.units import HOUR, MINUTE

FAMILIES = tuple(dict.fromkeys(each.name for each in volume_types()))
LOADS = 12
"""Per family; with all families over two hundred."""
POINTS = {0: 1, 1: 16, 2: 5}
"""Values of an axis in a small grid, by the number of axes."""


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Fewer operations per simulation: search and truth use the same, and there are thousands of them. And a price for
    everything, as users can give them."""
    monkeypatch.setattr(lasting, "FEWEST_OPERATIONS", 10_000)
    rows = ["provider,region,item,usd,as_of"]
    for name, provider, region in (("hyperdisk-balanced", "gcp", "us-central1"), ("premium-ssd-v2", "azure", "eastus")):
        prices = {"storage": 0.08, "iops": 0.005, "throughput": 0.04}
        rows += [f"{provider},{region},{name}.{item},{usd},2026-01" for item, usd in prices.items()]
    for i, tier in enumerate(tables.rows("plimsoll.catalog.providers.azure", "premium_ssd")):
        rows.append(f"azure,eastus,premium-ssd.{tier['tier']},{2**i},2026-01")
    (tmp_path / "prices.csv").write_text("\n".join(rows))
    monkeypatch.setenv("PLIMSOLL_PRICES", str(tmp_path / "prices.csv"))


def small(whole: Grid, draw: random.Random) -> Grid:
    """The same type with a few of the values that are sold: the ends, and others in between and next to each other."""
    axes = []
    for axis in whole.axes:
        top = len(axis.values)
        count = min(POINTS[len(whole.axes)], top)
        reach = draw.choice([count, 10 * count, 300 * count, top])
        places = {0, *draw.sample(range(min(top, max(reach, count))), count - 1)}
        axes.append(Axis(axis.name, [axis.values[i] for i in sorted(places)]))
    if len(axes) == 2:
        # The IOPS that come with a throughput are on sale as well, as in the whole grid.
        shapes = [whole.shape((axes[0].values[0], rate)) for rate in axes[1].values]
        along = {*axes[0].values, *(shape.provisioned_iops or 0 for shape in shapes)}
        axes[0] = Axis(axes[0].name, sorted(along))
    return replace(whole, axes=tuple(axes))


def requirements(name: str, draw: random.Random) -> Iterator[tuple[Requirements, str]]:
    """Loads that some volumes of a grid can take and others can't."""
    for i in range(LOADS):
        block = draw.choice(["4KiB", "16KiB", "64KiB", "256KiB", "1MiB"])
        test = draw.choice(["randread", "randread", "randrw", "randwrite", "seqread"])
        rate = round(10 ** draw.uniform(1.5, 4.2))
        bound = draw.choice(["p99<30ms", "p99<10ms", "p50<5ms", f"iops>={round(rate / 2)}", "throughput>=100MiB/s"])
        depth = draw.choice([1, 8, 32])
        offered = f",rate={rate}/s" if i % 3 else ""
        text = f"{test},block_size={block},depth={depth}{offered}"
        lasts = draw.choice([None, None, 20 * MINUTE, 3 * HOUR])
        yield Requirements(load(text, {}), parse_slo(bound), lasts), f"{name}: {text} {bound} {lasts}"


def exhaustive(sold: Grid, needed: Requirements) -> tuple[int, ...] | None:
    """Every point of the grid, the cheapest first."""
    points = list(itertools.product(*(axis.values for axis in sold.axes)))

    def price(point: Sequence[int]) -> float:
        found = needed.price(sold.shape(point))
        assert found is not None
        return found

    return next((point for point in sorted(points, key=price) if needed.enough(sold.shape(point))), None)


def _machines(name: str, of_aws: list[str]) -> list[str]:
    """A small and a large machine that a type can be attached to; none where no limit of any for it is known."""
    provider = volume_type(name).provider.name
    if provider == "aws":
        return of_aws
    known = [each for each in instances().values() if each.provider == provider and each.limits_for(name) is not None]
    return [each.name for each in (known[-1], known[0])] if known else []


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_nothing_cheaper_of_the_type_is_enough(name: str) -> None:
    draw = random.Random(name)
    answers = set()
    for needed, text in requirements(name, draw):
        options = {"size": f"{draw.choice([1, 40, 200, 500])}GiB"}
        machines = _machines(name, ["m5d.large", "c5d.4xlarge"])
        if machines and (name == "instance-store" or draw.random() < 0.2):
            options["instance"] = draw.choice(machines)
        sold = small(grid(name, options), draw)
        need = Need(lambda shape, needed=needed: needed.too_little(shape) is None, needed.enough, needed.price)
        found, truth = cheapest(sold, need), exhaustive(sold, needed)
        answers.add(truth)
        if found is None or truth is None:
            assert found is truth, text
        else:
            assert needed.price(sold.shape(found)) == pytest.approx(needed.price(sold.shape(truth))), text
    assert len(answers) > 1 or not sold.axes


@pytest.mark.slow
@pytest.mark.parametrize("name", FAMILIES)
def test_one_step_cheaper_is_not_enough_on_the_whole_grid(name: str) -> None:
    draw = random.Random(f"{name} whole")
    for needed, text in requirements(name, draw):
        options = {"size": f"{draw.choice([1, 40, 200, 500])}GiB"}
        if machines := _machines(name, ["m5d.24xlarge"]):
            options["instance"] = machines[0]
        sold = grid(name, options)
        need = Need(lambda shape, needed=needed: needed.too_little(shape) is None, needed.enough, needed.price)
        found = cheapest(sold, need)
        if found is None:
            assert not needed.enough(sold.shape([axis.values[-1] for axis in sold.axes])), text
        elif (less := one_cheaper(sold, found, needed.price)) is not None:
            assert not needed.enough(less), text


@pytest.mark.parametrize("name", ["gp3", "ultra", "premium-ssd-v2", "hyperdisk-balanced"])
def test_where_iops_and_throughput_make_up_for_each_other_the_edge_is_followed(name: str) -> None:
    # No load of one size is like this, but nothing forbids it: enough is a product of both, above a least of each.
    draw = random.Random(f"{name} edge")
    followed = 0
    for _ in range(12):
        sold = small(grid(name, {"size": "100GiB"}), draw)
        (_, operations), (_, rates) = ((axis.name, axis.values) for axis in sold.axes)
        iops, rate = draw.choice(operations), draw.choice(rates)
        goal = (
            iops * rate * sold.kind.provider.throughput_unit_bytes,
            iops / draw.choice([1, 4, 50]),
            rate * sold.kind.provider.throughput_unit_bytes / draw.choice([1, 4, 50]),
        )

        def enough(shape: VolumeShape, goal: tuple[float, float, float] = goal) -> bool:
            own = [math.inf if limit is None else limit.rate for limit in (shape.limits.iops, shape.limits.throughput)]
            return own[0] * own[1] >= goal[0] and own[0] >= goal[1] and own[1] >= goal[2]

        needed = Requirements(load(None, {}), parse_slo("p99<1s"), None)
        found = cheapest(sold, Need(lambda _: True, enough, needed.price))
        points = [point for point in itertools.product(operations, rates) if enough(sold.shape(point))]
        prices = {point: needed.price(sold.shape(point)) or 0.0 for point in points}
        assert found is not None
        assert prices[found[0], found[1]] == pytest.approx(min(prices.values()))
        corner = (min(point[0] for point in points), min(point[1] for point in points))
        followed += corner not in points
    assert followed > 3


def test_there_are_enough_loads() -> None:
    assert len(FAMILIES) * LOADS >= 200
