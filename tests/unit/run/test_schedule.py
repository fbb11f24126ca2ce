"""The schedule: blocks hold every target once, cases take turns, and looks decide when to stop."""

import itertools
import math
import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from plimsoll.errors import UsageError
from plimsoll.model import Finding, Level, Run, RunStatus, Score, Target
from plimsoll.profile import Entry
from plimsoll.run import lost
from plimsoll.run import plan as planning
from plimsoll.run.noise import why_nothing
from plimsoll.run.record import score_rows
from plimsoll.run.schedule import Block, Schedule
from plimsoll.run.study import Study
from plimsoll.stats.parts import Extension
from plimsoll.stats.policy import PLAN
from plimsoll.units import SECOND

Value = Callable[[str, int], float]


def make_study(targets: int = 2, tests: tuple[str, ...] = ("randread", "seqread"), **choices: object) -> Study:
    named = tuple(Target(name=f"t{number}", where=f"/t{number}") for number in range(targets))
    return Study(title="test", targets=named, entries=tuple(Entry(test, {}) for test in tests), **choices)  # type: ignore[arg-type]


def runs_of(study: Study, block: Block, value: Value, status: Callable[[str, int, int], RunStatus]) -> list[Run]:
    targets = {target.name: target for target in study.targets}
    return [
        Run(
            id=f"{block.step.case}/{block.number}/{block.attempt}/{name}",
            session_id="s",
            block=block.number,
            order=order,
            attempt=block.attempt,
            target=targets[name],
            plan=block.step.plans[name],
            started_ns=0,
            ended_ns=1,
            status=status(name, block.number, block.attempt),
            scores=(
                Score(metric=block.step.metrics[0], value=value(name, block.number), unit="1/s", direction="higher"),
            ),
        )
        for order, name in enumerate(block.targets)
    ]


def ok(_name: str, _block: int, _attempt: int) -> RunStatus:
    return RunStatus.OK


def carry_out(
    study: Study, value: Value, status: Callable[[str, int, int], RunStatus] = ok
) -> tuple[list[Block], dict[str, str | None]]:
    """All blocks of a study whose runs score `value`, and how each case closed."""
    steps = planning.steps(study)
    schedule = Schedule(study, steps)
    blocks: list[Block] = []
    closed: dict[str, str | None] = {}
    while (block := schedule.next_block()) is not None:
        runs = runs_of(study, block, value, status)
        schedule.take(runs, score_rows(runs))
        closed[block.step.case] = schedule.settle(block.step.case)
        blocks.append(block)
        assert len(blocks) < 200
    return blocks, closed


def clear_difference(name: str, block: int) -> float:
    return (100.0 if name == "t0" else 200.0) * math.exp(0.001 * math.sin(block + len(name)))


def noise(name: str, block: int) -> float:
    return math.exp(random.Random(f"{name}{block}").gauss(4, 0.5))


def test_repeats_are_made_whatever_they_decide() -> None:
    blocks, closed = carry_out(make_study(tests=("writetest",), repeats=50), clear_difference)
    assert [block.number for block in blocks] == list(range(50))
    assert closed == {"writetest": "repeated 50 times, as asked"}


@pytest.mark.parametrize("choices", [{"repeats": 0}, {"repeats": 1001}, {"repeats": 50, "blocks": 3}])
def test_repeats_that_cannot_be_meant_are_refused(choices: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="repeats"):
        make_study(**choices)


def test_every_block_holds_every_target_once_in_an_order_that_varies() -> None:
    blocks, _ = carry_out(make_study(3, mode="standard"), noise)
    assert all(sorted(block.targets) == ["t0", "t1", "t2"] for block in blocks)
    assert len({block.targets for block in blocks}) > 1


def looks_of(study: Study, value: Value) -> list[str | None]:
    """What the schedule says after each block about what is still open."""
    schedule = Schedule(study, planning.steps(study))
    told = []
    while (block := schedule.next_block()) is not None:
        runs = runs_of(study, block, value, ok)
        schedule.take(runs, score_rows(runs))
        schedule.settle(block.step.case)
        told.append(schedule.still_open(block.step.case))
    return told


