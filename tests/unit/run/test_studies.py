"""The studies that come with Plimsoll can be planned, in full and quick, and say what they stand for."""

from __future__ import annotations

import pytest

from plimsoll.catalog.targets import shape_of
from plimsoll.errors import UnknownName, UsageError
from plimsoll.prices.cost import cost
from plimsoll.profile import profiles, suites
from plimsoll.run.load_study import load_study_from, published_load_study
from plimsoll.run.plan import estimate, steps
from plimsoll.run.studies import published, studies
from plimsoll.run.study import from_table
from plimsoll.units import MINUTE

NAMES = sorted(studies())


def test_the_published_experiments_are_there() -> None:
    assert NAMES == ["commit-2008", "gp2-vs-instance-store-2020", "piops-2013", "raid-fs-2009", "rds-piops-2013"]
    assert not set(NAMES) & {*profiles(), *suites()}


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_every_study_can_be_planned(name: str, quick: bool) -> None:
    study = published(name, quick=quick)
    planned = steps(study)
    assert planned
    again = from_table(study.to_table(), "again")
    assert again == study
    if quick:
        assert estimate(study, planned).most_ns < 10 * MINUTE


@pytest.mark.parametrize("name", NAMES)
def test_every_volume_of_a_study_has_its_price_of_the_time(name: str) -> None:
    shapes = [shape_of(target) for target in published(name).targets]
    assert all(shapes)
    year = name.rsplit("-", 1)[-1]
    for shape in shapes:
        assert shape is not None
        assert shape.era == year
        found = cost(shape)
        assert found.complete
        assert found.as_of


@pytest.mark.parametrize("name", NAMES)
def test_every_study_says_what_it_asks_and_how_to_read_it(name: str) -> None:
    found = studies()[name]
    assert found.question.endswith("?")
    assert "article" in found.source
    assert len(found.reading) > 100


def test_a_study_can_be_a_search_for_the_load_line() -> None:
    name = "rds-piops-2013"
    full, quick = studies()[name].request(), studies()[name].request(quick=True)
    assert full is not None
    assert quick is not None
    assert (full.parameter, full.bounds.text, quick.bounds.text) == ("clients", "1..256", "1..48")
    made = published_load_study(name, published(name, quick=True), {}, None, None, quick=True)
    assert load_study_from(made.to_table(), "again") == made
    assert [step.plans["iops1000"].parameters["clients"] for step in (made.step(1), made.step(8))] == [1, 8]
    narrower = published_load_study(name, published(name), {"clients": "1..4"}, "p99<5ms", None, quick=False)
    assert narrower.request.bounds.text == "1..4"
    assert narrower.request.objective is not None
    assert narrower.request.objective.text == "p99<5ms"
    with pytest.raises(UsageError, match="piops-2013 is not a load line; `plimsoll run piops-2013` carries it out"):
        published_load_study("piops-2013", published("piops-2013"), {}, None, None, quick=False)


def test_volumes_of_an_m1_small_share_its_network() -> None:
    for name in ("piops-2013", "raid-fs-2009"):
        for target in published(name).targets:
            shape = shape_of(target)
            assert shape is not None
            assert shape.spec["instance"] == {"throughput": {"rate": 37_500_000}}, target.name


def test_quick_sizes_change_what_the_file_says() -> None:
    quick = published("gp2-vs-instance-store-2020", quick=True)
    gp2 = next(target for target in quick.targets if target.name == "gp2")
    shape = shape_of(gp2)
    assert shape is not None
    assert shape.time_scale > 1
    assert quick.title.endswith("quick sizes")


def test_an_unknown_study_suggests_the_nearest() -> None:
    with pytest.raises(UnknownName, match="commit-2008"):
        published("commit-2009")
