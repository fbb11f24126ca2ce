"""How the volume that there is stands to the load that it would have to carry for ever."""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.catalog.shape import VolumeShape
from plimsoll.traces.advice.wanted import Wanted


@dataclass(frozen=True)
class Lack:
    """Why a volume does not carry a load."""

    why: str
    for_ever: bool
    """Whether its limits let too little through in the long run; else it breaks the objective."""


@dataclass(frozen=True)
class Today:
    """The volume that there is."""

    shape: VolumeShape
    usd_per_month: float | None
    too_small: bool
    """Whether it holds less than was asked for."""
    evenly: Lack | None
    """None where it carries the load, its headroom included, if the I/Os of each period come evenly."""
    in_bursts: Lack | None
    """The same of the worst bursts; None as well where periods are so short that there are none."""

    @property
    def carries(self) -> bool:
        """Whether it is enough in every case."""
        return not (self.too_small or self.evenly or self.in_bursts)


def today(current: VolumeShape, wanted: Wanted, close: Wanted | None) -> Today:
    """`wanted` is the even load, `close` the one in the worst bursts; both with headroom."""
    return Today(
        current,
        wanted.price(current),
        current.size_bytes < wanted.size_bytes,
        _lack(current, wanted),
        None if close is None else _lack(current, close),
    )


def _lack(current: VolumeShape, wanted: Wanted) -> Lack | None:
    if (too_little := wanted.too_little(current)) is not None:
        return Lack(too_little, for_ever=True)
    judged = wanted.tried(current)[1]
    return None if judged.met else Lack("; ".join(judged.reasons), for_ever=False)
