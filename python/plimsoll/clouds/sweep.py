"""End what earlier commands have left: what a killed one has on record here, and what has outlived its lease.

Nothing is touched that has not the tags of a rental.
"""

from __future__ import annotations

import time
from typing import Literal

from plimsoll.clouds import bill, finding, held, lease, ledger, rent
from plimsoll.clouds.provider import Cloud, Resource
from plimsoll.errors import CloudError, PlimsollError
from plimsoll.notices import tell

Usable = Literal["end", "tell", "keep"]
"""What becomes of rentals that a session can go on with: they end, or stay with a sentence, or without a word."""


def abandoned(patience_s: float | None = None, usable: Usable = "end", session: str = "") -> list[str]:
    """End what killed commands have left on record here; a sentence for each rental. Cheap where there is none.

    What the session named by its id is about to go on with stays without a word.
    """
    told = []
    for record in ledger.abandoned():
        rental = record.rental
        keep = usable == "keep" or bool(record.use and record.use.session == session)
        if usable != "end" and held.is_held(record, for_resume=keep):
            record.close()
            told += [] if keep else [held.sentence(record)]
            continue
        tell(
            f"ending rental {rental.id} in {rental.region}, which an earlier command has left; it takes a minute or two"
        )
        use = record.use
        try:
            ended = rent.give_back(finding.cloud(rental.provider), record, patience_s)
        except PlimsollError as error:
            record.close()
            told.append(str(error))
            continue
        if use is not None:
            bill.ended_later(use, rental, time.time_ns())
        what = ", ".join(f"{each.kind} {each.id}" for each in ended)
        told.append(f"rental {rental.id} in {rental.region}, left by an earlier command: ended {what or 'nothing'}")
    return told


def outlived(cloud: Cloud, region: str, *, every: bool = False) -> list[str]:
    """End what is tagged in a region and has outlived its lease; with `every` also what has not.

    Raises CloudError with what does not end.
    """
    deadline = time.monotonic() + rent.GIVING_BACK_S
    ended: dict[str, Resource] = {}
    while left := [each for each in cloud.resources(region) if _ends(each, every)]:
        busy, problems = rent.delete_all(cloud, left)
        if (problems and not busy) or time.monotonic() > deadline:
            things = ", ".join(f"{each.kind} {each.id}" for each in left)
            raise CloudError(f"{things} in {region} cannot be ended: {'; '.join(problems) or 'no reason was given'}")
        ended |= {each.id: each for each in left}
        time.sleep(rent.POLL_S)
    return [f"ended {each.kind} {each.id} of rental {each.rental}" for each in ended.values()]


def _ends(resource: Resource, every: bool) -> bool:
    return bool(resource.rental) and (every or lease.is_over(resource.lease_end_ns))
