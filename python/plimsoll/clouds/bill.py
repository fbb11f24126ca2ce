"""What an allocation costs, as the session keeps it: prices, since when, until when. A section of reports shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plimsoll.clouds.ledger import Use
from plimsoll.clouds.offer import Offer
from plimsoll.clouds.wanted import Rental
from plimsoll.errors import PlimsollError, StoreError
from plimsoll.model import Session
from plimsoll.notices import tell
from plimsoll.report.sections.bill import FACT
from plimsoll.store.opening import open_store
from plimsoll.store.store import Store


def begun(offer: Offer, rental: Rental, begun_ns: int) -> dict[str, Any]:
    """What is known when everything has been made; nothing that lets anybody in."""
    prices = [
        {
            "what": line.what,
            "usd_per_hour": line.per_hour_usd,
            "as_of": line.date,
            "requests_of": line.requests_of,
            "usd_per_million": line.per_million_usd,
        }
        for line in offer.quote.lines
    ]
    return {
        "provider": rental.provider,
        "region": rental.region,
        "id": rental.id,
        "lease_end_ns": rental.lease_end_ns,
        "budget_usd": offer.quote.budget_usd,
        "begun_ns": begun_ns,
        "prices": prices,
    }


def ended(store: Store, session: Session, facts: Mapping[str, Any], ended_ns: int) -> Session:
    """The session with the end of its rental. A store that is away keeps what was measured, and no bill."""
    try:
        stored = store.find_session(session.id)
        found = stored.model_copy(update={"host": {**stored.host, FACT: {**facts, "ended_ns": ended_ns}}})
        store.restore_session(found)
    except StoreError as error:
        tell(f"the end of rental {facts['id']} is not in the report: {error}")
        return session
    return found


def ended_later(use: Use, rental: Rental, ended_ns: int) -> None:
    """What a killed command could not write: until when its session's rental cost, if this store has the session.

    A machine ends itself with its lease, so nothing cost for longer than that.
    """
    try:
        with open_store() as store:
            session = store.find_session(use.session)
            facts = session.host.get(FACT)
            if isinstance(facts, Mapping) and facts.get("id") == rental.id and "ended_ns" not in facts:
                ended(store, session, facts, min(ended_ns, rental.lease_end_ns))
    except PlimsollError:
        # Another store may have it; what was rented is ended all the same.
        return
