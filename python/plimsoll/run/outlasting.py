"""Which runs of a plan end before the burst that they start with: how long they must be to see what lasts.

A new volume and a new machine start with the credits that the catalog gives them, which are full unless `credits=` says
something else.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from plimsoll.catalog.bounds import burst, credits_of, sustained, use_of
from plimsoll.catalog.targets import shape_of
from plimsoll.declared import IoParameters
from plimsoll.model import Plan, Target
from plimsoll.run.plan import Step
from plimsoll.run.study import Study
from plimsoll.units import SECOND, format_duration, format_value

ENOUGH = 1.3
"""A run this many times as long as the burst has enough of what follows it."""


def bursts(study: Study, steps: Sequence[Step]) -> Iterator[str]:
    """A sentence for each test on a target whose credits may last longer than a run."""
    for step in steps:
        for target in study.targets:
            if (told := burst_of(target, step.plans[target.name])) is not None:
                yield f"{target.name} ({step.case}): {told}"


def burst_of(target: Target, plan: Plan) -> str | None:
    """What full credits hold and for how long; None where no burst is reached, or a run outlasts it."""
    shape, use = shape_of(target), use_of(plan)
    if shape is None or use is None or use.asked is not None:
        return None
    most, lasting = burst(shape, use), sustained(shape, use)
    if most is None or lasting is None or most.per_second <= lasting.per_second:
        return None
    spent = credits_of(shape, use, most.per_second)
    values = plan.values(IoParameters)
    length_s = ((values["runtime"] or 0) + (values["warmup"] or 0)) / SECOND
    if spent is None or spent.lasts_s <= 0 or spent.lasts_s < length_s:
        return None
    wanted_s = math.ceil(ENOUGH * spent.lasts_s)
    wanted = f"{wanted_s}s" if wanted_s < 120 else f"{math.ceil(wanted_s / 60)}m"
    return (
        f"credits of the {spent.holder} may hold {format_value(most.per_second, '1/s')} for "
        f"{format_duration(round(spent.lasts_s) * SECOND)}; only runs that are longer see the "
        f"{format_value(lasting.per_second, '1/s')} that last (runtime={wanted})"
    )
