"""A case is a test and its parameters, a target is a place and its settings; labels say what differs."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.factories import make_plan, make_session

from plimsoll.errors import UnknownName
from plimsoll.model import Plan, Session, Target
from plimsoll.stats.cases import Names, Work, name_works

DISK = Target(name="disk", where="/mnt", facts={"file_system": "ext4"})


def session(name: str, *, in_turns: bool = True, host: str = "bench-1") -> Session:
    made = make_session(random.Random(name), name, ["disk"], ["randread"], id=name, host={"hostname": host})
    return made if in_turns else made.model_copy(update={"study": {"interleaved": False}})


def pgbench(**parameters: Any) -> Plan:
    return Plan(test="pgbench", case="TPC-B", workload="imported:pgbench", parameters=parameters, metrics=("rate",))


def io(case: str = "randread", **parameters: Any) -> Plan:
    made = make_plan("randread")
    return made.model_copy(update={"case": case, "parameters": {**made.parameters, **parameters}})


def names_of(sessions: list[Session], *ran: tuple[str, Plan, Target], **how: Any) -> tuple[Names, list[Work]]:
    """What works are called that were (session, plan, target)."""
    works = {Work(where, plan.case, target.name, plan.hash): (plan, target) for where, plan, target in ran}
    found = name_works(works, sessions, **how)
    return found, list(found.works.values())


def imported(name: str) -> Target:
    return Target(name=name, kind="imported", where="unknown")


def test_other_parameters_are_other_cases_and_the_label_says_which() -> None:
    ran = [(name, pgbench(scale=scale, clients=8), imported(name)) for name in "ab" for scale in (100, 1000, 10000)]
    _, called = names_of([session(name, in_turns=False) for name in "ab"], *ran)
    assert [work.case for work in called] == ["TPC-B scale=100", "TPC-B scale=1000", "TPC-B scale=10000"] * 2


def test_equal_parameters_are_one_case_under_its_own_label() -> None:
    found, called = names_of(
        [session(name, in_turns=False) for name in "ab"],
        *((name, pgbench(scale=100, clients=8), imported(name)) for name in "ab"),
    )
    assert [work.case for work in called] == ["TPC-B"] * 2
    assert not found.changed


def test_a_random_stream_is_a_repetition() -> None:
    """`ioping` draws another one each time: its runs are of one case, and of one plan."""
    found, called = names_of([session("a"), session("b")], ("a", io(seed=1), DISK), ("b", io(seed=2), DISK))
    assert {work.case for work in called} == {"randread"}
    assert len({work.plan for work in called}) == 1
    assert len(found.named) == 1


def test_two_settings_of_one_place_are_a_comparison_that_was_asked_for() -> None:
    alone = Target(name="alone", where="/mnt", facts=DISK.facts, options={"depth": "1"})
    _, called = names_of([session("a")], ("a", io(depth=32), DISK), ("a", io(depth=1), alone))
    assert [(work.case, work.target) for work in called] == [("randread", "disk"), ("randread", "alone")]


def test_what_differs_within_a_block_belongs_to_the_targets() -> None:
    """An engine that was chosen for a place is not typed as an option, and is no other case."""
    memory = Target(name="memory", where="/dev/shm", facts={"file_system": "tmpfs"})
    _, called = names_of([session("a")], ("a", io(direct=True), DISK), ("a", io(direct=False), memory))
    assert {work.case for work in called} == {"randread"}


def test_one_target_with_other_settings_in_another_session_is_another_target() -> None:
    deep = DISK.model_copy(update={"options": {"depth": "4"}})
    _, called = names_of([session("a"), session("b")], ("a", io(depth=32), DISK), ("b", io(depth=4), deep))
    assert {work.case for work in called} == {"randread"}
    assert [work.target for work in called] == ["disk (depth 32)", "disk (depth 4)"]


def test_other_places_of_one_name_are_other_targets() -> None:
    memory = DISK.model_copy(update={"facts": {"file_system": "tmpfs"}})
    found, called = names_of([session("a"), session("b")], ("a", io(), DISK), ("b", io(), memory))
    assert [work.target for work in called] == ["disk (ext4)", "disk (tmpfs)"]
    assert found.targets_of("disk") == ("disk (ext4)", "disk (tmpfs)")
    assert found.baseline("disk") == "disk (ext4)"
    assert found.baseline("disk (tmpfs)") == "disk (tmpfs)"


def test_the_same_place_in_another_session_is_the_same_target() -> None:
    found, _ = names_of([session("a"), session("b")], ("a", io(), DISK), ("b", io(), DISK))
    assert not found.changed


def test_fresh_machines_are_compared_each_with_its_own_baseline() -> None:
    """Three sessions on fresh instances: pairs of one machine, never a mixture of machines."""
    gp2, gp3 = (DISK.model_copy(update={"name": name}) for name in ("gp2", "gp3"))
    sessions = [session(name, host=f"i-{name}") for name in "ab"]
    found, _ = names_of(sessions, *((name, io(), target) for name in "ab" for target in (gp2, gp3)))
    assert list(found.named) == ["gp2 (i-a)", "gp3 (i-a)", "gp2 (i-b)", "gp3 (i-b)"]
    assert found.opponents("gp2 (i-a)") == {"gp3 (i-b)": "gp2 (i-b)"}


def test_across_makes_the_parameter_a_part_of_the_target() -> None:
    ran = [("a", pgbench(scale=scale), imported("a")) for scale in (100, 1000)]
    found, called = names_of([session("a", in_turns=False)], *ran, across=["scale"])
    assert [(work.case, work.target) for work in called] == [("TPC-B", "a scale=100"), ("TPC-B", "a scale=1000")]
    # Blocks of two cases are no blocks of one.
    assert len({work.session for work in called}) == 2
    assert found.baseline("a") == "a scale=100"


def test_across_takes_the_value_out_of_a_label() -> None:
    ran = [("a", io(f"randread depth={depth}", depth=depth), DISK) for depth in (1, 4)]
    _, called = names_of([session("a")], *ran, across=["depth"])
    assert [(work.case, work.target) for work in called] == [("randread", "disk depth=1"), ("randread", "disk depth=4")]


def test_across_an_unknown_parameter() -> None:
    with pytest.raises(UnknownName, match="scale"):
        names_of([session("a")], ("a", pgbench(scale=1), imported("a")), across=["scal"])


def test_many_differing_parameters_do_not_fill_the_line() -> None:
    plans = [pgbench(**{f"p{i}": i * factor for i in range(1, 9)}) for factor in (1, 2)]
    ran = [(name, plan, imported(name)) for name, plan in zip("ab", plans, strict=True)]
    _, called = names_of([session(name, in_turns=False) for name in "ab"], *ran)
    assert called[0].case == f"TPC-B p1=1 p2=2 p3=3 p4=4 p5=5 p6=6 plan={plans[0].hash[:8]}"
    assert called[0].case != called[1].case
