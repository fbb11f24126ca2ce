"""What a proof showed."""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.catalog.shape import VolumeShape
from plimsoll.traces.advice.proof.interval import Interval
from plimsoll.traces.advice.proof.served import Served


@dataclass(frozen=True)
class Proof:
    """What was shown of a recommended volume and a cheaper one."""

    bought: VolumeShape
    cheaper: VolumeShape | None
    """None where nothing cheaper is sold."""
    interval: Interval | None = None
    """None where no interval that is short enough shows the difference."""
    served: Served | None = None
    why_simulated: str = ""
    """Why it was not served; the rest of a sentence."""
