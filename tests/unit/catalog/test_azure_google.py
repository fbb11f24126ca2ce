"""Azure and Google Cloud: formulas against the worked examples of their own documents, and what is not known."""

from __future__ import annotations

import pytest

from plimsoll.catalog.instances import instances
from plimsoll.catalog.provider import providers
from plimsoll.catalog.shape import VolumeShape, volume_shape
from plimsoll.errors import UsageError
from plimsoll.prices.book import price_book
from plimsoll.prices.cost import cost
from plimsoll.prices.coverage import coverage
from plimsoll.units import MIB


def shape(text: str) -> VolumeShape:
    return volume_shape(dict(part.split("=", 1) for part in text.split(",")), "volume")


# azure-compute-docs, disks-types.md of 2026-08-11: the table of Ultra Disk, and the sentences about Premium SSD v2.
ULTRA = [(4, 4000, 1000), (8, 8000, 2000), (16, 16_000, 4000), (32, 32_000, 8000), (64, 64_000, 10_000)]
ULTRA += [(128, 128_000, 10_000), (256, 256_000, 10_000), (512, 400_000, 10_000), (2048, 400_000, 10_000)]


@pytest.mark.parametrize(("gib", "iops", "mbs"), ULTRA)
def test_ultra_disk_has_the_caps_of_the_table(gib: int, iops: int, mbs: int) -> None:
    limits = shape(f"type=ultra,size={gib}GiB,iops={iops},throughput={mbs}").limits
    assert limits.iops
    assert limits.throughput
    assert (limits.iops.rate, limits.throughput.rate) == (iops, mbs * 10**6)
    for more in (f"iops={iops + 1},throughput={mbs}", f"iops={iops},throughput={mbs + 1}"):
        with pytest.raises(UsageError, match="impossible"):
            shape(f"type=ultra,size={gib}GiB,{more}")


@pytest.mark.parametrize(
    ("sold", "not_sold"),
    [
        ("size=6GiB,iops=3000", "size=6GiB,iops=3001"),
        ("size=8GiB,iops=4000", "size=8GiB,iops=4001"),
        ("size=10GiB,iops=5000", "size=10GiB,iops=5001"),
        ("size=160GiB,iops=80000", "size=159GiB,iops=80000"),
        ("size=8GiB,iops=3000,throughput=750", "size=8GiB,iops=3000,throughput=751"),
        ("size=8GiB,iops=4000,throughput=1000", "size=8GiB,iops=4000,throughput=1001"),
        ("size=16GiB,iops=8000,throughput=2000", "size=160GiB,iops=80000,throughput=2001"),
    ],
)
def test_premium_ssd_v2_is_sold_up_to_its_sentences(sold: str, not_sold: str) -> None:
    assert shape(f"type=premium-ssd-v2,{sold}").limits.iops
    with pytest.raises(UsageError, match="impossible"):
        shape(f"type=premium-ssd-v2,{not_sold}")


@pytest.mark.parametrize(
    ("gib", "base", "burst", "base_mbs", "burst_mbs"),
    [
        (32, 120, 3500, 25, 170),
        (512, 2300, 3500, 150, 170),
        (1024, 5000, None, 200, None),
        (4095, 7500, None, 250, None),
    ],
)
def test_premium_ssd_bursts_as_the_examples_say(
    gib: int, base: int, burst: int | None, base_mbs: int, burst_mbs: int | None
) -> None:
    """P4 from 120 to 3,500 IOPS and 25 to 170 MB/s for 30 minutes, P20 earns 2,300 a second; P30 and P50 do not."""
    limits = shape(f"type=premium-ssd,size={gib}GiB").limits
    assert limits.iops
    assert limits.throughput
    assert (limits.iops.sustained, limits.throughput.sustained) == (base, base_mbs * 10**6)
    assert limits.iops.burst_seconds() == (1800 if burst else None)
    assert limits.throughput.burst_seconds() == (1800 if burst_mbs else None)
    assert limits.iops.rate == (burst or base)


def test_an_azure_machine_bursts_for_half_an_hour() -> None:
    limits = shape("type=premium-ssd,size=4TiB,instance=Standard_D2s_v5").instance_limits
    assert limits.iops
    assert limits.throughput
    assert (limits.iops.sustained, limits.iops.rate, limits.iops.burst_seconds()) == (3750, 10_000, 1800)
    assert (limits.throughput.sustained, limits.throughput.rate) == (85 * 10**6, 1200 * 10**6)


def test_an_azure_machine_gives_more_to_the_newer_disks() -> None:
    first = shape("type=premium-ssd,size=1TiB,instance=standard_d2s_v6").instance_limits
    second = shape("type=premium-ssd-v2,size=1TiB,instance=standard_d2s_v6").instance_limits
    assert first.iops
    assert second.iops
    assert (first.iops.sustained, second.iops.sustained) == (3750, 4167)


