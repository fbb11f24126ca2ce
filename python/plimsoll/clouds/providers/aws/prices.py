"""What an hour of everything in a rental costs, from the tree's dated prices; nothing is asked.

A part without a price in its region has none here: another region's would be wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plimsoll.catalog.instances import instances
from plimsoll.catalog.shape import VolumeShape, volume_shape
from plimsoll.catalog.volume_type import volume_types
from plimsoll.clouds.provider import PriceLine
from plimsoll.clouds.wanted import Disk, Machine, Rental
from plimsoll.prices.book import Book, price_book
from plimsoll.prices.cost import HOURS_PER_MONTH
from plimsoll.units import GIB, MIB

ROOT_GIB, OWN_ROOT_GIB = 16, 64
"""Of the gp3 volume that a machine boots from: of the default image, and at most of one that the user chose."""
BURSTABLE = ("t3.", "t3a.")
"""Types that use processor time beyond their share without being asked, and charge it."""
BURSTABLE_DATABASES = ("t3.", "t4g.")


def root_gib(machine: Machine) -> int:
    """What is counted for its root volume; a machine that needs more is not rented."""
    return OWN_ROOT_GIB if machine.image else ROOT_GIB


def price_lines(rental: Rental, book: Book | None = None) -> Sequence[PriceLine]:
    """One line for each machine, its address, its root volume, each volume, and the requests of those that count."""
    prices = book or price_book()
    return [line for machine in rental.machines for line in _machine(machine, rental.region, prices)]


def _machine(machine: Machine, region: str, prices: Book) -> Iterator[PriceLine]:
    # A spot instance costs at most what the machine costs on demand.
    spot = ", at most (spot)" if machine.spot else ""
    yield _line(f"{machine.name}: {machine.type}{spot}", [(f"instance.{machine.type}", 1)], region, prices)
    if machine.type.startswith(BURSTABLE):
        yield beyond_share(machine.name, machine.type, "credits.t3", region, prices)
    yield _line(f"{machine.name}: public IPv4 address", [("ipv4.address", 1)], region, prices)
    gib, most = root_gib(machine), ", at most" if machine.image else ""
    yield _line(f"{machine.name}: root volume, gp3 {gib} GiB{most}", [("gp3.storage", gib)], region, prices)
    for disk in machine.disks:
        shape = _shape(disk, machine.type)
        if shape.type.is_local:
            continue
        charges = [(charge.item, charge.quantity) for charge in shape.type.charges(shape.provisioned)]
        member = f" ({disk.member + 1})" if disk.member else ""
        yield _line(f"{disk.target}: {shape.one}{member}", charges, region, prices)
        if disk.type == "standard":
            yield _requests(disk, region, prices)


def beyond_share(name: str, instance: str, item: str, region: str, prices: Book) -> PriceLine:
    """All virtual processors busy all the time, without what the instance may use for its own price."""
    return _line(
        f"{name}: processor time beyond its share, at most", [(item, instances()[instance].vcpu)], region, prices
    )


def _line(what: str, items: Sequence[tuple[str, float]], region: str, prices: Book) -> PriceLine:
    found = [(prices.find(item, region), quantity) for item, quantity in items]
    known = [(price, quantity) for price, quantity in found if price is not None]
    if len(known) < len(found):
        return PriceLine(what=what, per_hour_usd=None, date="")
    amount = sum(quantity * p.usd / (1 if p.unit == "hour" else HOURS_PER_MONTH) for p, quantity in known)
    return PriceLine(what=what, per_hour_usd=amount, date=min(price.as_of for price, _ in known))


def _requests(disk: Disk, region: str, prices: Book) -> PriceLine:
    """What a magnetic volume can be asked for in an hour at most: as fast as any of its kind was seen."""
    price = prices.find(f"{disk.type}.io", region)
    most = max(each.iops_max or 0 for each in volume_types() if each.name == disk.type)
    what = f"{disk.target}: I/O requests, {most:,} per second at most"
    if price is None:
        return PriceLine(what=what, per_hour_usd=None, date="")
    return PriceLine(
        what=what,
        per_hour_usd=most * 3600 / 1e6 * price.usd,
        date=price.as_of,
        requests_of=disk.target,
        per_million_usd=price.usd,
    )


def _shape(disk: Disk, instance: str) -> VolumeShape:
    """The disk as the catalog has it."""
    options = {"type": disk.type, "instance": instance}
    if disk.type != "instance-store":
        options["size"] = f"{disk.size_bytes / GIB:g}GiB"
    if disk.iops is not None:
        options["iops"] = str(disk.iops)
    if disk.throughput is not None:
        options["throughput"] = f"{disk.throughput / MIB:g}"
    return volume_shape(options, f"target {disk.target}")