def test_each_look_says_what_it_leaves_open_and_how_far_that_has_come() -> None:
    wide = {"t0": 0.0, "t1": 0.05, "t2": 0.1, "t3": 0.2, "t4": 0.3}

    def value(name: str, block: int) -> float:
        return 100 * math.exp(wide[name] + 0.05 * (-1) ** (block + len(name)) * (name != "t0"))

    told = looks_of(make_study(tests=("randread",)), value)
    assert told[:3] == [
        None,
        None,
        "IOPS undecided after 3 blocks: t1 is 1.1× as fast as t0 (0.69…1.7); ±10 % would take about 8 blocks, "
        "and 6 is the limit; next look after 4",
    ]
    assert told[3] is not None
    assert "; ±55 % at the first look, ±23 % now; " in told[3]
    assert told[-1] is None, "what has ended is not open"
    many = looks_of(make_study(5, tests=("randread",)), value)[2]
    assert many is not None
    assert " and 1 more; ±10 % would take about 8 blocks, and 6 is the limit; next look after 4" in many


def test_a_look_says_when_the_interval_is_expected_to_be_as_narrow_as_the_band() -> None:
    def value(name: str, block: int) -> float:
        return 100 * math.exp((0.09 + 0.05 * (-1) ** block) * (name != "t0"))

    told = [each for each in looks_of(make_study(tests=("randread",), mode="standard"), value) if each]
    assert "; ±10 % expected after about 8, in about " in told[0]

    def narrow(name: str, block: int) -> float:
        return 100 * math.exp((0.065 + 0.00975 * (-1) ** block) * (name != "t0"))

    precise = looks_of(make_study(tests=("randread",), mode="standard"), narrow)
    assert precise[2], "open, although as narrow as the band"
    assert not any("expected" in each for each in precise if each), "what is as narrow already is not expected"


def test_what_is_decided_or_not_looked_at_is_not_open() -> None:
    assert set(looks_of(make_study(tests=("randread",)), clear_difference)) == {None}
    assert set(looks_of(make_study(tests=("randread",), repeats=8), noise)) == {None}


def test_one_target_is_open_until_its_score_is_precise() -> None:
    one = make_study(1, tests=("randread",), mode="standard")
    told = looks_of(one, lambda _name, block: 100 * math.exp(0.1 * (-1) ** block))
    assert told[2] == "IOPS known to within ±33 % after 3 blocks; next look after 4"
    assert set(looks_of(one, lambda _name, block: 100.0 + block)) == {None}


def test_cases_take_turns() -> None:
    blocks, _ = carry_out(make_study(), clear_difference)
    assert [block.step.case for block in blocks[:4]] == ["randread", "seqread", "randread", "seqread"]


def test_a_clear_difference_is_decided_after_three_blocks() -> None:
    blocks, closed = carry_out(make_study(), clear_difference)
    assert len(blocks) == 6
    assert set(closed.values()) == {"IOPS decided after 3 blocks", "throughput decided after 3 blocks"}


@pytest.mark.parametrize(("mode", "cap"), [("quick", 6), ("standard", 12), ("publish", 20)])
def test_noise_ends_at_the_cap_of_the_mode_or_earlier(mode: str, cap: int) -> None:
    blocks, closed = carry_out(make_study(tests=("randread",), mode=mode), noise)
    assert 3 <= len(blocks) <= cap
    assert str(len(blocks)) in str(closed["randread"])


def test_blocks_replaces_the_cap() -> None:
    blocks, _ = carry_out(make_study(tests=("randread",), mode="publish", blocks=4), noise)
    assert len(blocks) == 4


def test_what_was_never_written_is_not_read_again_in_vain() -> None:
    def attempts(test: str) -> int:
        study = make_study(targets=1, tests=(test,), blocks=1)
        schedule = Schedule(study, planning.steps(study))
        empty = Finding(guard="unwritten", level=Level.INVALID, message="100 % of the region holds only zeros")
        count = 0
        while (block := schedule.next_block()) is not None:
            runs = runs_of(study, block, noise, lambda *_: RunStatus.INVALID)
            # A device is read as it is; a file is written first.
            kept = [
                run.plan.model_copy(update={"parameters": {**run.plan.parameters, "layout": "keep"}}) for run in runs
            ]
            found = [
                run.model_copy(update={"findings": (empty,), "plan": plan})
                for run, plan in zip(runs, kept, strict=True)
            ]
            schedule.take(found, ())
            schedule.settle(test)
            count += 1
        return count

    assert attempts("randread") == 1
    assert attempts("randrw") == 2


