"""Is this machine fit for measuring? One check per file of `checks`."""

from __future__ import annotations

from pathlib import Path

from plimsoll import plugins
from plimsoll.doctor.examination import Check, Examined, examine
from plimsoll.doctor.fitness import UNFIT_EXIT, Fitness, fitness, sentence

__all__ = ["UNFIT_EXIT", "Check", "Examined", "Fitness", "examine", "fitness", "run_checks", "sentence"]


def run_checks(path: Path) -> list[Check]:
    """What every check says of this host and of the storage under `path` (a directory, file or device).

    Raises TargetError if the path cannot be read.
    """
    examined = examine(path)
    answers = [module.check(examined) for module in plugins.modules("plimsoll.doctor.checks")]
    return [answer for answer in answers if answer is not None]
