"""Rows of `plimsoll list volumes|instances|prices|coverage`: the facts with their dates and sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plimsoll.catalog.instance import Instance
    from plimsoll.catalog.volume_type import VolumeType

Rows = list[dict[str, Any]]


def volumes() -> Rows:
    """Every volume type in every period."""
    from plimsoll.catalog.volume_type import volume_types

    return [_volume(each) for each in volume_types()]


def _volume(each: VolumeType) -> dict[str, Any]:
    from plimsoll.catalog.latencies import latencies

    facts = latencies(each.provider.name)
    read, write = facts[each.latency, "read"], facts[each.latency, "write"]
    basis = sorted({read.basis, write.basis}, reverse=True)
    return {
        "volume": each.name,
        "provider": each.provider.name,
        "period": each.period,
        "GiB": _range(each.min_gib, each.max_gib),
        "IOPS": _range(each.iops_min, each.iops_max),
        "IOPS/GiB": f"{each.iops_per_gib:g}" if each.iops_per_gib else "",
        "throughput": f"to {each.throughput_max:,} {each.provider.throughput_unit}" if each.throughput_max else "",
        "burst": each.burst,
        "p50 read / write": f"{_ms(read.spec['median_ns'])} / {_ms(write.spec['median_ns'])}",
        "latency": " and ".join(basis),
        "source": each.provider.documents[each.source],
    }


def _range(low: int | None, high: int | None) -> str:
    if high is None:
        return ""
    return f"{low:,}…{high:,}" if low else f"to {high:,}"


def _ms(ns: int) -> str:
    from plimsoll.units import format_duration

    return format_duration(ns)


def instances() -> Rows:
    """Every instance type with what it gives to its volumes and its price."""
    from plimsoll.catalog.eras import NOW
    from plimsoll.catalog.provider import providers
    from plimsoll.prices.book import price_book
    from plimsoll.units import exact_number

    book = price_book()
    rows = []
    for provider in providers():
        for each in (provider.instances(NOW) if provider.instances else {}).values():
            price = book.find(f"instance.{each.name}", provider.home_region)
            rows.append(_instance(each, exact_number(price.usd) if price else "", price.as_of if price else ""))
    return rows


def _instance(each: Instance, usd: str, as_of: str) -> dict[str, Any]:
    store = f"{each.store_disks} × {each.store_disk_gb:,} GB {each.store_kind}" if each.store_disks else ""
    return {
        "instance": each.name,
        "vCPU": each.vcpu,
        "GiB": f"{round(each.memory_mib / 1024, 1):g}",
        "volume IOPS": _base_max(each.volumes_base_iops, each.volumes_max_iops),
        "volume MB/s": _base_max(each.volumes_base_mbs, each.volumes_max_mbs) or "shares the network",
        "own disks": store,
        "$/h": f"{usd} ({as_of})" if usd else "",
        "provider": each.provider,
    }


def _base_max(base: float | None, most: float | None) -> str:
    if base is None or most is None:
        return ""
    return f"{base:,g}" if base == most else f"{base:,g}…{most:,g}"


def prices() -> Rows:
    """Every price but those of instances, the user's own first; never without its date."""
    from plimsoll.prices.book import price_book
    from plimsoll.units import exact_number

    return [
        {
            "item": each.item,
            "region": each.region,
            "$": exact_number(each.usd),
            "per": each.unit,
            "as of": each.as_of,
            "held": f"{each.since or '…'} to {each.until or 'now'}" if each.since or each.until else "",
            "source": each.source,
            "checked": each.checked,
        }
        for each in price_book().prices
        if not each.item.startswith("instance.") or each.checked == "yours"
    ]


def coverage() -> Rows:
    """Every family of every provider: what is known of it, and what is not."""
    from plimsoll.prices import coverage as known

    return [
        {
            "family": each.family,
            "provider": each.provider,
            "state": each.state,
            "prices": f"{each.priced} of {each.items}" if each.items else "",
            "as of": each.as_of,
            "machines": each.machines or "",
            "missing": each.missing,
            "limits from": each.limits,
            "latency": each.latency,
        }
        for each in known.coverage()
    ]
