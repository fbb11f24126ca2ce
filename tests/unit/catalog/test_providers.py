"""What each provider's folder has fits together, and a new folder is a new provider."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest

from plimsoll.catalog import latencies, provider, volume_type
from plimsoll.catalog.shape import options_from, volume_shape
from plimsoll.catalog.volume_type import VolumeType, volume_types
from plimsoll.cli import catalog_lists
from plimsoll.errors import UsageError
from plimsoll.prices import book
from plimsoll.prices.cost import cost
from plimsoll.simulation.grid import grid

NAMES = tuple(dict.fromkeys(each.name for each in volume_types()))


def periods(name: str) -> list[VolumeType]:
    return [each for each in volume_types() if each.name == name]


@pytest.mark.parametrize("name", NAMES)
def test_a_type_has_one_provider_and_periods_that_follow_each_other(name: str) -> None:
    found = periods(name)
    assert len({each.provider.name for each in found}) == 1
    assert all(later.since == earlier.until for later, earlier in pairwise(found))
    assert all(each.since < (each.until or "9999") for each in found)


@pytest.mark.parametrize("name", NAMES)
def test_the_folder_has_what_a_type_names(name: str) -> None:
    for each in periods(name):
        known = latencies.latencies(each.provider.name)
        assert each.source in each.provider.documents
        for latency in {each.latency, *each.latency_of_disks.values()}:
            assert {(latency, "read"), (latency, "write")} <= known.keys()


PROVIDER = """
from plimsoll.catalog.provider import Provider

PROVIDER = Provider(home_region="north", documents={"page26": "Price page, 2026"}, throughput_unit="MB/s")
"""
TYPES = '''
from plimsoll.catalog.limits import Limits, Rate
from plimsoll.catalog.volume_type import Provisioned, VolumeType


class Doubling(VolumeType):
    """Twice the size, in IOPS."""

    is_by_size = True
    burst = "never"

    def formula(self, asked: Provisioned) -> Limits:
        self.refuse_choice(asked, ("iops",), "twice the size")
        return Limits(Rate(round(2 * asked.size_gib)), None)


TYPES = (
    Doubling(
        name="brand-new", title="Brand new", since="2026-01", min_gib=10, max_gib=100, latency="fast", source="page26"
    ),
)
'''
LATENCIES = """\
latency,operation,floor_us,median_us,sigma,tail_share,tail_median_us,tail_sigma,max_us,as_of,basis,source,note
fast,read,1,2,0.3,0,0,0,,2026-01,assumed,page26,
fast,write,1,2,0.3,0,0,0,,2026-01,assumed,page26,
"""
PRICES = """\
region,item,unit,usd,since,until,as_of,source,checked
north,brand-new.storage,GiB-month,0.25,2026-01,,2026-01-31,page26,1
"""
CACHES = (provider.providers, volume_type.volume_types, latencies.latencies, book._own)


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A provider's folder as CONTRIBUTING asks for it, and nothing else."""
    folder = tmp_path / "brandnew"
    files = {"__init__": PROVIDER, "volumes/__init__": "", "volumes/doubling": TYPES}
    tables = {"latencies": LATENCIES, "prices": PRICES}
    (folder / "volumes").mkdir(parents=True)
    (folder / "data").mkdir()
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    for name, text in tables.items():
        (folder / f"data/{name}.csv").write_text(text)
    parent = import_module(provider.PLACE)
    monkeypatch.setattr(parent, "__path__", [*parent.__path__, str(tmp_path)])
    for each in CACHES:
        each.cache_clear()
    yield
    for each in CACHES:
        each.cache_clear()


@pytest.mark.usefixtures("added")
def test_a_new_folder_is_a_new_provider() -> None:
    found = volume_shape(options_from("brand-new,size=40GiB", "volume"), "volume")
    assert found.summary == "brand-new 40 GiB, 80 IOPS"
    assert found.spec["read_latency"]["median_ns"] == 2000
    assert cost(found).volume_per_month == pytest.approx(10)
    assert cost(found).region == "north"
    assert [len(axis.values) for axis in grid("brand-new", {"size": "40GiB"}).axes] == [61]
    with pytest.raises(UsageError, match=r"brand-new takes no iops=9; .* twice the size \(Brand new, .* Price page"):
        volume_shape(options_from("brand-new,size=40GiB,iops=9", "volume"), "volume")


@pytest.mark.usefixtures("added")
def test_lists_have_it() -> None:
    [row] = [row for row in catalog_lists.volumes() if row["volume"] == "brand-new"]
    assert (row["provider"], row["burst"], row["source"]) == ("brandnew", "never", "Price page, 2026")
    assert any(row["item"] == "brand-new.storage" for row in catalog_lists.prices())
