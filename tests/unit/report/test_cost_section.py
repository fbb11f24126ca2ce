"""The cost section: known volumes only, dated prices, sustained rates, and requests as the device counts them."""

from __future__ import annotations

import pytest
from tests.factories import make_plan, make_study

from plimsoll.catalog.waits import WAITED
from plimsoll.model import Interval, Run, RunStatus
from plimsoll.report.document import Table, Text
from plimsoll.report.evidence import Evidence
from plimsoll.report.sections import cost


def evidence(options: dict[str, str], *, device: float | None = None, case: str = "randread") -> Evidence:
    session, runs = make_study(cases=(case,), targets=("a", "b"), blocks=3)
    changed = [_changed(run, options, device) for run in runs]
    return Evidence(sessions=[session], runs=changed, baseline=None, band=0.1)


def _changed(run: Run, options: dict[str, str], device: float | None) -> Run:
    target = run.target.model_copy(update={"options": options if run.target.name == "a" else {}})
    intervals: tuple[Interval, ...] = run.intervals
    if device is not None:
        intervals = tuple(each.model_copy(update={"device": {"reads": device, "writes": 0.0}}) for each in intervals)
    return run.model_copy(update={"target": target, "intervals": intervals})


def test_targets_that_nobody_named_have_no_section() -> None:
    assert cost.build(evidence({})) == []


def test_a_known_volume_has_a_dated_price_and_a_reason() -> None:
    volumes, operations, session = cost.build(evidence({"as": "gp3+size=100GiB+instance=m5.large"}))
    assert isinstance(volumes, Table)
    assert isinstance(operations, Table)
    assert isinstance(session, Text)
    [row] = volumes.rows
    words = [cell.text for cell in row if cell is not None]
    assert words[:5] == ["a", "gp3 100 GiB, 3,000 IOPS, 125 MiB/s", "$8.00", "m5.large", "$70.08"]
    assert words[5].startswith("2026-")
    [line] = operations.rows
    assert line[4] is not None
    assert "above its" in line[4].text
    assert "each instance type counted once" in session.sentences[0].text


def test_runs_that_are_all_invalid_cost_time_and_no_operations() -> None:
    whole = evidence({"as": "gp3+size=100GiB"})
    runs = [run.model_copy(update={"status": RunStatus.INVALID}) for run in whole.runs]
    volumes, operations, _ = cost.build(Evidence(sessions=whole.sessions, runs=runs, baseline=None, band=0.1))
    assert isinstance(volumes, Table)
    assert isinstance(operations, Table)
    assert (len(volumes.rows), len(operations.rows)) == (1, 0)


def _waiting(options: dict[str, str], share: float) -> Evidence:
    """The same, where the volume counted for how long I/Os waited for its IOPS."""
    found = evidence(options)
    runs = []
    for run in found.runs:
        intervals = tuple(
            each.model_copy(update={"device": {WAITED + "volume.iops": share * each.duration_ns}, "cpu": {"busy": 0.1}})
            for each in run.intervals
        )
        runs.append(run.model_copy(update={"intervals": intervals}))
    return Evidence(sessions=found.sessions, runs=runs, baseline=None, band=0.1)


@pytest.mark.parametrize(
    ("share", "said"), [(0.95, "I/Os waited for it in 95 % of the time"), (0.0, "no limit of it made I/Os wait")]
)
def test_the_limit_that_ios_waited_for_is_the_reason(share: float, said: str) -> None:
    options = {"as": "ultra+size=400GiB+iops=200000"}
    _, operations, _ = cost.build(_waiting(options, share))
    assert isinstance(operations, Table)
    [line] = operations.rows
    assert said in str(line[4])
    _, uncounted, _ = cost.build(evidence(options))
    assert isinstance(uncounted, Table)
    assert "waited" not in str(uncounted.rows[0][4])
    assert "made I/Os wait" not in str(uncounted.rows[0][4])


def test_a_volume_without_a_known_price_says_so() -> None:
    volumes, _, session = cost.build(evidence({"as": "premium-ssd+size=64GiB"}))
    assert isinstance(volumes, Table)
    assert volumes.rows[0][2] is None
    assert "no price of premium-ssd.P6" in str(volumes.rows[0][5])
    assert isinstance(session, Text)
    assert "at least $0" in session.sentences[0].text
    assert "a unknown" in session.sentences[0].text


def test_requests_are_those_that_reached_the_device() -> None:
    volume = {"as": "standard+size=1GiB+era=2009"}
    counted = evidence(volume, device=1e6)
    intervals = sum(len(run.intervals) for run in counted.runs if run.target.name == "a")
    assert cost.requests_of(counted, "a") == pytest.approx(1e6 * intervals)
    # A file test counts characters; without a device to ask nothing is known of its I/Os.
    [run] = [each for each in evidence(volume).runs if each.target.name == "a"][:1]
    assert cost._run_requests(run) > 0
    buffered = make_plan("randread").model_copy(update={"workload": "bonnie"})
    assert cost._run_requests(run.model_copy(update={"plan": buffered})) == 0