# gcpdiag, Google's own tool: baseline + size x per GiB, at most what the machine gives; small standard disks get those
# of 100 GiB. Its recorded answers for 10 and 32 GB, and its formula for others.
@pytest.mark.parametrize(
    ("text", "iops", "mib"),
    [
        ("type=pd-standard,size=32GiB", 75, 12),
        ("type=pd-standard,size=10GiB", 75, 12),
        ("type=pd-standard,size=1000GiB", 750, 120),
        ("type=pd-ssd,size=1000GiB", 36_000, 720),
        ("type=pd-balanced,size=1000GiB", 9000, 420),
    ],
)
def test_persistent_disks_are_baseline_and_per_gib(text: str, iops: int, mib: int) -> None:
    limits = shape(text).limits
    assert limits.iops
    assert limits.throughput
    assert limits.iops.rate == iops
    assert limits.throughput.rate == pytest.approx(mib * MIB, abs=1)


@pytest.mark.parametrize(
    ("kind", "machine", "iops", "mib"),
    [
        ("pd-ssd", "n2-standard-4", 15_000, 240),
        ("pd-ssd", "n2-standard-32", 60_000, 1200),
        ("pd-balanced", "n2-standard-96", 80_000, 1200),
        ("pd-balanced", "e2-standard-16", 20_000, 1000),
        ("pd-standard", "n2-standard-16", 7500, 400),
        ("pd-ssd", "c3-standard-22", 25_000, 800),
    ],
)
def test_a_google_machine_gives_what_its_vcpus_allow(kind: str, machine: str, iops: int, mib: int) -> None:
    limits = shape(f"type={kind},size=10TiB,instance={machine}").instance_limits
    assert limits.iops
    assert limits.throughput
    assert (limits.iops.rate, limits.throughput.rate) == (iops, mib * MIB)


def test_disks_of_one_type_share_a_pool() -> None:
    """Four of 250 GiB give what one of 1,000 GiB does, not four baselines."""
    array = shape("type=pd-balanced,size=250GiB,raid=0,members=4")
    assert array.instance_limits.iops
    assert array.instance_limits.iops.rate == 9000
    assert array.spec["instance"]["iops"]["rate"] == 9000
    assert "instance" not in shape("type=pd-balanced,size=1000GiB").spec
    capped = shape("type=pd-ssd,size=1000GiB,raid=0,members=4,instance=n2-standard-4")
    assert capped.spec["instance"]["iops"]["rate"] == 15_000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("type=pd-ssd,size=1TiB,instance=m5.large", "pd-ssd is sold by Google Cloud, and m5.large by AWS"),
        ("type=gp3,size=1TiB,instance=Standard_D2s_v5", "gp3 is sold by AWS, and Standard_D2s_v5 by Azure"),
        ("type=ultra,size=1TiB,iops=3000,instance=Standard_D2s_v5", "no source says how much Standard_D2s_v5 gives to"),
        ("type=hyperdisk-balanced,size=1TiB,instance=n2-standard-8", "no source says how much n2-standard-8 gives to"),
    ],
)
def test_what_is_not_known_or_not_sold_together_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        shape(text)


def test_what_has_no_price_is_never_recommended() -> None:
    def price(text: str) -> float | None:
        return cost(shape(text)).volume_per_month

    assert price("type=pd-balanced,size=100GiB")
    assert price("type=premium-ssd,size=128GiB")
    assert price("type=premium-ssd,size=1TiB") is None
    assert price("type=hyperdisk-balanced,size=100GiB") is None
    assert price("type=premium-ssd-v2,size=100GiB") is None


def test_coverage_says_of_each_family_what_is_missing() -> None:
    rows = {row.family: row for row in coverage()}
    assert {row.provider for row in rows.values()} == {each.name for each in providers()}
    assert (rows["gp3"].state, rows["gp3"].missing) == ("known", "")
    assert rows["premium-ssd"].state == "partly"
    assert "P30" in rows["premium-ssd"].missing
    assert "P4," not in rows["premium-ssd"].missing
    assert rows["premium-ssd-v2"].state == "unknown"
    assert rows["hyperdisk-balanced"].machines == 0
    assert (rows["pd-ssd"].state, rows["pd-ssd"].as_of) == ("known", "2025-03-06")
    assert rows["standard-ssd"].state == "unknown"
    for row in rows.values():
        assert bool(row.missing) == (row.state != "known"), row


def test_every_price_has_a_date_and_a_source() -> None:
    for price in price_book().prices:
        assert price.as_of, price.item
        assert price.source, price.item


def test_machines_can_be_told_apart_in_sets() -> None:
    """Reports count the instances of targets."""
    known = [each for each in instances().values() if each.provider != "aws"]
    assert len({*known, *known}) == len(known) > 100
