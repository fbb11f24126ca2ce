"""`plimsoll knee` as a user types it."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

from tests.integration.run.conftest import PLIMSOLL, Command, leftovers
from tests.integration.run.test_interruptions import states, wait_for_runs

from plimsoll.model import Run
from plimsoll.store.opening import open_store

SHORT = ("--set", "size=16MiB", "--set", "runtime=60ms", "--set", "warmup=10ms", "--noisy-host", "--seed", "1")
"""Short, because the null engine has nothing stored."""


def sentences(answer: dict[str, Any]) -> list[str]:
    section = answer["sections"][0]
    assert section["id"] == "answer"
    return [each["text"] for each in section["blocks"][0]["sentences"]]


def stored() -> list[Run]:
    with open_store() as store:
        return store.runs([store.sessions()[0].id])


def test_every_run_of_a_search_is_kept_with_its_load(plimsoll: Command, disk: Path) -> None:
    answer = plimsoll("knee", "randread", "--on", f"here={disk},engine=null", "--clients", "1..4", *SHORT, "--json")
    told = sentences(answer.json)
    assert any("highest throughput" in sentence for sentence in told)
    runs = stored()
    assert {run.facts["load_line"]["phase"] for run in runs} >= {"ramp", "round", "peak"}
    assert all(run.plan.parameters["depth"] == run.facts["load_line"]["load"] for run in runs)
    assert leftovers(disk) == []
    assert states(plimsoll) == ["done"]
    again = plimsoll("show", "--json")
    assert sentences(again.json) == told


def test_report_holds_the_curve(plimsoll: Command, disk: Path, tmp_path: Path) -> None:
    done = plimsoll("knee", "randread", "--on", f"a={disk},engine=null", "--on", f"b={disk},engine=null,threads=2",
                    "--depth", "1..2", "--slo", "p99<1s", *SHORT, "-o", "line.html")  # fmt: skip
    assert done.out.count("p99 below 1 s holds up to depth 2, the largest load of the range") == 2
    assert "Verdicts" not in done.out
    page = (tmp_path / "line.html").read_text()
    assert 'id="load-line"' in page
    assert 'id="load-throughput"' in page
    plimsoll("export", "--study", "again.toml")
    study = (tmp_path / "again.toml").read_text()
    assert 'range = "1..2"' in study
    assert 'slo = "p99<1s"' in study
    assert "plimsoll knee" in plimsoll("run", "again.toml", check=2).err


def test_an_interrupted_search_goes_on_with_the_same_loads(plimsoll: Command, disk: Path) -> None:
    words = ("knee", "randread", "--on", f"here={disk},engine=null", "--depth", "1..4", *SHORT)
    with subprocess.Popen(
        [PLIMSOLL, *words], cwd=disk.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ},
    ) as process:  # fmt: skip
        wait_for_runs(process, 4)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
    assert process.returncode == 130
    assert leftovers(disk) == []
    assert states(plimsoll) == ["interrupted"]
    before = [run.id for run in stored()]
    plimsoll("run", "--resume")
    assert states(plimsoll) == ["done"]
    runs = stored()
    assert [run.id for run in runs][: len(before)] == before
    finished = [run.facts["load_line"] for run in runs if run.status.value != "partial"]
    assert [each["phase"] for each in finished][:1] == ["ramp"]
    assert {each["phase"] for each in finished} >= {"ramp", "round", "peak"}


def test_a_bound_on_the_time_leaves_room_for_the_fresh_runs(plimsoll: Command, disk: Path) -> None:
    plimsoll("knee", "randread", "--on", f"here={disk},engine=null", "--depth", "1..64", *SHORT, "--time", "8s",
             "--mode", "publish")  # fmt: skip
    phases = [run.facts["load_line"]["phase"] for run in stored()]
    assert phases.count("peak") == 3
    assert phases.count("round") < 20 * 7


def test_what_cannot_work_is_refused(plimsoll: Command) -> None:
    refused = plimsoll("knee", "randread", "--on", "x=.,engine=psync", "--depth", "1..4", check=2)
    assert "at most 1 operation in flight" in refused.err
    assert "leave out --depth" in plimsoll("knee", "missing.toml", "--depth", "1..4", check=2).err


def test_runs_that_are_too_short_are_refused(plimsoll: Command, disk: Path) -> None:
    words = ("knee", "randread", "--on", f"here={disk}", "--depth", "1..4", "--set", "size=16MiB")
    refused = plimsoll(*words, "--set", "runtime=500ms", check=2)
    assert "set runtime=5s or more" in refused.err
    assert "--stored 0s" in refused.err
    assert leftovers(disk) == []


def test_a_search_has_no_plan_and_other_studies_no_knee(plimsoll: Command) -> None:
    for words in (("plan", "rds-piops-2013"), ("run", "rds-piops-2013", "--dry-run")):
        said = plimsoll(*words, check=2).err
        assert "rds-piops-2013 is a search, whose runs are not known in advance" in said
    assert "`plimsoll run piops-2013` carries it out" in plimsoll("knee", "piops-2013", check=2).err
    assert "rds-piops-2013" in plimsoll("list", "studies").out
