"""From the command line to the answer, on real files."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
from pathlib import Path

import pytest
from tests.integration.run.conftest import (
    PACED,
    PLIMSOLL,
    SHORT,
    Command,
    Measured,
    leftovers,
    measured_in,
    until_decided,
)


@pytest.fixture(scope="module")
def one_and_many(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """A slow target and a fast one, until there is a verdict."""
    where = ("--on", f"one=disk,{PACED['slow']}", "--on", f"many=disk,{PACED['fast']}")
    return until_decided(measured_in(tmp_path_factory.mktemp("paced"), ("run", "randread", *where, *SHORT)), "iops")


@pytest.fixture(scope="module")
def pinged(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """One run."""
    words = ("run", "ping", "--on", "here=disk", *SHORT, "--blocks", "1", "--title", "first")
    return measured_in(tmp_path_factory.mktemp("pinged"), words)


@pytest.fixture
def of_one_and_many(one_and_many: Measured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one_and_many.use_copy(tmp_path, monkeypatch)


@pytest.fixture
def of_pinged(pinged: Measured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place of the one run."""
    pinged.use_copy(tmp_path, monkeypatch)
    return pinged.disk


def test_every_quick_test_runs_and_is_scored(plimsoll: Command, disk: Path) -> None:
    answer = plimsoll("run", "--on", f"here={disk}", *SHORT, "--blocks", "1", "--json")
    assert leftovers(disk) == []
    found = plimsoll("export", "-o", "out.plimsoll.gz")
    assert "out.plimsoll.gz" in found.err
    with gzip.open(disk.parent / "out.plimsoll.gz", "rt") as file:
        runs = [record for record in map(json.loads, file) if "plan" in str(record.keys()) or "run" in record]
    assert len(runs) >= 7
    for test in ("ping", "randread", "randwrite", "randrw", "seqread", "seqwrite", "log-commit"):
        assert test in answer.out


@pytest.mark.usefixtures("of_one_and_many")
def test_a_setting_that_is_faster_is_said_to_be(plimsoll: Command) -> None:
    rows = plimsoll("compare", "--json").json
    (iops,) = [row for row in rows if row["metric"] == "iops"]
    assert iops["answer"] == "better"
    assert re.search(r"many is \S+× faster than one", iops["sentence"])
    assert any("depth" in note for note in iops["notes"])


@pytest.mark.usefixtures("of_one_and_many")
def test_a_gate_closes_when_something_got_worse(plimsoll: Command) -> None:
    gate = plimsoll("compare", "--baseline", "many", "--fail-on", "worse", check=1)
    assert re.search(r"one is \S+× slower than many", gate.err)
    unread = f"{PLIMSOLL} compare --baseline many --fail-on worse 2>/dev/null | :; exit ${{PIPESTATUS[0]}}"
    assert subprocess.run(["bash", "-c", unread]).returncode == 1, "it stays closed when nobody reads"
    # The other way round nothing is slower; latency is, so the gate looks at what the tests judge.
    assert plimsoll("compare", "--baseline", "many", check=0).out


def test_a_session_repeats_from_its_study_file(plimsoll: Command, of_pinged: Path) -> None:
    plimsoll("export", "first", "--study", "again.toml")
    plimsoll("run", "again.toml")
    plans = [
        plimsoll("show", session["session"], "--json").json for session in plimsoll("list", "sessions", "--json").json
    ]
    assert len(plans) == 2
    plan_one = plimsoll("plan", "again.toml", "--json").json
    plan_two = plimsoll("plan", "ping", "--on", f"here={of_pinged}", *SHORT, "--blocks", "1", "--json").json
    assert [each["hash"] for each in plan_one["plans"]] == [each["hash"] for each in plan_two["plans"]]


@pytest.mark.usefixtures("of_pinged")
def test_results_travel_between_machines(plimsoll: Command, tmp_path: Path) -> None:
    plimsoll("export", "-o", "a.plimsoll.gz")
    before = plimsoll("show", "--json").json
    other = {"PLIMSOLL_HOME": str(tmp_path / "elsewhere")}
    plimsoll("import", "a.plimsoll.gz", **other)
    plimsoll("merge", "a.plimsoll.gz", **other)
    assert plimsoll("show", "--json", **other).json == before


@pytest.mark.parametrize("suffix", [".html", ".md", ".json", ".csv", ".txt"])
@pytest.mark.usefixtures("of_pinged")
def test_reports_in_every_format(plimsoll: Command, tmp_path: Path, suffix: str) -> None:
    plimsoll("report", "-o", f"out{suffix}")
    assert (tmp_path / f"out{suffix}").stat().st_size > 100


def test_time_is_a_hard_bound(plimsoll: Command, disk: Path) -> None:
    answer = plimsoll(
        "run", "ping", "seqread", "--on", f"here={disk}", "--set", "size=16MiB", "--set", "runtime=1s",
        "--mode", "publish", "--time", "6s", "--noisy-host",
    )  # fmt: skip
    assert "the time is used up" in answer.err
    (session,) = plimsoll("list", "sessions", "--json").json
    assert session["state"] == "done"


def test_plan_writes_nothing(plimsoll: Command, disk: Path) -> None:
    answer = plimsoll("plan", "disk", "--on", f"here={disk}")
    assert "4 GiB" in answer.out + answer.err
    assert leftovers(disk) == []
    assert plimsoll("list", "sessions", "--json").json == []
