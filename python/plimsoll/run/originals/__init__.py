"""The original tools: with `implementation=original` a target runs them in place of Plimsoll's own test.

One file per tool; a new file is found by itself. What it prints is read by an importer and becomes what the native test
would have measured, so that native and original are two targets like any others.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Protocol, cast

from plimsoll import plugins
from plimsoll.declared import FilesParameters
from plimsoll.errors import UsageError
from plimsoll.model import Direction, Plan, Run
from plimsoll.profile import Profile, profiles
from plimsoll.run.outcome import Found, Phase


class Original(Protocol):
    """What each module of this package has."""

    NAME: str
    """The workload whose original it is; where a workload has several, the `original` that profiles name."""
    PROGRAM: str
    PACKAGE: str
    """The package of Debian that brings the program."""
    VERSIONS: tuple[str, ...]
    """Versions that behave as the native test does; the beginning of what the tool says of itself."""
    ASK_VERSION: tuple[str, ...]
    """The words for which it says its version; none where that stands in its output."""
    FORMAT: str
    """The importer of its output."""

    def problem(self, values: Any) -> str | None:
        """What of the parameters of its workload it cannot do, as a sentence that says what to change."""

    def command(self, values: Any, place: Path) -> list[str]:
        """Its command line. `place` is the test file or device of a test of block and file I/O; for others, the new
        folder in which it will be started and which may get a file of settings."""

    def outcome(self, run: Run, values: Any, elapsed_ns: int) -> Found:
        """Of the outcome as the core reports it, what comes from the output that the importer read."""


def of(plan: Plan) -> Original:
    """The original of a plan's test. Raises UsageError where there is none."""
    return named(profiles()[plan.test])


def named(profile: Profile) -> Original:
    """The original of a test. Raises UsageError where there is none."""
    known = {module.NAME: module for module in plugins.modules(__name__)}
    name = profile.original or profile.workload
    if name not in known:
        raise UsageError(
            f"test {profile.name} has no original that can be run beside it (there are those of "
            f"{', '.join(sorted(module.PROGRAM for module in known.values()))}); leave out implementation=original"
        )
    return cast(Original, known[name])


def is_original(plan: Plan) -> bool:
    """Whether the original tool is to run."""
    return plan.parameters["implementation"] == "original"


def problem(plan: Plan) -> str | None:
    """Why the original of a plan cannot be run here, as a sentence that says what to do."""
    try:
        original = of(plan)
    except UsageError as error:
        return str(error)
    if shutil.which(original.PROGRAM) is None:
        return (
            f"implementation=original needs {original.PROGRAM}, which is not installed here (Debian: "
            f"{original.PACKAGE}); install it, or leave out implementation=original"
        )
    if plan.workload != "io":
        values = plan.values(FilesParameters)
        if values["durable"] != "original" or values["cold"] != "no":
            known = f"{original.PROGRAM} knows no mode but classic"
            return f"{known}: leave out durable and cold for implementation=original"
    return original.problem(plan.parameters)


def phase(name: str, elapsed_ns: int, *scores: tuple[str, float | None, str, Direction]) -> Phase:
    """A phase of an original with its scores (name, value, unit, better); a value of None is left out."""
    return {
        "name": name,
        "start_ns": 0,
        "elapsed_ns": elapsed_ns,
        "scores": [
            {"name": title, "value": value, "unit": unit, "better": better}
            for title, value, unit, better in scores
            if value is not None
        ],
        "kinds": {},
        "cold": "no",
        "points": [],
    }
