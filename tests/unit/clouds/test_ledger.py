"""The record of a rental after its process was killed."""

from __future__ import annotations

import pytest

from plimsoll.clouds import ledger
from plimsoll.clouds.provider import Resource, Step
from plimsoll.clouds.wanted import Rental
from plimsoll.errors import CloudError

RENTAL = Rental(id="0abc1234", provider="aws", region="us-east-1", lease_end_ns=2**62, from_address="203.0.113.7/32")
MADE = Resource(kind="machine", id="i-0abc", region="us-east-1", rental=RENTAL.id, name="m1")


def steps(number: int) -> Step:
    return Step(kind="machine", name=f"m{number}", token=f"token-{number}")


def test_what_follows_half_a_line_is_read() -> None:
    record = ledger.begin(RENTAL)
    record.intend(steps(1))
    record.close()
    with (record.folder / ledger.FILE).open("a") as file:
        file.write('{"at_ns": 7, "intent": {"kind": "mach')
    taken = ledger.take_over(RENTAL.id)
    assert list(taken.entries) == ["m1"]
    taken.came(steps(1), MADE)
    taken.close()
    again = ledger.take_over(RENTAL.id)
    assert again.made == [MADE]
    again.remove()
    assert ledger.ids() == []


def test_a_record_that_somebody_changed_is_kept() -> None:
    record = ledger.begin(RENTAL)
    record.close()
    with (record.folder / ledger.FILE).open("a") as file:
        file.write("nothing that we write\n")
    with pytest.raises(CloudError, match=r"cannot be read to its end.*cloud sweep"):
        ledger.take_over(RENTAL.id)
    assert record.folder.exists()
    [taken] = ledger.abandoned()
    assert (taken.rental, taken.damaged) == (RENTAL, True)
    taken.close()


def test_the_session_that_is_measured_is_on_record_until_it_is_done() -> None:
    use = ledger.Use(session="s", title="t", study={"targets": [{"name": "a"}]}, places={"a": "@m1:/mnt/a"})
    record = ledger.begin(RENTAL)
    record.begin_use(use)
    record.close()
    taken = ledger.take_over(RENTAL.id)
    assert taken.use == use
    taken.end_use()
    taken.close()
    again = ledger.take_over(RENTAL.id)
    assert again.use is None
    again.close()
