"""Does this machine share its processors?"""

from __future__ import annotations

from plimsoll.doctor.examination import Check, Examined
from plimsoll.model import Level
from plimsoll.units import format_share

NAME = "virtualisation"
NOTICEABLE = 0.01


def check(examined: Examined) -> Check | None:
    """The hypervisor or container, and the share of time that it took away since boot."""
    kind = examined.host["virtualisation"]
    steal = examined.host["steal_since_boot"]
    message = f"virtualisation: {kind}"
    if steal > NOTICEABLE:
        return Check(
            name=NAME,
            level=Level.WARN,
            message=f"{message}; CPU steal {format_share(steal)} since boot",
            advice="Expect outliers; use more blocks, or an instance with processors of its own.",
        )
    return Check(name=NAME, level=Level.OK, message=message)
