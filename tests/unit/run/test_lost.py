"""What is said at the end of a session that lost a machine, and what can be done about it."""

from __future__ import annotations

import pytest
from tests.factories import make_study

from plimsoll.model import Run, RunStatus, Session, SessionState
from plimsoll.run import lost
from plimsoll.run.lost import MachineLost, check_complete


def ended(*, rented: bool, missing: bool = True) -> tuple[Session, list[Run]]:
    session, runs = make_study(ratios={"b": 0.8}, blocks=3)
    host = {**session.host, **({"rental": {"id": "0abc1234"}} if rented else {})}
    session = session.model_copy(update={"state": SessionState.INTERRUPTED, "host": host})
    if missing:
        about = {"status": RunStatus.FAILED, "reason": "worker m2 was lost", "facts": lost.facts("m2")}
        runs[-1] = runs[-1].model_copy(update=about)
    return session, runs


def test_a_rented_machine_that_was_taken_back_does_not_come_again() -> None:
    with pytest.raises(MachineLost) as told:
        check_complete(*ended(rented=True))
    assert "worker m2 was lost in block 3 of" in str(told.value)
    assert "All blocks before are kept, and the other targets were measured without it" in str(told.value)
    assert "needs another allocation: give --allocations, or start anew" in str(told.value)
    assert "--cluster" not in str(told.value)


def test_a_worker_of_a_cluster_may_come_back() -> None:
    session, runs = ended(rented=False)
    with pytest.raises(MachineLost) as told:
        check_complete(session, runs)
    assert f"`plimsoll run --resume {session.id}` with the same --cluster measures what is missing" in str(told.value)
    assert "allocation" not in str(told.value)


def test_a_session_with_all_its_machines_says_nothing() -> None:
    check_complete(*ended(rented=True, missing=False))
