"""Create, wait, give back, and see that it is gone: the one place that makes and ends what is rented.

with renting(cloud, rental) as rented:      everything of it, or an error and nothing
    rented.hosts()                          its machines, once they run and have addresses
                                            on any exit all is deleted, and listed until the list is empty

A process that is killed meanwhile leaves its ledger, by which `sweep.py` does the same, and `adopted` goes on with it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from plimsoll.clouds import lease, ledger
from plimsoll.clouds.ledger import Ledger
from plimsoll.clouds.provider import Cloud, Endpoint, Host, Resource, Step
from plimsoll.clouds.wanted import Rental
from plimsoll.errors import CloudError, NotYet, Unanswered
from plimsoll.notices import tell
from plimsoll.targets.workdir import ending_signals_raise

SETTLING_S = 60.0
"""After so long a provider lists what it was asked to make, also where its answer was lost."""
GIVING_BACK_S = 900.0
"""After so long something that does not end is told."""
POLL_S = 2.0


@dataclass(frozen=True)
class Rented:
    """All of a rental, made."""

    cloud: Cloud
    ledger: Ledger

    @property
    def rental(self) -> Rental:
        """What was asked for."""
        return self.ledger.rental

    @property
    def made(self) -> Sequence[Resource]:
        """What the provider has made of it."""
        return self.ledger.made

    @property
    def begun_ns(self) -> int:
        """Since when it costs, in nanoseconds since 1970."""
        return self.ledger.begun_ns

    def hosts(self) -> Sequence[Host]:
        """Its machines, once they run and have addresses."""
        return self.cloud.hosts(self.rental, self.made, self.ledger.folder)

    def endpoints(self) -> Sequence[Endpoint]:
        """Its databases, once they answer."""
        return self.cloud.endpoints(self.rental, self.made, self.ledger.folder)

    def interrupted(self, machine: str) -> str | None:
        """Why the provider takes a machine away; None while it stays."""
        return self.cloud.interrupted(self.rental, machine)


@contextmanager
def renting(cloud: Cloud, rental: Rental) -> Iterator[Rented]:
    """Everything of a rental; given back on any exit. Raises CloudError."""
    lease.check(rental)
    with ending_signals_raise():
        record = ledger.begin(rental)
        with _given_back(cloud, record):
            for step in cloud.steps(rental):
                _make(cloud, record, step)
            yield Rented(cloud, record)


@contextmanager
def adopted(cloud: Cloud, rental_id: str, needed_s: float = 0) -> Iterator[Rented]:
    """What a killed process has rented, where all of it was made; given back on any exit.

    Raises CloudError where its lease has not so much left, or something of it is missing.
    """
    with ending_signals_raise():
        record = ledger.take_over(rental_id)
        with _given_back(cloud, record):
            lease.check(record.rental, needed_s)
            for entry in list(record.entries.values()):
                if entry.made is None and (found := cloud.find(record.rental, entry.step)):
                    record.came(entry.step, found)
            if missing := [entry.step.name for entry in record.entries.values() if not entry.made]:
                raise CloudError(f"rental {rental_id} was cut off before it had {', '.join(missing)}; begin afresh")
            yield Rented(cloud, record)


def give_back(cloud: Cloud, record: Ledger, patience_s: float | None = None) -> list[Resource]:
    """Delete all of a rental and see that it is gone, then forget its ledger; what there was.

    Raises CloudError with what is left where something does not end, by default within GIVING_BACK_S; the ledger stays.
    """
    rental, deadline = record.rental, time.monotonic() + (GIVING_BACK_S if patience_s is None else patience_s)
    seen: dict[str, Resource] = {}
    record.end_use()
    while True:
        left = _listed(cloud, rental, deadline)
        seen |= {each.id: each for each in left}
        if not left and _settled(record, seen):
            record.remove()
            return list(seen.values())
        busy, problems = delete_all(cloud, left)
        if (problems and not busy) or time.monotonic() > deadline:
            raise CloudError(_left_text(rental, left, problems))
        time.sleep(POLL_S)


def _listed(cloud: Cloud, rental: Rental, deadline: float) -> Sequence[Resource]:
    """What there is of a rental, however often the question has to be asked."""
    while True:
        try:
            return cloud.resources(rental.region, rental.id)
        except Unanswered:
            if time.monotonic() > deadline:
                raise
        time.sleep(POLL_S)


def _make(cloud: Cloud, record: Ledger, step: Step) -> None:
    record.intend(step)
    try:
        made = cloud.create(record.rental, step, record.folder)
    except Unanswered:
        raise
    except CloudError:
        record.refuse(step)
        raise
    record.came(step, made)


@contextmanager
def _given_back(cloud: Cloud, record: Ledger) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        if not isinstance(error, Exception):
            tell(
                "giving back what is rented, which takes a minute or two; if that is cut off, the next command does it"
            )
        try:
            _ended(cloud, record)
        except CloudError as left:
            # What went wrong first is what the user has to know first.
            tell(str(left))
        raise
    _ended(cloud, record)


def _ended(cloud: Cloud, record: Ledger) -> None:
    try:
        give_back(cloud, record)
    except BaseException:
        record.close()
        raise


def _settled(record: Ledger, seen: dict[str, Resource]) -> bool:
    """Whether an empty list can be believed: what was asked for last may not be listed yet."""
    if record.damaged and time.time() - record.written_s <= SETTLING_S:
        return False
    names = {each.name for each in seen.values()}
    unseen = [entry for entry in record.entries.values() if not entry.refused and entry.step.name not in names]
    return all(time.time_ns() - (entry.made_ns or entry.at_ns) > SETTLING_S * 1e9 for entry in unseen)


def delete_all(cloud: Cloud, left: Sequence[Resource]) -> tuple[bool, list[str]]:
    """Ask for the end of all; whether something is about to end or could be, and what the provider refuses."""
    busy, problems = False, []
    for each in left:
        try:
            cloud.delete(each)
            busy = True
        except (NotYet, Unanswered):
            busy = True
        except CloudError as error:
            problems.append(str(error))
    return busy or not left, list(dict.fromkeys(problems))


def _left_text(rental: Rental, left: Sequence[Resource], problems: Sequence[str]) -> str:
    things = ", ".join(f"{each.kind} {each.id}" for each in left)
    why = "; ".join(problems) or "the provider has not ended it"
    return (
        f"rental {rental.id} in {rental.region} still has {things}: {why}. Its machines end at "
        f"{lease.text(rental.lease_end_ns)} in any case; `plimsoll cloud sweep` tries again"
    )
