"""Did a killed session leave files behind?"""

from __future__ import annotations

from plimsoll.doctor.examination import Check, Examined
from plimsoll.model import Level
from plimsoll.targets.workdir import leftovers

NAME = "leftovers"


def check(examined: Examined) -> Check | None:  # noqa: ARG001  (all checks are called alike)
    """Work folders of sessions whose process is gone; every command removes them as it starts."""
    left = leftovers()
    if not left:
        return Check(name=NAME, level=Level.OK, message="leftovers of killed sessions: none")
    folders = ", ".join(claim.folder for claim in left)
    return Check(
        name=NAME,
        level=Level.WARN,
        message=f"leftovers of killed sessions: {folders}",
        advice="Any `plimsoll run` removes them as it starts.",
    )
