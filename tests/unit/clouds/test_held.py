"""Which rentals of killed commands stay, what is said of them, and what ends all others."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest
from tests.factories import make_study

from plimsoll.clouds import held, ledger, rent, sweep
from plimsoll.clouds.ledger import Ledger, Use
from plimsoll.clouds.wanted import Database, Rental
from plimsoll.model import Session, SessionState
from plimsoll.report.sections.bill import FACT
from plimsoll.run.resume import resumable
from plimsoll.store.opening import open_store
from plimsoll.targets.owner import machine_key
from plimsoll.units import GIB, HOUR, MINUTE

USE = Use(session="0190-0000-89abcdef", title="gp3 and gp2", study={}, usd_per_hour=0.15)


def rental(left_ns: int = HOUR, **changes: Any) -> Rental:
    about = {"id": "0abc1234", "provider": "aws", "region": "us-east-1", "from_address": "203.0.113.7/32", **changes}
    return Rental(lease_end_ns=time.time_ns() + left_ns, **about)


def killed(wanted: Rental | None = None, use: Use | None = USE) -> Rental:
    """The record of a command that was killed while it measured."""
    record = ledger.begin(wanted or rental())
    if use is not None:
        record.begin_use(use)
    record.close()
    return record.rental


def record() -> Ledger:
    taken = ledger.take_over("0abc1234")
    taken.close()
    return taken


DATABASE = Database(target="db", engine="mysql", type="db.m5.large", storage="gp3", size_bytes=100 * GIB)


@pytest.mark.parametrize(
    ("wanted", "use", "answer"),
    [
        (rental(), USE, True),
        (rental(), None, False),
        (rental(held.BACK_NS), USE, False),
        (rental(-1), USE, False),
        (rental(databases=(DATABASE,)), USE, True),
        (rental(databases=(DATABASE,), unattended=True), USE, False),
    ],
)
def test_what_a_session_can_go_on_with_is_held_within_its_lease(wanted: Rental, use: Use | None, answer: bool) -> None:
    killed(wanted, use)
    assert held.is_held(record()) is answer


def test_a_database_without_an_end_stays_only_for_the_command_that_goes_on_with_it() -> None:
    killed(rental(databases=(DATABASE,), unattended=True))
    assert held.is_held(record(), for_resume=True)


def test_a_session_that_is_done_holds_nothing() -> None:
    killed()
    taken = ledger.take_over("0abc1234")
    taken.end_use()
    taken.close()
    assert not held.is_held(record(), for_resume=True)


def test_any_command_says_what_is_kept_and_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = killed()
    monkeypatch.setattr(rent, "give_back", lambda *_: pytest.fail("it was ended"))
    [said] = sweep.abandoned(usable="tell")
    assert said == held.sentence(record())
    assert said.startswith("rental 0abc1234 in us-east-1 is kept for session 89abcdef (gp3 and gp2)")
    assert "it costs $0.15 an hour and ends at 20" in said
    assert "`plimsoll run --resume 89abcdef` goes on with it, `plimsoll cloud sweep` ends it now" in said
    assert sweep.abandoned(usable="keep") == []
    assert ledger.ids() == [kept.id]


def test_what_is_held_is_ended_by_a_sweep_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    killed()
    monkeypatch.setattr(rent, "give_back", lambda _cloud, taken, _patience: taken.remove() or [])
    [said] = sweep.abandoned()
    assert said == "rental 0abc1234 in us-east-1, left by an earlier command: ended nothing"
    assert ledger.ids() == []


def test_a_record_that_is_damaged_holds_nothing_and_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    killed()
    with (record().folder / ledger.FILE).open("a") as file:
        file.write("nothing that we write\n")
    monkeypatch.setattr(rent, "give_back", lambda _cloud, taken, _patience: taken.remove() or [])
    for usable in ("keep", "tell"):
        assert len(sweep.abandoned(usable=usable)) == (usable == "keep")
    assert ledger.ids() == []


def stored(**facts: Any) -> Session:
    session, _ = make_study(ratios={"b": 0.8})
    found = session.model_copy(
        update={
            "state": SessionState.INTERRUPTED,
            "host": {**session.host, "machine_key": machine_key(), FACT: {"id": "0abc1234", **facts}},
        }
    )
    with open_store() as store:
        store.add_session(found)
    return found


def test_the_session_whose_rental_is_held_is_the_one_to_go_on_with() -> None:
    session = stored()
    killed(use=replace(USE, session=session.id))
    with open_store() as store:
        assert resumable(store, None, held.why_not).id == session.id
    rental_, use = held.found(session)
    assert (rental_.id, use.session) == ("0abc1234", session.id)


@pytest.mark.parametrize(
    ("end_ns", "said"),
    [
        (2**62, "its rental 0abc1234 was given back, and further volumes would be another allocation"),
        (HOUR, "its rental 0abc1234, whose lease ended at 1970-01-01 01:00 UTC, was given back"),
    ],
)
def test_a_session_whose_rental_is_gone_says_so_and_what_to_do(end_ns: int, said: str) -> None:
    session = stored(lease_end_ns=end_ns)
    with open_store() as store, pytest.raises(Exception, match="cannot go on") as refused:
        resumable(store, session.id, held.why_not)
    assert said in str(refused.value)
    assert "what was measured is kept, and `plimsoll export " in str(refused.value)


def test_another_sessions_rental_is_not_taken() -> None:
    session = stored()
    killed()
    assert "nothing can go on with rental 0abc1234; `plimsoll cloud sweep` ends it" in str(held.why_not(session))


def test_what_a_lease_must_have_left_is_more_than_giving_back_takes() -> None:
    assert held.NEEDED_S * 1e9 == held.BACK_NS + MINUTE


def test_what_another_session_holds_is_told_to_the_one_that_goes_on() -> None:
    killed()
    killed(replace(rental(), id="0def5678"), replace(USE, session="0190-0000-01234567"))
    [said] = sweep.abandoned(usable="tell", session=USE.session)
    assert said.startswith("rental 0def5678 in us-east-1 is kept for session 01234567")
    assert len(ledger.ids()) == 2
