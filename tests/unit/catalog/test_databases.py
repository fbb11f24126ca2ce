"""Managed databases: the ranges, baselines and striping of their storage, and what they cost."""

from __future__ import annotations

import pytest

from plimsoll.catalog.databases import DatabaseShape, database_provider, database_shape, database_storage, successors
from plimsoll.catalog.limits import Rate
from plimsoll.errors import PlimsollError
from plimsoll.prices.databases import database_cost
from plimsoll.units import MIB

AWS = database_provider("aws-rds:mysql")
assert AWS is not None


def shape(engine: str = "mysql", **options: str) -> DatabaseShape:
    assert AWS is not None
    return database_shape(AWS, engine, {"class": "db.m5.large", **options}, "target db")


# The ends of each range in the tables of the RDS user guide: size, options, IOPS, burst, MiB/s.
GUIDE = (
    ("gp2", 20, {}, 100, 3000, 128),
    ("gp2", 399, {}, 1197, 3000, 250),
    ("gp2", 400, {}, 1200, 12_000, 512),
    ("gp2", 1336, {}, 4008, 12_000, 1000),
    ("gp2", 4000, {}, 12_000, 12_000, 1000),
    ("gp2", 65_536, {}, 64_000, 64_000, 1000),
    ("gp3", 20, {}, 3000, 3000, 125),
    ("gp3", 399, {}, 3000, 3000, 125),
    ("gp3", 400, {}, 12_000, 12_000, 500),
    ("gp3", 65_536, {"iops": "64000", "throughput": "4000MiB"}, 64_000, 64_000, 4000),
    ("gp3", 400, {"iops": "40000"}, 40_000, 40_000, 625),
    ("io1", 399, {"iops": "19950"}, 19_950, 19_950, 500),
    ("io1", 5120, {"iops": "256000"}, 256_000, 256_000, 4000),
    ("io1", 200, {"iops": "1000"}, 1000, 1000, 250),
    ("io2", 256, {"iops": "256000"}, 256_000, 256_000, 16_000),
)


@pytest.mark.parametrize(("storage", "gib", "options", "iops", "burst", "mib"), GUIDE)
def test_limits_are_those_of_the_guide(
    storage: str, gib: int, options: dict[str, str], iops: int, burst: int, mib: int
) -> None:
    found = shape(storage=storage, size=f"{gib}GiB", **options).limits
    assert found.iops is not None
    assert (found.iops.sustained, found.iops.rate, found.throughput) == (iops, burst, Rate(mib * MIB))


def test_four_volumes_have_the_credits_of_four() -> None:
    one, four = (shape(storage="gp2", size=f"{gib}GiB").limits.iops for gib in (399, 400))
    assert one is not None
    assert four is not None
    assert (one.capacity, four.capacity) == (5_400_000, 21_600_000)


def test_only_mysql_and_mariadb_raise_the_throughput_with_the_iops() -> None:
    found = {engine: shape(engine, storage="gp3", size="400GiB", iops="40000") for engine in ("mariadb", "postgres")}
    rates = {engine: each.limits.throughput for engine, each in found.items()}
    assert rates == {"mariadb": Rate(625 * MIB), "postgres": Rate(500 * MIB)}


IMPOSSIBLE = (
    ({"storage": "gp3", "size": "100GiB", "iops": "3000"}, "below 400 GiB 3,000 IOPS and 125 MiB/s, always"),
    ({"storage": "gp3", "size": "500GiB", "iops": "8000"}, "12,000 to 64,000 IOPS"),
    ({"storage": "gp3", "size": "400GiB", "throughput": "4000MiB"}, "at most 0.25 MiB/s for each"),
    ({"storage": "gp3", "size": "19GiB"}, "rds-gp3 is 20 to 65,536 GiB"),
    ({"storage": "gp2", "size": "100GiB", "iops": "300"}, "3 IOPS per GiB"),
    ({"storage": "io1", "size": "100GiB"}, "rds-io1 needs iops=…"),
    ({"storage": "io1", "size": "100GiB", "iops": "500"}, "1,000 to 256,000 IOPS"),
    ({"storage": "io1", "size": "100GiB", "iops": "5001"}, "at most 50 IOPS per GiB, 5,000 for 100 GiB"),
    ({"storage": "io1", "size": "4000GiB", "iops": "1000"}, "at least 0.5 IOPS per GiB, 2,000"),
    ({"storage": "io1", "size": "50GiB", "iops": "1000"}, "rds-io1 is 100 to 65,536 GiB"),
    ({"storage": "io1", "size": "100.5GiB", "iops": "1000"}, "whole GiB, not 100.5 GiB"),
    ({"storage": "standard", "size": "100GiB"}, "RDS magnetic is no longer sold; take gp3 or io2"),
    ({"storage": "io3", "size": "100GiB"}, "did you mean 'io1' or 'io2'?"),
    ({"storage": "io1", "size": "100GiB", "iops": "1000", "raid": "0"}, "no option of a database named 'raid'"),
    (
        {"class": "m5.large", "storage": "gp3", "size": "20GiB"},
        "class=m5.large is a machine; a database's class is db.m5.large",
    ),
    ({}, "a database needs storage=…, size=…; such as mysql,class="),
)


@pytest.mark.parametrize(("options", "said"), IMPOSSIBLE)
def test_what_is_not_sold_is_refused_with_its_rule(options: dict[str, str], said: str) -> None:
    with pytest.raises(PlimsollError) as caught:
        shape(**options)
    assert said in str(caught.value)
    assert "target db" in str(caught.value)


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(PlimsollError, match="no database engine named 'oracle' in target db"):
        shape("oracle", storage="gp3", size="20GiB")


def test_a_class_that_gives_less_than_its_storage_says_so() -> None:
    assert shape(storage="gp3", size="100GiB").capped is None
    assert shape(storage="gp3", size="400GiB").capped == (
        "db.m5.large sustains 3,600 IOPS, fewer than the 12,000 of its storage"
    )


def test_what_it_costs_has_a_date_and_a_source() -> None:
    found = database_cost(shape(storage="io1", size="200GiB", iops="1000"))
    assert found.per_month == pytest.approx(0.171 * 730 + 200 * 0.125 + 1000 * 0.1)
    assert (found.as_of, found.sources, found.unknown) == ("2026-05", ("infracost",), ())


def test_only_iops_above_the_baseline_are_charged_for() -> None:
    at, above = (shape(storage="gp3", size="400GiB", iops=iops) for iops in ("12000", "14000"))
    assert [line.what for line in database_cost(at).lines] == ["instance", "storage"]
    assert database_cost(above).lines[-1].usd_per_month == 40.0


def test_a_class_without_a_price_has_no_total() -> None:
    options = {"class": "db.m6g.large", "storage": "io1", "size": "200GiB", "iops": "1000"}
    found = database_cost(shape(**options))
    assert (found.per_month, found.unknown) == (None, ("database.mysql.db.m6g.large",))


def test_every_storage_is_from_a_document_of_the_provider() -> None:
    assert AWS is not None
    assert {AWS.documents[each.source] for each in database_storage(AWS)} == {"RDS user guide, 2025-12"}
    assert successors(AWS, "standard") == ("gp3", "io2")
    assert successors(AWS, "gp3") == ()