def test_one_or_two_blocks_are_possible_as_a_preview() -> None:
    for count in (1, 2):
        blocks, _ = carry_out(make_study(tests=("randread",), blocks=count), clear_difference)
        assert len(blocks) == count


def test_a_single_target_stops_at_three_in_quick_mode() -> None:
    blocks, _ = carry_out(make_study(targets=1, tests=("randread",)), noise)
    assert len(blocks) == 3


def test_an_invalid_block_is_repeated_once_as_a_whole() -> None:
    def status(name: str, block: int, attempt: int) -> RunStatus:
        return RunStatus.INVALID if (name, block, attempt) == ("t1", 1, 0) else RunStatus.OK

    blocks, closed = carry_out(make_study(tests=("randread",)), clear_difference, status)
    assert [(block.number, block.attempt) for block in blocks] == [(0, 0), (1, 0), (1, 1), (2, 0)]
    assert closed == {"randread": "IOPS decided after 3 blocks; 7 of 8 runs valid"}


def test_a_case_that_is_always_invalid_ends() -> None:
    blocks, closed = carry_out(make_study(tests=("randread",)), clear_difference, lambda *_: RunStatus.INVALID)
    assert [(block.number, block.attempt) for block in blocks] == [(0, 0), (0, 1)]
    assert "invalid" in str(closed["randread"])


def test_a_failed_run_ends_its_case_and_no_other() -> None:
    def status(name: str, _block: int, _attempt: int) -> RunStatus:
        return RunStatus.FAILED if name == "t1" else RunStatus.OK

    blocks, closed = carry_out(make_study(), clear_difference, status)
    assert len(blocks) == 2
    assert all("failed" in str(reason) for reason in closed.values())


def test_going_on_after_any_interruption_gives_the_same_blocks() -> None:
    study = make_study(mode="standard", seed=7)
    whole, _ = carry_out(study, noise)
    for cut in range(len(whole)):
        schedule = Schedule(study, planning.steps(study))
        earlier = list(itertools.chain.from_iterable(runs_of(study, block, noise, ok) for block in whole[:cut]))
        schedule.take(earlier, score_rows(earlier))
        for step in planning.steps(study):
            schedule.settle(step.case)
        following = schedule.next_block()
        assert following is not None
        assert (following.step.case, following.number) == (whole[cut].step.case, whole[cut].number)


def test_a_block_that_was_cut_short_is_run_again_in_whole() -> None:
    study = make_study(tests=("randread",))
    schedule = Schedule(study, planning.steps(study))
    first = schedule.next_block()
    assert first is not None
    half = runs_of(study, first, clear_difference, ok)[:1]
    schedule.take(half, score_rows(half))
    again = schedule.next_block()
    assert again is not None
    assert (again.number, again.attempt) == (0, 1)


def test_the_time_left_shrinks_and_no_block_starts_that_does_not_fit() -> None:
    study = make_study()
    schedule = Schedule(study, planning.steps(study))
    before = schedule.time_left()
    block = schedule.next_block()
    assert block is not None
    runs = runs_of(study, block, clear_difference, ok)
    schedule.take(runs, score_rows(runs))
    after = schedule.time_left()
    assert 0 < after.least_ns < before.least_ns < before.most_ns
    assert after.most_ns < before.most_ns
    shortest = min(schedule.block_ns(case) for case in schedule.open_cases)
    assert schedule.next_block(time_left_ns=shortest - 1) is None
    assert set(schedule.open_cases) == {"randread", "seqread"}


def test_the_time_of_a_block_is_learned_from_the_runs() -> None:
    study = make_study(tests=("randread",))
    schedule = Schedule(study, planning.steps(study))
    block = schedule.next_block()
    assert block is not None
    assert schedule.block_ns("randread") == block.step.block_ns
    runs = runs_of(study, block, clear_difference, ok)
    slower = [run.model_copy(update={"ended_ns": run.started_ns + 60 * SECOND}) for run in runs]
    schedule.take(slower, score_rows(slower))
    assert schedule.block_ns("randread") == 60 * SECOND * len(runs)


