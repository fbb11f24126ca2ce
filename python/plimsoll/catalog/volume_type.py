"""A volume type: its facts in one period, and the provider's formula from what is provisioned to limits and charges.

The types of a provider are in its folder (`provider.py`); two formulas that several providers have are in
`provisioned.py`. Sizes in GiB, throughput in the provider's unit, and None where there is no rule.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar, NoReturn

from plimsoll import plugins
from plimsoll.catalog import eras
from plimsoll.catalog.instance import Instance
from plimsoll.catalog.limits import Limits
from plimsoll.catalog.provider import NOBODY, Provider, providers
from plimsoll.errors import UnknownName, UsageError
from plimsoll.units import KIB, exact_number


@dataclass(frozen=True)
class Provisioned:
    """What somebody asks for of a type."""

    size_gib: float
    iops: int | None
    throughput: float | None
    """In the provider's unit."""
    instance: Instance | None
    where: str
    """The origin of these values, for errors."""


@dataclass(frozen=True)
class Charge:
    """A part of a volume's bill: so much of an item of the price book, all the time."""

    what: str
    """`storage`, `iops` or `throughput`."""
    item: str
    """`gp3.storage`, as in the price book."""
    quantity: float


@dataclass(frozen=True, kw_only=True)
class VolumeType(ABC):
    """One type in one period."""

    name: str
    title: str
    since: str
    """The first month in which it held."""
    until: str = ""
    """The first month in which it held no more; empty while it holds."""
    min_gib: int | None = None
    max_gib: int | None = None
    iops_min: int | None = None
    iops_max: int | None = None
    iops_per_gib: float | None = None
    iops_included: int | None = None
    """IOPS that come without charge."""
    throughput_included: int | None = None
    """Throughput that comes without charge; None where none is charged for."""
    throughput_max: int | None = None
    kib_per_iops: float | None = None
    """Bounds the throughput that is sold with provisioned IOPS."""
    unit_kib: int = 256
    """What one I/O counts up to; larger ones count as several."""
    merge_min_kib: int = 0
    """Sequential I/Os of at least this size count together; 0 for never."""
    throughput_in_units: bool = False
    """Whether an I/O takes whole units of throughput, however small it is."""
    latency: str
    """The row of the provider's `latencies.csv`."""
    queue: str = "fifo"
    """Order of service in front of an exhausted limit, as measured on saturated volumes."""
    consistency: float | None = None
    """Share of the provisioned limit that the provider promises."""
    consistency_time: float | None = None
    """Share of a year in which it promises it."""
    source: str
    """The document that these facts are from: a word of the provider's `documents`."""
    provider: Provider = NOBODY
    """Set by `volume_types`: that of the folder."""

    chosen: ClassVar[tuple[str, ...]] = ()
    """Which of `iops` and `throughput` the user provisions."""
    is_by_size: ClassVar[bool] = False
    """Whether a larger volume gives more."""
    is_pooled: ClassVar[bool] = False
    """Whether all disks of the type on a machine have one limit, from their sizes together."""
    is_local: ClassVar[bool] = False
    """Whether it comes with an instance: not sold by size, and not behind the instance's link."""
    latency_of_disks: ClassVar[Mapping[str, str]] = {}
    """Of a local type: the rows of `latencies.csv` by the kind of the instance's disks, where it is not `latency`."""
    burst: ClassVar[str] = "none"
    """The burst as a list of types says it."""

    @abstractmethod
    def formula(self, asked: Provisioned) -> Limits:
        """The limits of a volume of a possible size; raises UsageError, by `refuse`, where it is not sold."""

    def limits(self, asked: Provisioned) -> Limits:
        """The limits of a volume; raises UsageError where the provider would refuse it."""
        low, high = self.min_gib, self.max_gib
        if low is not None and high is not None and not low <= asked.size_gib <= high:
            what = f"{self.name} of {asked.size_gib:,.10g} GiB is impossible"
            self.refuse(asked, what, f"{self.name} is {low:,} to {high:,} GiB")
        return self.formula(asked)

    def charges(self, asked: Provisioned) -> Iterator[Charge]:
        """What one volume is billed for by time, beside its instance."""
        if not self.is_local:
            yield Charge("storage", f"{self.name}.storage", asked.size_gib)
        if asked.iops is not None and asked.iops > (included := self.iops_included or 0):
            yield Charge("iops", f"{self.name}.iops", asked.iops - included)
        charged_from = self.throughput_included
        if asked.throughput is not None and charged_from is not None and asked.throughput > charged_from:
            yield Charge("throughput", f"{self.name}.throughput", asked.throughput - charged_from)

    def sizes(self, least_gib: int) -> Sequence[int]:
        """Sizes from the least on among which a choice makes a difference; empty where none does."""
        return range(least_gib, (self.max_gib or least_gib) + 1) if self.is_by_size else ()

    def latency_on(self, instance: Instance | None) -> str:
        """The row of the provider's `latencies.csv` for a volume on an instance."""
        return self.latency if instance is None else self.latency_of_disks.get(instance.store_kind, self.latency)

    @property
    def merge_min_bytes(self) -> int:
        """Sequential I/Os of at least this size count together; 0 for never."""
        return self.merge_min_kib * KIB

    @property
    def period(self) -> str:
        """`2014-06 to 2017-12`, or `since 2020-12`."""
        return f"{self.since} to {self.until}" if self.until else f"since {self.since}"

    def refuse(self, asked: Provisioned, what: str, rule: str) -> NoReturn:
        """Raises UsageError: what is impossible, and which rule of which document says so."""
        source = f"{self.title}, {self.period}; {self.provider.documents[self.source]}"
        raise UsageError(f"{asked.where}: {what}; the provider's rule: {rule} ({source})")

    def refuse_choice(self, asked: Provisioned, names: tuple[str, ...], why: str) -> None:
        """Refuses values for what cannot be provisioned."""
        for name, value in (("iops", asked.iops), ("throughput", asked.throughput)):
            if value is not None and name in names:
                self.refuse(asked, f"{self.name} takes no {name}={exact_number(value)}", why)


@cache
def volume_types() -> tuple[VolumeType, ...]:
    """All types in all periods: by provider and file, the newest period of a type first."""
    return tuple(
        replace(each, provider=provider)
        for provider in providers()
        for module in plugins.modules(f"{provider.package}.volumes")
        for each in module.TYPES
    )


def volume_type(name: str, era: str | None = None, where: str = "") -> VolumeType:
    """The type as it was in `era` (see `eras`), or as it is.

    Raises UnknownName for a type that never was, UsageError for one that was not sold in that era.
    """
    periods = [each for each in volume_types() if each.name == name]
    if not periods:
        raise UnknownName("volume type", name, {each.name for each in volume_types()}, where)
    month = eras.month(era, where or "era")
    for each in periods:
        if eras.within(month, each.since, each.until):
            return each
    known = ", ".join(each.period for each in reversed(periods))
    raise UsageError(f"{where or name}: {name} was not sold in {era}; it is known {known}")
