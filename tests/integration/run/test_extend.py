"""`plimsoll extend` as typed: more blocks for a finished session, refused where they would not be the same."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import until
from tests.integration.run.conftest import (
    PACED,
    PLIMSOLL,
    SHORT,
    Answer,
    Command,
    Measured,
    leftovers,
    measured_in,
)

from plimsoll.model import RunStatus, Session, SessionState
from plimsoll.store.opening import open_store
from plimsoll.store.store import Store

# Both do as much as they are told to, and the smallest error that is believed is 0.1 %: no answer in so narrow a band.
# In slices so short, each would have an operation or none, and which of the two would be an answer.
PACE = ("--set", "rate=500/s", "--set", "depth=1", "--interleave", "blocks")
UNDECIDED = (*SHORT, *PACE, "--same-place", "--band", "0.1%", "--blocks", "3")


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    return measured_in(
        tmp_path_factory.mktemp("measured"),
        ("run", "randread", "--on", "a=disk", "--on", "b=disk", *UNDECIDED, "--seed", "7"),
    )


@pytest.fixture
def disk(measured: Measured) -> Path:
    """An empty directory, where the session without a verdict was measured."""
    return measured.disk


@pytest.fixture
def undecided(measured: Measured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    """A finished session of three blocks without a verdict."""
    measured.use_copy(tmp_path, monkeypatch)
    with open_store() as store:
        return store.sessions()[0]


def stored() -> tuple[Session, list[tuple[int, str]]]:
    with open_store() as store:
        session = store.sessions()[0]
        return session, [(run.block, run.target.name) for run in store.runs([session.id])]


def test_blocks_are_added_and_all_are_judged_together(plimsoll: Command, disk: Path, undecided: Session) -> None:
    dry = plimsoll("extend", "--blocks", "2", "--dry-run")
    assert "2 blocks (about" in dry.err
    assert len(stored()[1]) == 6
    answer = plimsoll("extend", undecided.id[-8:], "--blocks", "2")
    session, runs = stored()
    assert (session.id, session.state, session.policy_version) == (undecided.id, undecided.state, 4)
    assert [block for block, _ in runs] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert "after 5 blocks" in answer.out
    assert f"session {session.id[-8:]}" in answer.err
    assert leftovers(disk) == []
    shown = plimsoll("show").out
    assert "Parts of randread on a, b" in shown
    assert "2 more blocks" in shown
    [cell, *_] = plimsoll("compare", "--json").json
    assert cell["blocks"] == 5
    report: dict[str, Any] = plimsoll("show", "--json").json
    assert "extended to 5 blocks, as asked" in json.dumps(report, ensure_ascii=False)


def test_the_plans_are_those_of_the_session_and_recompute_agrees(
    plimsoll: Command, tmp_path: Path, undecided: Session
) -> None:
    plimsoll("extend", "--blocks", "1")
    plimsoll("export", "-o", "x.plimsoll.gz", "--study", "again.toml")
    with open_store() as store:
        runs = store.runs([undecided.id])
    assert len({run.plan.hash for run in runs}) == 1
    answer = plimsoll("recompute", "x.plimsoll.gz")
    assert "policy version 4: regenerated" in answer.err
    other = {"PLIMSOLL_HOME": "elsewhere"}
    plimsoll("import", "x.plimsoll.gz", **other)
    assert plimsoll("compare", "--json", **other).json == plimsoll("compare", "--json").json
    # What repeats it is the session as it began.
    assert "extensions" not in (tmp_path / "again.toml").read_text()


@pytest.mark.usefixtures("undecided")
def test_extended_three_times_by_each_of_its_bounds(plimsoll: Command) -> None:
    plimsoll("extend", "--blocks", "1")
    plimsoll("extend", "--until", "verdict", "--blocks", "2", "--quiet")
    answer = plimsoll("extend", "--for", "6s", "--json")
    assert answer.json["sections"]
    session, runs = stored()
    assert [sorted(part) for part in session.study["extensions"]] == [
        ["after", "blocks", "started_ns"],
        ["after", "blocks", "started_ns", "until"],
        ["after", "started_ns", "time_ns"],
    ]
    assert [part["after"]["randread"] for part in session.study["extensions"]] == [3, 4, 6]
    assert len(runs) > 12
    assert [block for block, _ in runs] == sorted(block for block, _ in runs)


def test_it_is_refused_where_it_would_be_something_else(plimsoll: Command, undecided: Session, disk: Path) -> None:
    before = stored()

    def changed(**values: Any) -> Store:
        store = open_store()
        store.restore_session(undecided.model_copy(update=values))
        return store

    for values, words in (
        ({"host": {**undecided.host, "machine_key": "0" * 16}}, "another machine"),
        ({"study": {**undecided.study, "load_line": {}}}, "a search for a load line"),
        ({"study": {"imported": True, "interleaved": False}}, "was imported or made by a front end"),
        ({"state": SessionState.INTERRUPTED}, "--resume"),
        ({"policy_version": 2}, "rules of version 2"),
        ({"study": {**undecided.study, "set": {**undecided.study["set"], "size": "32MiB"}}}, "size"),
    ):
        with changed(**values):
            assert words in plimsoll("extend", "--blocks", "1", check=2).err
    with changed(host={**undecided.host, "hostname": "another", "kernel": "5.4.0-old"}):
        answer = plimsoll("extend", "--blocks", "1", check=2)
        assert "kernel was 5.4.0-old" in answer.err
        assert "host changed from another" in answer.err
    open_store().restore_session(undecided)
    assert stored() == before, "what was refused changed nothing"
    assert leftovers(disk) == []
    for words in (["--blocks", "0"], ["--until", "noon"], ["--for", "soon"], ["nothing such"]):
        plimsoll("extend", *words, check=2)


def test_a_changed_kernel_is_said_and_kept(plimsoll: Command, undecided: Session) -> None:
    with open_store() as store:
        store.restore_session(undecided.model_copy(update={"host": {**undecided.host, "kernel": "5.4.0-old"}}))
    assert "kernel was 5.4.0-old" in plimsoll("extend", "--blocks", "1").err
    assert "kernel was 5.4.0-old" in plimsoll("show").out


def start(disk: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen([str(PLIMSOLL), *words], cwd=disk.parent, stderr=subprocess.PIPE, text=True)


def wait_for_runs(count: int, child: subprocess.Popen[str]) -> None:
    def made() -> bool:
        assert child.poll() is None, child.communicate()
        return len(stored()[1]) >= count

    until(made, f"{count} runs in the store")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_extension_is_resumed(plimsoll: Command, disk: Path, undecided: Session, how: int) -> None:
    child = start(disk, "extend", "--blocks", "4")
    wait_for_runs(9, child)
    child.send_signal(how)
    child.communicate()
    assert "--resume" in plimsoll("extend", "--blocks", "1", check=2).err
    plimsoll("run", "--resume", undecided.id[-8:])
    session, _ = stored()
    with open_store() as store:
        runs = [run for run in store.runs([session.id]) if run.status is RunStatus.OK]
    assert session.state == "done"
    assert {run.block for run in runs} == set(range(7))
    assert len({(run.block, run.target.name) for run in runs}) == 14
    assert leftovers(disk) == []


def until_decided(plimsoll: Command, answer: Answer) -> Answer:
    """Go on as the end of a run says: a busy machine needs more blocks now and then even for ten times."""
    for _ in range(6):
        if "no answer yet" not in answer.err:
            return answer
        answer = plimsoll("extend")
    raise AssertionError(answer.err)


def test_the_end_of_a_run_names_the_session_and_what_comes_next(plimsoll: Command, disk: Path) -> None:
    where = ("--on", f"a={disk},{PACED['fast']}", "--on", f"b={disk},{PACED['slow']}")
    answer = until_decided(plimsoll, plimsoll("run", "randread", *where, *SHORT))
    name = stored()[0].id[-8:]
    assert answer.err.splitlines()[-1] == f"session {name}; next: `plimsoll report {name} -o report.html`"
    assert "has its answer" in plimsoll("extend", check=2).err
    plimsoll("extend", "--blocks", "1", "-o", "out.html")


def test_what_comes_next_is_not_said_where_it_is_done_or_nobody_wants_to_hear_it(plimsoll: Command, disk: Path) -> None:
    # One target has a score and no question: its session is over after any block.
    words = ("run", "ping", "--on", f"a={disk}", *SHORT, "--blocks", "1")
    assert "next: `plimsoll report" in plimsoll(*words).err
    there_is_one = plimsoll(*words, "-o", "again.html").err
    assert there_is_one.splitlines()[-1] == f"session {stored()[0].id[-8:]}"
    for quiet in ("--json", "--quiet"):
        assert "next:" not in plimsoll(*words, quiet).err


def test_an_undecided_run_names_the_command_that_goes_on(plimsoll: Command, disk: Path) -> None:
    where = ("--on", f"a={disk},{PACED['fast']}", "--on", f"b={disk},{PACED['slow']}")
    preview = plimsoll("run", "randread", *where, *SHORT, "--blocks", "2")
    name = stored()[0].id[-8:]
    assert f"1 case has no answer yet; `plimsoll extend {name}` goes on for about 1 more block (" in preview.err
    answer = until_decided(plimsoll, plimsoll("extend"))
    assert f"session {name}; next: `plimsoll report" in answer.err
    _, runs = stored()
    assert len(runs) == 2 * len({block for block, _ in runs}) >= 6
    # One target has a score and no question.
    assert "no answer yet" not in plimsoll("run", "ping", "--on", f"a={disk}", *SHORT, "--blocks", "1").err


def test_a_search_is_not_extended(plimsoll: Command, disk: Path) -> None:
    moment = ("--set", "size=16MiB", "--set", "runtime=60ms", "--set", "warmup=10ms", "--noisy-host")
    plimsoll("knee", "randread", "--depth", "1..2", "--on", f"a={disk},engine=null", *moment)
    assert "search for a load line" in plimsoll("extend", check=2).err
