"""What a score stands on: a burst that ends, a level that lasts, both, or nobody knows; and how verdicts say it.

`catalog.lasting` decides it, from stored runs; everything that shows a score or a ratio asks what was decided there.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from plimsoll.model import Unit
from plimsoll.units import HOUR, MINUTE, SECOND, format_duration, format_number

LEVEL = "level"
"""Kind of the note on a comparison of which a score is no lasting one."""


class Basis(StrEnum):
    """What a score stands on."""

    BURST = "burst"
    SUSTAINED = "sustained"
    MIXED = "mixed"
    """A burst ended inside the runs or between them, and the score holds some of both."""
    UNKNOWN = "unknown"
    """The place may burst, and nobody saw whether it did."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What the scores of one case on one target stand on."""

    basis: Basis
    rate: float | None = None
    """IOPS that were reached; None where they could not be counted."""
    left: float | None = None
    """IOPS that this load has for ever, once all credits are spent."""
    lasts_s: float | None = None
    """How long full credits hold the rate; where the rate is unknown, the shortest burst of the place."""
    measured_s: float = 0.0
    """The longest run."""
    holder: str = ""
    """Whose credits end first: `volume` or `instance`."""
    limit: str = ""
    """The limit that lasts, such as `volume IOPS baseline`."""
    cliff: bool = False
    """A burst ended inside a run."""

    def of(self, metric: str, unit: Unit) -> Basis:
        """What one metric stands on: latencies are of whole runs, so a burst that ended in one is in them."""
        if metric.endswith("_burst"):
            return Basis.BURST
        return Basis.MIXED if self.cliff and unit == "ns" else self.basis

    @property
    def share(self) -> float:
        """The part of the rate that lasts; 1 where nothing is known to end."""
        if self.basis is not Basis.BURST or not self.rate or self.left is None:
            return 1.0
        return min(1.0, self.left / self.rate)

    @property
    def time(self) -> str:
        """`34 min`: how long the burst lasts, rounded as credits allow."""
        return "" if self.lasts_s is None else lasting_text(self.lasts_s)

    def holder_of(self, target: str) -> str:
        """`gp2`, or `gp2's instance` where its credits end first."""
        return f"{target}'s instance" if self.holder == "instance" else target


Sides = tuple[Standing | None, Standing | None]
"""Of the baseline and of the other target."""


def lasting_text(seconds: float) -> str:
    """`34 min`, `9 h`, `8 s`: no digits that credits, which may not have been full, do not support."""
    step = HOUR if seconds * SECOND >= 5 * HOUR else MINUTE if seconds * SECOND >= 5 * MINUTE else SECOND
    return format_duration(round(seconds * SECOND / step) * step if seconds >= 1 else seconds * SECOND)


def while_bursting(names: tuple[str, str], sides: Sides) -> str:
    """` while gp2 has burst credits, 34 min`; empty where neither target stands on a burst that is known to end."""
    found = [(each.holder_of(name), each.time) for name, each in _bursting(names, sides)]
    if not found:
        return ""
    if len(found) == 1:
        return f" while {found[0][0]} has burst credits, {found[0][1]}"
    told = " and ".join(f"{name} ({time})" for name, time in found)
    return f" while {told} have burst credits"


def afterwards(names: tuple[str, str], sides: Sides, ratio: float | None, unit: Unit, metric: str) -> str:
    """What follows: `; then gp3 is about 9.7× faster than gp2`, and what else makes a score not last."""
    baseline, other = names
    parts = []
    held = _bursting(names, sides)
    rises = "" if unit in ("1/s", "B/s") else ", and its latency rises"
    if held and unit in ("1/s", "B/s") and ratio is not None:
        shares = [1.0 if each is None else each.share for each in sides]
        parts.append(f"then {other} is about {_faster(ratio * shares[1] / shares[0])} than {baseline}")
    elif held:
        parts += [
            f"then {name} is held to {ios_text(each.left)} (now {format_number(each.rate)}){rises}"
            for name, each in held
            if each.left is not None and each.rate is not None
        ]
    for name, each in zip(names, sides, strict=True):
        if each is None:
            continue
        basis = each.of(metric, unit)
        if basis is Basis.MIXED:
            parts.append(f"the score of {name} mixes a burst with what came after it")
        elif basis is Basis.UNKNOWN:
            parts.append(f"{name} may be on a burst: its sustained level was not measured")
        elif each.cliff and basis is Basis.SUSTAINED:
            parts.append(f"{name} is at its sustained level here, after a burst that ended inside its runs")
    return "".join(f"; {part}" for part in parts)


def _bursting(names: tuple[str, str], sides: Sides) -> list[tuple[str, Standing]]:
    return [
        (name, each)
        for name, each in zip(names, sides, strict=True)
        if each is not None and each.basis is Basis.BURST and each.lasts_s is not None
    ]


def ios_text(per_second: float) -> str:
    """`300 IOPS`: of requests, where a score may count something else."""
    return f"{format_number(per_second)} IOPS"


def _faster(ratio: float) -> str:
    """`9.7× faster`, `2.1× slower`; of two digits, for credits do not support more."""
    larger = max(ratio, 1 / ratio)
    return f"{f'{larger:,.0f}' if larger >= 20 else f'{larger:.2g}'}× {'faster' if ratio >= 1 else 'slower'}"