def test_one_target_is_never_decided() -> None:
    """Nothing is decided where nothing is compared: three blocks that differ wildly are a limit reached."""
    _, wild = carry_out(make_study(1, tests=("randread",), mode="quick"), noise)
    assert wild["randread"] is not None
    assert wild["randread"].startswith("limit of 3 blocks reached, IOPS known to within a factor of")
    _, steady = carry_out(make_study(1, tests=("randread",), mode="quick"), clear_difference)
    assert steady["randread"] is not None
    assert steady["randread"].startswith("IOPS precise enough after 3 blocks: known to within ±")


def test_one_valid_run_of_six_is_said() -> None:
    def status(_name: str, block: int, _attempt: int) -> RunStatus:
        return RunStatus.OK if block == 0 else RunStatus.INVALID

    _, closed = carry_out(make_study(1, tests=("randread",), mode="quick"), noise, status)
    told = closed["randread"] or ""
    assert told.startswith("limit of 3 blocks reached, IOPS without an interval")
    assert told.endswith("1 of 5 runs valid")


def test_a_score_of_zero_has_no_precision() -> None:
    _, closed = carry_out(make_study(1, tests=("randread",), mode="quick"), lambda _name, _block: 0.0)
    assert closed["randread"] == "no valid block to judge IOPS by after 3 blocks"


def lose(study: Study, block: Block, gone: str) -> list[Run]:
    """The runs of a block in which one target's machine was lost."""
    runs = runs_of(study, block, noise, ok)
    about = {"status": RunStatus.FAILED, "reason": "worker w was lost", "scores": (), "facts": lost.facts("w")}
    return [run.model_copy(update=about) if run.target.name == gone else run for run in runs]


def test_a_lost_machine_leaves_the_round_and_the_others_go_on() -> None:
    study = make_study(3, tests=("randread",), blocks=4)
    steps = planning.steps(study)
    schedule = Schedule(study, steps)
    blocks: list[Block] = []
    while (block := schedule.next_block()) is not None:
        blocks.append(block)
        runs = lose(study, block, "t1") if block.number == 1 else runs_of(study, block, noise, ok)
        if block.number == 1:
            schedule.leave_out("t1")
        schedule.take(runs, score_rows(runs))
        schedule.settle(block.step.case)
        assert len(blocks) < 20
    assert [block.number for block in blocks] == [0, 1, 2, 3]
    assert [set(block.targets) for block in blocks] == [{"t0", "t1", "t2"}] * 2 + [{"t0", "t2"}] * 2


def test_what_a_lost_machine_missed_is_measured_in_whole_blocks_when_it_is_back() -> None:
    study = make_study(2, tests=("randread",), blocks=3)
    steps = planning.steps(study)
    before = Schedule(study, steps)
    first = before.next_block()
    assert first is not None
    earlier = lose(study, first, "t1")
    again = Schedule(study, steps)
    again.take(earlier, score_rows(earlier))
    assert again.settle("randread") is None
    block = again.next_block()
    assert block is not None
    assert (block.number, block.attempt, set(block.targets)) == (0, 1, {"t0", "t1"})


def test_without_any_machine_every_case_ends() -> None:
    study = make_study(2, tests=("randread",))
    schedule = Schedule(study, planning.steps(study))
    for name in ("t0", "t1"):
        schedule.leave_out(name)
    assert "lost" in str(schedule.settle("randread"))
    assert schedule.next_block() is None


def test_a_run_that_failed_on_a_machine_that_is_there_ends_its_case() -> None:
    def status(name: str, block: int, _attempt: int) -> RunStatus:
        return RunStatus.FAILED if (name, block) == ("t1", 1) else RunStatus.OK

    blocks, closed = carry_out(make_study(3, tests=("randread",), blocks=4), noise, status)
    assert len(blocks) == 2
    assert closed == {"randread": "failed: see the run's reason"}


def goes_on(
    study: Study, earlier: list[Run], part: Extension, value: Value, status: Callable[[str, int, int], RunStatus] = ok
) -> tuple[list[Block], dict[str, str | None]]:
    """The blocks of an extension after stored runs, and how each case closed."""
    study = replace(study, extensions=(part,))
    steps = planning.steps(study)
    schedule = Schedule(study, steps)
    schedule.take(earlier, score_rows(earlier))
    closed = {step.case: schedule.settle(step.case) for step in steps}
    blocks: list[Block] = []
    while (block := schedule.next_block()) is not None:
        runs = runs_of(study, block, value, status)
        schedule.take(runs, score_rows(runs))
        closed[block.step.case] = schedule.settle(block.step.case)
        blocks.append(block)
        assert len(blocks) < 700
    return blocks, closed


