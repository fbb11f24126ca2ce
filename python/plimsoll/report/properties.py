"""What targets differ in that is a number: IOPS, throughput or size of a volume, its price, a parameter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from plimsoll.catalog.shape import VolumeShape
from plimsoll.catalog.targets import shape_of
from plimsoll.errors import UsageError
from plimsoll.model import Target
from plimsoll.prices.cost import cost_of
from plimsoll.report.evidence import Evidence
from plimsoll.stats.cases import NOT_THE_WORK
from plimsoll.stats.scaling import FEWEST
from plimsoll.units import GIB, format_size, format_value, parse_count, parse_size


@dataclass(frozen=True)
class Property:
    """A number that targets differ in, and how people read it."""

    name: str
    """`IOPS`, `size`, `clients`: after "with"."""
    unit: str
    """Base unit: `1/s`, `B/s`, `B`, `USD`, `1`."""
    values: Mapping[str, float]
    """By target; others do not have it, or are of another kind."""
    case: str = ""
    """The one case that it is about; empty for all."""

    def text(self, value: float) -> str:
        """`2,000 IOPS`, `250 MiB/s`, `$120 a month`, `clients=24`."""
        match self.unit:
            case "1/s":
                return f"{value:,.0f} IOPS"
            case "B/s":
                return format_value(value, "B/s")
            case "B":
                return format_size(value)
            case "USD":
                return f"${value:,.0f} a month" if value >= 10 else f"${value:,.2f} a month"
        return f"{self.name}={value:,.4g}" if value < 1000 else f"{self.name}={value:,.0f}"

    @property
    def heading(self) -> str:
        """As a heading has it: `IOPS`, `$ per month`."""
        return "$ per month" if self.unit == "USD" else self.name


def properties(evidence: Evidence) -> tuple[Property, ...]:
    """What FEWEST targets or more differ in: the first of the volumes' own, their price, and parameters by case."""
    targets = {run.target.name: run.target for run in evidence.runs}
    own = next((each for each in _of_volumes(targets) if _differs(each.values)), None)
    price = _prices(targets, own)
    found = [each for each in (own, price) if each is not None]
    return (*found, *(each for case in evidence.cases if (each := _parameter(evidence, case)) is not None))


def _differs(values: Mapping[str, float]) -> bool:
    return len(set(values.values())) >= FEWEST


def _of_volumes(targets: Mapping[str, Target]) -> Iterator[Property]:
    """IOPS before throughput before size: what is provisioned, else what the user stated, else what is bought."""
    shapes = {name: shape for name, target in targets.items() if (shape := shape_of(target)) is not None}
    alike = _alike(shapes)
    iops = {name: float(each.provisioned_iops * each.members) for name, each in alike.items() if each.provisioned_iops}
    yield Property("IOPS", "1/s", iops | _stated(targets, shapes, "cap_iops"))
    rates = {
        name: float(each.limits.throughput.rate * each.members)
        for name, each in alike.items()
        if each.provisioned_throughput is not None and each.limits.throughput
    }
    yield Property("throughput", "B/s", rates | _stated(targets, shapes, "cap_throughput"))
    yield Property("size", "B", {name: each.size_gib * each.members * GIB for name, each in alike.items()})


def _alike(shapes: Mapping[str, VolumeShape]) -> Mapping[str, VolumeShape]:
    """The volumes of the type, instance and array level that most have: only these differ in one thing."""

    def kind(shape: VolumeShape) -> tuple[object, ...]:
        return shape.type.name, shape.instance and shape.instance.name, shape.era, shape.raid

    most = Counter(kind(each) for each in shapes.values()).most_common(1)
    return {name: each for name, each in shapes.items() if most and kind(each) == most[0][0]}


def _stated(targets: Mapping[str, Target], shapes: Mapping[str, VolumeShape], option: str) -> dict[str, float]:
    """What the user said of targets whose volume is not known."""
    found = {}
    for name, target in targets.items():
        if option in target.options and name not in shapes:
            try:
                text = target.options[option].removesuffix("/s")
                found[name] = float(parse_count(text) if option == "cap_iops" else parse_size(text))
            except UsageError:
                continue
    return {name: value for name, value in found.items() if value > 0}


def _prices(targets: Mapping[str, Target], own: Property | None) -> Property | None:
    """What these volumes cost, without the instance."""
    if own is None:
        return None
    found = {}
    for name in own.values:
        shape = shape_of(targets[name])
        amount = cost_of(targets[name], shape).volume_per_month if shape is not None else None
        if amount:
            found[name] = amount
    return Property("price", "USD", found) if _differs(found) else None


def _parameter(evidence: Evidence, case: str) -> Property | None:
    """The one parameter in which the plans of a case differ, as numbers."""
    plans = {name: runs[0].plan.parameters for name in evidence.targets if (runs := evidence.runs_of(case, name))}
    names = dict.fromkeys(key for plan in plans.values() for key in plan)
    differing = [
        key
        for key in names
        if key not in NOT_THE_WORK and len({repr(plan.get(key)) for plan in plans.values() if key in plan}) > 1
    ]
    if len(differing) != 1:
        return None
    (key,) = differing
    values = {name: number for name, plan in plans.items() if (number := _number(plan.get(key))) is not None}
    return Property(key, "1", values, case) if _differs(values) else None


def _number(value: object) -> float | None:
    known = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e15
    return float(value) if known and isinstance(value, int | float) else None
