"""How long a run is where nobody said it.

Targets that alternate are compared in the same weather, however short their runs; what is left between blocks grows
smaller with more blocks, not with longer ones. So their runs are as short as those of the suite for a first look.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from plimsoll.model import Run
from plimsoll.parameters import kind_of
from plimsoll.run import interleave, plan
from plimsoll.run.interleave import Way
from plimsoll.run.plan import Step
from plimsoll.run.study import Study
from plimsoll.units import MILLISECOND, SECOND

SHORT: Mapping[str, Mapping[str, object]] = {
    "io": {"runtime": SECOND, "warmup": 250 * MILLISECOND},
    # A server has caches and plans of its own to warm up.
    "db": {"runtime": 3 * SECOND, "warmup": SECOND},
}
"""By the kind of workload."""
_LENGTHS = frozenset({"runtime", "warmup"})


Ways = Callable[[Study, Sequence[Step]], dict[str, Way]]
"""How the targets of a study take turns, as who measures there sees them."""


def in_turns(
    study: Study, ways_of: Ways = interleave.ways, earlier: Sequence[Run] = ()
) -> tuple[list[Step], dict[str, Way]]:
    """The steps of a study, and how its targets take turns in each; `earlier` are the runs of a session that goes on.

    Raises what `plan.steps` and `ways_of` raise.
    """
    steps = plan.steps(study)
    ways = ways_of(study, steps)
    return with_lengths(steps, ways, earlier), ways


def with_lengths(steps: Sequence[Step], ways: Mapping[str, Way], earlier: Iterable[Run] = ()) -> list[Step]:
    """The steps with the lengths that nobody chose; cases with `earlier` runs go on as these were."""
    begun = {run.plan.case: run.plan.parameters for run in earlier}
    return [
        replace(
            _with(step, begun.get(step.case, _short(step) if ways[step.case].slices else {})),
            at_once=ways[step.case].parallel,
            alternating=ways[step.case].slices,
        )
        for step in steps
    ]


def _short(step: Step) -> Mapping[str, object]:
    return SHORT[kind_of(next(iter(step.plans.values())).workload)]


def _with(step: Step, lengths: Mapping[str, object]) -> Step:
    if "runtime" not in step.unset:
        return step
    changed = {name: lengths[name] for name in _LENGTHS & step.unset & lengths.keys()}
    plans = {name: each.having({**each.parameters, **changed}) for name, each in step.plans.items()}
    return replace(step, plans=plans) if changed else step
