"""Emulated volumes beside real ones of the same kind: in which tests the model is wrong, and in which it holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plimsoll.catalog.shape import VolumeShape
from plimsoll.catalog.targets import is_emulated, shape_of
from plimsoll.stats.paired import Cell

if TYPE_CHECKING:
    from plimsoll.model import Target
    from plimsoll.report.evidence import Evidence

ALIKE = ("type", "size", "iops", "throughput", "instance", "raid", "members", "chunk")
"""Options that two volumes have in common of which one is a model of the other."""
OTHER_STATE = ("credits", "levels", "first_touch", "degradation", "era", "time_scale")
"""Options of a model that is not of a new volume of today in real time."""


@dataclass(frozen=True)
class ModelCheck:
    """One comparison: the baseline of `cell` is emulated, its target is the real one."""

    volume: VolumeShape
    """The emulated one."""
    cell: Cell


def model_checks(evidence: Evidence) -> tuple[ModelCheck, ...]:
    """Every judged comparison of a real volume with a model of it."""
    shapes = dict(_shapes(evidence))
    models = {name: shape for name, (shape, emulated) in shapes.items() if emulated}
    opponents = {
        name: model
        for name, (shape, emulated) in shapes.items()
        if not emulated and (model := _model_of(shape, models)) is not None
    }
    cells = evidence.held_against(opponents) if opponents else []
    return tuple(ModelCheck(models[cell.baseline], cell) for cell in cells)


def _shapes(evidence: Evidence) -> Iterator[tuple[str, tuple[VolumeShape, bool]]]:
    targets: dict[str, Target] = {}
    for run in evidence.runs:
        targets.setdefault(run.target.name, run.target)
    for name, target in targets.items():
        if (shape := shape_of(target)) is not None:
            yield name, (shape, is_emulated(target))


def _model_of(real: VolumeShape, models: Mapping[str, VolumeShape]) -> str | None:
    return next(
        (
            name
            for name, model in models.items()
            if not any(option in model.options for option in OTHER_STATE)
            and all(model.options.get(option) == real.options.get(option) for option in ALIKE)
        ),
        None,
    )
