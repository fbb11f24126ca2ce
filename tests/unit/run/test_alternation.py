"""How a session goes on in slices after what its slices have shown, also when it is resumed."""

from __future__ import annotations

from dataclasses import replace

from plimsoll.model import Finding, Level, Run, RunStatus
from plimsoll.run import plan
from plimsoll.run.alternation import Alternation
from plimsoll.run.interleave import Way
from plimsoll.run.plan import Step
from plimsoll.run.study import from_words
from plimsoll.run.turns import DISCARD_NS, Pace
from plimsoll.units import MILLISECOND


def step() -> Step:
    (found,) = plan.steps(from_words(["randread"], ("a=.", "b=.,depth=9"), seed=1))
    return found


def run(of: Step, drain_ms: float | None, status: RunStatus = RunStatus.OK) -> Run:
    study = from_words(["randread"], ("a=.", "b=.,depth=9"), seed=1)
    slices = {} if drain_ms is None else {"slices": {"drain_ns": [int(drain_ms * MILLISECOND)] * 20}}
    return Run(
        id="r", session_id="s", block=0, order=0, target=study.targets[0], plan=of.plans["a"], started_ns=0, ended_ns=1,
        status=status, facts=slices,
    )  # fmt: skip


def test_short_drains_change_nothing() -> None:
    of = step()
    found = Alternation({of.case: Way("slices")})
    assert found.pace(of) == Pace(DISCARD_NS)
    found.take([run(of, 1.0), run(of, 2.0)])
    assert found.pace(of) == Pace(DISCARD_NS)
    assert found.given_up(of) is None


def test_longer_drains_make_longer_slices_and_too_long_ones_whole_blocks_for_good() -> None:
    of = step()
    found = Alternation({of.case: Way("slices")})
    found.take([run(of, 30.0, RunStatus.INVALID)])
    assert found.pace(of) == Pace(45 * MILLISECOND)
    assert found.given_up(of) is None
    found.take([run(of, 300.0, RunStatus.INVALID)])
    assert found.pace(of) is None
    assert found.given_up(of) == (
        "randread: at the end of a slice it usually takes up to 300 ms until all is back, too long for slices of "
        "runs of 10 s; from now on one target runs after the other; --set runtime=10s gives them longer runs"
    )
    told = found.given_up(replace(of, unset=frozenset()))
    assert told is not None
    assert told.endswith("one target runs after the other"), "who chose the length is not told to choose another"
    found.take([run(of, None)])
    assert (found.pace(of), found.given_up(of)) == (None, None)


def test_targets_that_were_in_each_others_way_at_once_go_on_one_after_the_other() -> None:
    of = step()
    found = Alternation({of.case: Way("parallel")})
    together = run(of, None).model_copy(update={"facts": {"parallel": {"shared_by": 2, "overlap": 1.0}}})
    found.take([together])
    assert (found.pace(of), found.at_once(of), found.given_up(of)) == (None, True, None)
    busy = Finding(guard="parallel", level=Level.INVALID, message="")
    found.take([together.model_copy(update={"status": RunStatus.INVALID, "findings": (busy,)})])
    assert not found.at_once(of)
    assert found.given_up(of) == (
        "randread: the targets were in each other's way when they ran at once; from now on one target runs after the "
        "other"
    )
    found.take([run(of, None)])
    assert (found.at_once(of), found.given_up(of)) == (False, None)


def test_what_was_begun_in_whole_blocks_goes_on_so() -> None:
    of = step()
    found = Alternation({of.case: Way("slices")})
    found.take([run(of, None, RunStatus.PARTIAL)])
    assert found.pace(of) == Pace(DISCARD_NS)
    found.take([run(of, None)])
    assert found.pace(of) is None


def test_whole_blocks_have_no_pace_and_are_no_news() -> None:
    of = step()
    found = Alternation({of.case: Way("blocks", "as asked")})
    assert (found.pace(of), found.given_up(of)) == (None, None)


def test_a_run_of_a_foreign_file_has_slices_only_if_they_are_a_table() -> None:
    one = run(step(), None)
    for slices in ("x", 5, [], None):
        foreign = one.model_copy(update={"facts": {"slices": slices}})
        assert (foreign.in_slices, foreign.spent_ns) == (False, 1)
    for shared_by in ("x", 0, -2, None):
        foreign = one.model_copy(update={"facts": {"slices": {"shared_by": shared_by}}})
        assert (foreign.in_slices, foreign.spent_ns) == (True, 1)


def test_foreign_drains_say_nothing() -> None:
    of = step()
    found = Alternation({of.case: Way("slices")})
    for drains in ("x", None, ["y", None]):
        found.take([run(of, None).model_copy(update={"facts": {"slices": {"drain_ns": drains}}})])
    assert found.pace(of) == Pace(DISCARD_NS)
