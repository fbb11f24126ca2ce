"""What a session costs at most, and how long it may rent: known before anything is rented.

One allocation is rented at a time, so that the most is the price of an hour times the lease. Where a part has no dated
price, nothing can be promised, and nothing is rented.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll.clouds.lease import LONGEST_S, SHORTEST_S
from plimsoll.clouds.provider import PriceLine
from plimsoll.errors import UsageError
from plimsoll.prices.cost import usd
from plimsoll.run.renting import Renting
from plimsoll.units import HOUR, MINUTE, SECOND, format_duration

FREE_USD = 1.0
"""Below that no budget need be given."""
READY_NS = 10 * MINUTE
"""Allowed for renting, booting and installing, once for each allocation."""
DATABASE_READY_NS = 30 * MINUTE
"""A managed database is there after five to twenty minutes (unverified here: RDS as its users tell)."""
BACK_NS = 5 * MINUTE
"""Kept at the end of the lease for giving everything back; measuring ends before."""
STEP_NS = MINUTE
"""Leases that nobody chose are whole minutes."""


@dataclass(frozen=True, kw_only=True)
class Times:
    """What a session takes, without a bound."""

    least_ns: int
    """Of one allocation, if everything is decided at once."""
    most_ns: int
    """Of one allocation, at most."""
    allocations: int = 1
    fewest: int = 1
    """Allocations without which there is no answer."""
    ready_ns: int = READY_NS
    """From the first call to the first run of an allocation."""

    @property
    def shortest_ns(self) -> int:
        """A lease in which the fewest allocations fit."""
        return _whole(max(SHORTEST_S * SECOND, self.fewest * (self.ready_ns + self.least_ns) + BACK_NS))

    @property
    def longest_ns(self) -> int:
        """A lease that nothing outlasts."""
        return min(LONGEST_S * SECOND, max(self.shortest_ns, self._all_ns))

    @property
    def _all_ns(self) -> int:
        return _whole(self.allocations * (self.ready_ns + self.most_ns) + BACK_NS)


@dataclass(frozen=True, kw_only=True)
class Quote:
    """The offer: what everything costs, for how long, and whether that may be spent."""

    lines: tuple[PriceLine, ...]
    lease_ns: int
    budget_usd: float | None
    refusal: str = ""
    """Why nothing may be rented on these terms."""

    @property
    def per_hour_usd(self) -> float | None:
        """Of everything that is rented at one time; None where a part has no price."""
        return per_hour_usd(self.lines)

    @property
    def most_usd(self) -> float | None:
        """The most that the session can cost."""
        return None if self.per_hour_usd is None else self.per_hour_usd * self.lease_ns / HOUR

    @property
    def dates(self) -> str:
        """When the prices were seen: a date, or from the oldest to the newest."""
        dates = sorted({line.date for line in self.lines if line.date})
        return " to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else ""

    @property
    def unknown(self) -> tuple[str, ...]:
        """What no price is known of."""
        return tuple(line.what for line in self.lines if line.per_hour_usd is None)


def per_hour_usd(lines: Sequence[PriceLine]) -> float | None:
    """Of all lines together; None where one has no price."""
    known = [line.per_hour_usd for line in lines if line.per_hour_usd is not None]
    return math.fsum(known) if len(known) == len(lines) else None


def quote(lines: Sequence[PriceLine], times: Times, rent: Renting) -> Quote:
    """The lease that was asked for, or as long a one as the work takes and the budget allows; never raises."""
    hourly, lease_ns = per_hour_usd(lines), rent.lease_ns or times.longest_ns
    if rent.lease_ns is None and rent.budget_usd is not None and hourly:
        affordable_ns = math.floor(min(rent.budget_usd / hourly * HOUR, lease_ns))
        lease_ns = min(lease_ns, max(affordable_ns // STEP_NS * STEP_NS, times.shortest_ns))
    made = Quote(lines=tuple(lines), lease_ns=lease_ns, budget_usd=rent.budget_usd)
    return Quote(lines=made.lines, lease_ns=lease_ns, budget_usd=rent.budget_usd, refusal=_refusal(made, times, rent))


def _refusal(made: Quote, times: Times, rent: Renting) -> str:
    most = made.most_usd
    if most is None:
        return (
            f"no budget can be kept: no dated price is known of {'; '.join(made.unknown)}; add it to your own price "
            "book (prices.csv in Plimsoll's folder, or the file that PLIMSOLL_PRICES names)"
        )
    if rent.lease_ns is not None and rent.lease_ns < times.shortest_ns:
        return (
            f"a lease of {format_duration(rent.lease_ns)} is too short: renting, the fewest blocks and giving back "
            f"take {format_duration(times.shortest_ns)}; give --lease {_word(times.shortest_ns)}"
        )
    if rent.budget_usd is None:
        return "" if most < FREE_USD else f"this can cost {usd(most)}; say how much it may: --budget {_dollars(most)}"
    if most <= rent.budget_usd:
        return ""
    given = f"the budget of {usd(rent.budget_usd)} is too small: {format_duration(made.lease_ns)} cost {usd(most)}"
    if rent.lease_ns is None:
        return f"{given}, and no shorter lease has room for an answer; give --budget {_dollars(most)}, or rent less"
    return f"{given}; give --budget {_dollars(most)}, or a shorter --lease"


def check(made: Quote) -> None:
    """Raises UsageError where nothing may be rented on these terms."""
    if made.refusal:
        raise UsageError(made.refusal)


def _whole(duration_ns: int) -> int:
    return -(-duration_ns // STEP_NS) * STEP_NS


def _word(duration_ns: int) -> str:
    return f"{duration_ns // MINUTE}m"


def _dollars(amount: float) -> str:
    """Rounded up to a cent, as the option is written."""
    return f"{math.ceil(amount * 100) / 100:g}USD"
