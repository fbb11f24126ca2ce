"""What a study would rent, for how long and for how much: all that is looked at before anything is rented."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from plimsoll.clouds import finding
from plimsoll.clouds.provider import Cloud
from plimsoll.clouds.quote import DATABASE_READY_NS, READY_NS, Quote, Times, quote
from plimsoll.clouds.target import capped, complete, rental_of, rented_volumes
from plimsoll.clouds.wanted import Rental
from plimsoll.run.plan import Step, estimate
from plimsoll.run.study import Study
from plimsoll.stats.policy import LOOKS
from plimsoll.targets.rented_database import is_rented_database

NOBODY = "192.0.2.1/32"
"""Of a rental that is only looked at: an address that nobody has (RFC 5737)."""


@dataclass(frozen=True)
class Offer:
    """The terms, and what one allocation rents."""

    study: Study
    """Whose targets say all of it themselves."""
    cloud: Cloud
    rental: Rental
    quote: Quote
    times: Times
    capped: tuple[str, ...]
    """A sentence for each volume that its machine holds back."""

    @property
    def unattended(self) -> str | None:
        """What outlives a killed controller, which a plan says first; of databases the provider is asked."""
        return self.cloud.unattended(self.rental) if self.rental.databases else None

    def rental_now(self, lease_end_ns: int, from_address: str) -> Rental:
        """What one more allocation rents: the same again, under an id of its own."""
        return replace(self.rental, id=secrets.token_hex(4), lease_end_ns=lease_end_ns, from_address=from_address)


def times_of(study: Study, steps: Sequence[Step]) -> Times:
    """How long a study takes that rents afresh as often as was said."""
    estimated, allocations = estimate(study, steps), study.rent.allocations
    return Times(
        least_ns=estimated.least_ns,
        most_ns=estimated.most_ns,
        allocations=allocations,
        fewest=min(allocations, LOOKS[0]),
        ready_ns=DATABASE_READY_NS if any(map(is_rented_database, study.targets)) else READY_NS,
    )


def offer(study: Study, times: Times) -> Offer:
    """The offer for a study with rented targets; nobody is asked. Raises UsageError, UnknownName."""
    whole = complete(study)
    found = rented_volumes(whole)
    rental = rental_of(whole, found, rental_id=secrets.token_hex(4), lease_end_ns=time.time_ns(), from_address=NOBODY)
    cloud = finding.cloud(rental.provider)
    made = quote(cloud.prices(rental), times, whole.rent)
    dated = replace(rental, lease_end_ns=time.time_ns() + made.lease_ns)
    return Offer(whole, cloud, dated, made, times, tuple(capped(found)))