def first_part(study: Study, value: Value, status: Callable[[str, int, int], RunStatus] = ok) -> list[Run]:
    blocks, _ = carry_out(study, value, status)
    return [run for block in blocks for run in runs_of(study, block, value, status)]


def test_an_extension_adds_so_many_blocks_and_numbers_go_on() -> None:
    study = make_study(tests=("randread",), mode="quick")
    part = Extension(started_ns=1, after={"randread": 3}, blocks=5)
    blocks, closed = goes_on(study, first_part(study, clear_difference), part, clear_difference)
    assert [block.number for block in blocks] == [3, 4, 5, 6, 7]
    assert closed == {"randread": "extended to 8 blocks, as asked"}
    assert len({block.targets for block in blocks}) > 1


def test_an_extension_until_a_verdict_leaves_what_is_decided() -> None:
    study = make_study(mode="quick")

    def value(name: str, block: int) -> float:
        return clear_difference(name, block)

    part = Extension(started_ns=1, after={"randread": 3, "seqread": 3}, until_verdict=True)
    blocks, closed = goes_on(study, first_part(study, value), part, value)
    assert blocks == []
    assert all("decided after 3 blocks" in str(told) for told in closed.values())


def test_an_extension_goes_on_to_its_cap_whatever_is_projected() -> None:
    study = make_study(tests=("randread",), mode="quick", band=0.01)
    earlier = first_part(study, noise)
    made = len({run.block for run in earlier})
    part = Extension(started_ns=1, after={"randread": made}, blocks=30, until_verdict=True)
    blocks, closed = goes_on(study, earlier, part, noise)
    # To the last look within the bound: blocks after it could not change the answer.
    assert made + len(blocks) == 32
    assert "limit of 32 blocks reached" in str(closed["randread"])


def test_an_extension_decides_what_was_undecided() -> None:
    def half_clear(name: str, block: int) -> float:
        return noise(name, block) ** 0.5 * (1.3 if name == "t1" else 1.0)

    study = make_study(tests=("randread",), mode="quick")
    earlier = first_part(study, half_clear)
    part = Extension(started_ns=1, after={"randread": 6}, until_verdict=True)
    blocks, closed = goes_on(study, earlier, part, half_clear)
    assert "decided after" in str(closed["randread"])
    assert 6 + len(blocks) in {boundary.blocks for boundary in PLAN}


def test_what_was_invalid_before_an_extension_is_tried_again() -> None:
    def busy(_name: str, block: int, _attempt: int) -> RunStatus:
        return RunStatus.INVALID if block < 1 else RunStatus.OK

    study = make_study(tests=("randread",), mode="quick")
    earlier = first_part(study, clear_difference, busy)
    assert {run.status for run in earlier} == {RunStatus.INVALID}
    part = Extension(started_ns=1, after={"randread": 1}, blocks=12, until_verdict=True)
    blocks, closed = goes_on(study, earlier, part, clear_difference, busy)
    assert [block.number for block in blocks] == [1, 2, 3]
    assert "decided" in str(closed["randread"])


def refused_by(*guards: str) -> list[Run]:
    """One block of two attempts that these guards find invalid."""
    study = make_study(tests=("randread",), targets=1)
    findings = tuple(Finding(guard=guard, level=Level.INVALID, message="no") for guard in guards)
    blocks, _ = carry_out(study, clear_difference, lambda *_: RunStatus.INVALID)
    runs = [run for block in blocks for run in runs_of(study, block, clear_difference, lambda *_: RunStatus.INVALID)]
    return [run.model_copy(update={"findings": findings, "reason": "no"}) for run in runs]


@pytest.mark.parametrize(
    ("guards", "said"), [(("steal",), True), (("steal", "foreign_io"), True), (("steal", "memory"), False), ((), False)]
)
def test_a_host_that_is_never_quiet_is_told_what_to_say(guards: tuple[str, ...], said: bool) -> None:
    runs = refused_by(*guards)
    study = make_study(tests=("randread",), targets=1)
    schedule = Schedule(study, planning.steps(study))
    schedule.take(runs, score_rows(runs))
    closed = str(schedule.settle("randread"))
    assert closed.startswith("invalid twice: see the warnings")
    assert ("--noisy-host" in closed) is said
    assert ("--noisy-host" in why_nothing(runs)) is said
    assert "randread on t0: no" in why_nothing(runs)


