"""Do the processors run at one speed?"""

from __future__ import annotations

from plimsoll.doctor.examination import Check, Examined
from plimsoll.model import Level

NAME = "governor"
STEADY = {"performance"}


def check(examined: Examined) -> Check | None:
    """The frequency governor; guests mostly have none, the host decides."""
    governor = examined.host["processor"]["governor"]
    if not governor:
        return Check(name=NAME, level=Level.OK, message="processor speed: not set by this system (a guest, or fixed)")
    if set(governor.split(", ")) <= STEADY:
        return Check(name=NAME, level=Level.OK, message=f"processor speed: governor {governor}")
    return Check(
        name=NAME,
        level=Level.WARN,
        message=f"processor speed: governor {governor} slows processors down while they wait for I/O",
        advice="cpupower frequency-set -g performance (as root) while the tests run",
    )
