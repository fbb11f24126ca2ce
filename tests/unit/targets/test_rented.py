"""Targets that are rented: how they are written, and what a study keeps of them."""

from __future__ import annotations

import pytest

from plimsoll.catalog.targets import shape_of
from plimsoll.errors import UnknownName, UsageError
from plimsoll.run.renting import Renting, read_usd, renting_of
from plimsoll.run.study import from_table, from_words
from plimsoll.targets.parse import parse_target
from plimsoll.targets.rented import rented_options


@pytest.mark.parametrize(
    ("text", "name", "where", "options"),
    [
        ("a=aws:gp3,size=500GiB", "a", "aws:type=gp3,size=500GiB", {}),
        ("aws:gp3,size=1GiB,depth=4", "gp3", "aws:type=gp3,size=1GiB", {"depth": "4"}),
        ("aws:type=io2,size=1GiB,iops=200", "io2", "aws:type=io2,size=1GiB,iops=200", {}),
        ("aws:gp2,size=1GiB,mount=a,b,spot=yes", "gp2", "aws:type=gp2,size=1GiB,mount=a+b,spot=yes", {}),
    ],
)
def test_forms(text: str, name: str, where: str, options: dict[str, str]) -> None:
    found = parse_target(text)
    assert (found.name, found.kind, found.where, found.options) == (name, "rented", where, options)
    again = parse_target(f"{name}={found.where}")
    assert again.where == found.where


def test_a_path_that_looks_like_one_is_written_with_its_folder() -> None:
    assert parse_target("x=./aws:gp3").kind == "directory"


def test_a_rented_volume_has_the_shape_of_the_catalog() -> None:
    shape = shape_of(parse_target("aws:gp3,size=500GiB,iops=6000,throughput=250,fs=xfs,mount=noatime+discard"))
    assert shape is not None
    assert shape.one == "gp3 500 GiB, 6,000 IOPS, 250 MiB/s"


@pytest.mark.parametrize("option", ["credits=0", "seed=3", "levels=iops:0%", "era=2013", "time_scale=10"])
def test_what_only_a_model_can_be_told_is_refused(option: str) -> None:
    with pytest.raises(UsageError, match="emulated"):
        rented_options(parse_target(f"aws:gp2,{option},size=1GiB"))


def test_a_study_keeps_how_its_targets_are_rented() -> None:
    rent = renting_of({"instance": "m7i.large", "budget": "5USD", "lease": "2h", "allocations": 3, "spot": True})
    study = from_words(["randread"], ["aws:gp3,size=1GiB"], rent=rent, seed=1)
    again = from_table(study.to_table(), "again")
    assert again == study
    assert again.rent.budget_usd == 5


@pytest.mark.parametrize(("text", "usd"), [("5USD", 5), ("$0.50", 0.5), ("2.5", 2.5), ("3 usd", 3)])
def test_amounts(text: str, usd: float) -> None:
    assert read_usd(text) == usd


@pytest.mark.parametrize("text", ["5EUR", "", "-1", "many", "1e9999"])
def test_no_amounts(text: str) -> None:
    with pytest.raises(UsageError, match="5USD"):
        read_usd(text)


@pytest.mark.parametrize(
    "table",
    [{"allocations": 0}, {"allocations": 21}, {"budget": "0USD"}, {"lease": "0s"}, {"spot": "yes"}, {"zone": 3}],
)
def test_what_cannot_be_meant_about_renting_is_refused(table: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        renting_of(table)


def test_an_unknown_key_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="budget"):
        renting_of({"budgets": "5USD"})


def test_options_of_renting_need_something_to_rent() -> None:
    with pytest.raises(UsageError, match="--lease: none of these targets is rented"):
        from_words(["randread"], ["a=/tmp"], rent=Renting(lease_ns=1))