def test_a_session_of_which_only_some_runs_were_disturbed_is_not() -> None:
    runs = refused_by("steal")
    fine = runs[0].model_copy(update={"status": RunStatus.FAILED, "findings": (), "reason": "broken"})
    assert "--noisy-host" not in why_nothing([*runs, fine])
    assert why_nothing([]) == "no run of this session is valid; nothing ran"


def test_one_target_in_quick_mode_ends_at_its_first_look_and_that_is_told_from_the_start() -> None:
    study = make_study()
    alone = replace(study, targets=study.targets[:1], mode="quick")
    told = Schedule(alone, planning.steps(alone)).time_left()
    assert told.least_ns == told.most_ns > 0
    estimate = planning.estimate(alone, planning.steps(alone))
    assert estimate.least_ns == estimate.most_ns
    standard = replace(alone, mode="standard")
    told = Schedule(standard, planning.steps(standard)).time_left()
    assert told.least_ns < told.most_ns


def timed(study: Study, block: Block, starts_ns: int, run_ns: int, layout_ns: int, pause_ns: int) -> list[Run]:
    """The runs of a block, one after the other, each with the time that its file took before."""
    made = []
    for run in runs_of(study, block, noise, ok):
        ended_ns = starts_ns + layout_ns + run_ns
        facts = {"phases": {"layout_ns": layout_ns, "measure_ns": run_ns}}
        made.append(run.model_copy(update={"started_ns": starts_ns, "ended_ns": ended_ns, "facts": facts}))
        starts_ns = ended_ns + pause_ns
    return made


@pytest.mark.parametrize("layout_ns", [0, 60 * SECOND])
def test_the_time_left_after_the_first_block_is_what_the_session_takes(layout_ns: int) -> None:
    """Six blocks of two cases: runs of 2 s that the plan takes for longer, after files that are written once."""
    run_ns, pause_ns, repeats = 2 * SECOND, SECOND // 2, 6
    study = make_study(repeats=repeats)
    schedule = Schedule(study, planning.steps(study))
    told, now_ns = [], SECOND
    while (block := schedule.next_block()) is not None:
        laid_ns = layout_ns if not told else 0
        for run in timed(study, block, now_ns, run_ns, laid_ns, pause_ns):
            schedule.take([run], score_rows([run]))
            told.append((run.ended_ns, schedule.time_left()))
            now_ns = run.ended_ns + pause_ns
        schedule.settle(block.step.case)
    end_ns = told[-1][0]
    after = [(end_ns - ended_ns, left) for ended_ns, left in told]
    left_ns, first = after[3]  # both cases have had their first block
    assert first.least_ns == first.most_ns == pytest.approx(left_ns, rel=0.05)
    assert all(left.most_ns == pytest.approx(left_ns, abs=run_ns) for left_ns, left in after[4:])
    assert after[-1][1].most_ns == 0


def test_a_file_that_is_written_for_each_run_counts_in_each() -> None:
    study = make_study(tests=("randread",), repeats=3)
    schedule = Schedule(study, planning.steps(study))
    block = schedule.next_block()
    assert block is not None
    runs = timed(study, block, SECOND, 2 * SECOND, 10 * SECOND, 0)
    refilled = [
        run.model_copy(update={"plan": run.plan.having({**run.plan.parameters, "layout": "refill"})}) for run in runs
    ]
    schedule.take(refilled, score_rows(refilled))
    assert schedule.time_left().most_ns == 2 * 2 * 12 * SECOND


def test_the_rest_of_a_block_is_what_its_other_targets_take() -> None:
    study = make_study(3, tests=("randread",), repeats=2)
    schedule = Schedule(study, planning.steps(study))
    for _ in range(2):
        block = schedule.next_block()
        assert block is not None
        runs = timed(study, block, SECOND, 2 * SECOND, 0, 0)
        for done, run in enumerate(runs, 1):
            schedule.take([run], score_rows([run]))
            if block.number:
                assert schedule.time_left().most_ns == (3 - done) * 2 * SECOND
        schedule.settle("randread")
