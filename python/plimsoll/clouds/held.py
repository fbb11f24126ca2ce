"""Rentals of sessions whose command was killed: they stay for as long as their lease has room to go on with them.

Nothing costs more by that than was agreed: the lease is what it was, and at its end everything ends by itself. What has
no end of its own stays only for the command that goes on with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plimsoll.clouds import lease, ledger
from plimsoll.clouds.ledger import Ledger, Use
from plimsoll.clouds.quote import BACK_NS
from plimsoll.clouds.wanted import Rental
from plimsoll.errors import CloudError
from plimsoll.model import Session
from plimsoll.prices.cost import usd
from plimsoll.report.sections.bill import FACT
from plimsoll.store.names import short_id
from plimsoll.units import MINUTE, SECOND

NEEDED_S = (BACK_NS + MINUTE) / SECOND
"""What a lease must have left for a session to go on: its measuring ends `BACK_NS` before."""


def is_held(record: Ledger, *, for_resume: bool = False) -> bool:
    """Whether a session can go on with a rental, so that it is not ended.

    `for_resume` also holds what nothing ends if this computer goes away for good.
    """
    if record.use is None or record.damaged or lease.left_s(record.rental) <= NEEDED_S:
        return False
    return for_resume or not (record.rental.unattended and record.rental.databases)


def sentence(record: Ledger) -> str:
    """What is still rented, until when, what it costs, and what can be done about it."""
    rental, use = record.rental, record.use
    assert use is not None  # is_held
    costs = "costs what is not known" if use.usd_per_hour is None else f"costs {usd(use.usd_per_hour)} an hour"
    name = short_id(use.session)
    return (
        f"rental {rental.id} in {rental.region} is kept for session {name} ({use.title}), whose command was killed: it "
        f"{costs} and ends at {lease.text(rental.lease_end_ns)}; `plimsoll run --resume {name}` goes on with it, "
        "`plimsoll cloud sweep` ends it now"
    )


def found(session: Session) -> tuple[Rental, Use]:
    """The rental that a session was measured on, and what goes on there. Raises CloudError where it is not held."""
    record = ledger.take_over(_rented(session)["id"])
    try:
        if record.use is None or record.use.session != session.id or not is_held(record, for_resume=True):
            raise CloudError(f"nothing can go on with rental {record.rental.id}; `plimsoll cloud sweep` ends it")
        return record.rental, record.use
    finally:
        record.close()


def why_not(session: Session) -> str | None:
    """Why a session cannot go on with its rental; None where it can."""
    rented = _rented(session)
    if rented.get("id") in ledger.ids():
        try:
            found(session)
        except CloudError as error:
            return str(error)
        return None
    over = rented.get("lease_end_ns")
    when = f", whose lease ended at {lease.text(over)}," if isinstance(over, int) and lease.is_over(over) else ""
    return f"its rental {rented.get('id', '')}{when} was given back, and further volumes would be another allocation"


def _rented(session: Session) -> Mapping[str, Any]:
    facts = session.host.get(FACT)
    return facts if isinstance(facts, Mapping) else {}
