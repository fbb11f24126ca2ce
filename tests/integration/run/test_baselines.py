"""`plimsoll baseline`, `compare --baseline`, `run --against` as typed: later sessions held against a named one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.integration.run.conftest import PACED, SHORT, Command, Measured, measured_in

from plimsoll.store.opening import open_store

ALONE = {"fast": "depth=32,rate=400/s", "slow": "depth=1,rate=40/s"}
"""Ten times faster, also where others keep the machine busy: these never share a block, so few operations do."""


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    return measured_in(
        tmp_path_factory.mktemp("slow"), ("run", "randread", "--on", f"ssd=disk,{ALONE['slow']}", *SHORT)
    )


@pytest.fixture
def named(plimsoll: Command, slow: Measured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place of a slow session that is the baseline `before`."""
    slow.use_copy(tmp_path, monkeypatch)
    assert "baseline before: session" in plimsoll("baseline", "set", "Before").err
    return slow.disk


def test_a_later_session_is_held_against_it(plimsoll: Command, named: Path) -> None:
    answer = plimsoll("run", "randread", "--on", f"ssd={named},{ALONE['fast']}", *SHORT, "--against", "before")
    # Its own place of that name.
    said = re.search(r"ssd \(depth 32\) is \S+× faster than ssd \(depth 1\) · before \((\S+)…(\S+)\)", answer.out)
    assert said is not None, answer.out
    assert float(said[1]) <= 10 <= float(said[2]), said[0]
    assert "against baseline before:" in answer.err
    assert "holds only if nothing but the target changed" in answer.out
    rows = plimsoll("compare", "--baseline", "before", "--json").json
    assert {(row["baseline"], row["target"], row["interleaved"]) for row in rows} == {
        ("ssd (depth 1) · before", "ssd (depth 32)", False)
    }
    plimsoll("compare", "--baseline", "before", "--fail-on", "worse")
    plimsoll("baseline", "set", "after")
    first = plimsoll("list", "sessions", "--json").json[-1]["session"]
    gate = plimsoll("compare", first, "--baseline", "after", "--fail-on", "worse", check=1)
    assert re.search(r"gate: randread, iops: ssd \(depth 1\) is \S+× slower than ssd \(depth 32\) · after", gate.err)


def test_without_a_test_the_same_is_done_again(plimsoll: Command, named: Path) -> None:
    answer = plimsoll("run", "--against", "before", "--quiet")
    assert "ssd · before" in answer.out
    assert "parameters differ" not in answer.err
    with open_store() as store:
        one, other = store.sessions()
    assert {name: value for name, value in one.study.items() if name != "seed"} == {
        name: value for name, value in other.study.items() if name != "seed"
    }
    again = plimsoll("run", "--against", "before", "--on", f"hdd={named},{ALONE['fast']}", "--quiet")
    assert re.search(r"hdd is \S+× faster than ssd · before", again.out), "another place than the one of that name"


def test_each_target_is_held_against_its_namesake(plimsoll: Command, disk: Path) -> None:
    two = [f"{name}={disk},{options}" for name, options in PACED.items()]
    plimsoll("run", "randread", "--on", two[0], "--on", two[1], *SHORT, "--blocks", "3")
    plimsoll("baseline", "set", "pair")
    plimsoll("run", "--against", "pair", "--quiet")
    rows = plimsoll("compare", "--baseline", "pair", "--json").json
    pairs = {(row["target"], row["baseline"]) for row in rows if row["metric"] == "iops"}
    assert pairs == {("fast", "fast · pair"), ("slow", "slow · pair")}
    by_name = plimsoll("compare", "--baseline", "slow", "--json").json
    assert {(row["target"], row["baseline"]) for row in by_name} == {("fast", "slow")}, "a target of that name is meant"


def test_a_name_belongs_to_one_session_and_can_be_forgotten(plimsoll: Command, named: Path) -> None:
    plimsoll("run", "randread", "--on", f"ssd={named}", *SHORT)
    assert "instead of session" in plimsoll("baseline", "set", "before").err
    (line,) = plimsoll("baseline", "list", "--json").json
    assert (line["baseline"], line["session"]) == ("before", open_store().sessions()[0].id)
    assert "before" in plimsoll("baseline", "list").out
    assert "is forgotten; its session stays" in plimsoll("baseline", "remove", "before").err
    assert plimsoll("baseline", "list", "--json").json == []
    assert "no baseline yet" in plimsoll("baseline", "list").err
    assert len(open_store().sessions()) == 2


def test_what_cannot_be_compared_is_refused_before_it_is_measured(plimsoll: Command, named: Path) -> None:
    for words, told in (
        (["run", "--against", "befor"], "no baseline named 'befor'; did you mean 'before'?"),
        (["run", "ping", "--against", "before"], "baseline before has none of these tests (ping); it ran randread"),
        (["run", "--against", "before", "--json"], "for JSON, `plimsoll compare --baseline before --json` afterwards"),
        (["run", "--against", "before", "--dry-run"], "leave out --resume, --cluster and --against"),
        (["compare", "--baseline", "befor"], "no target or baseline named 'befor'; did you mean 'before'?"),
        (["compare", "--baseline", "sssd"], "no target or baseline named 'sssd'; did you mean 'ssd'?"),
        (["compare", "--baseline", "before"], "is the baseline before itself; measure again with `plimsoll run"),
        (["baseline", "set", "two words"], "is not a tag"),
        (["baseline", "set", " "], "a baseline needs a name of one word"),
        (["baseline", "set", "x", "nothing such"], "no session named 'nothing such'"),
        (["baseline", "remove", "befor"], "did you mean 'before'?"),
    ):
        assert told in plimsoll(*words, check=2).err
    with open_store() as store:
        assert len(store.sessions()) == 1
    assert list(named.iterdir()) == []


def test_without_any_baseline_the_way_to_one_is_said(plimsoll: Command) -> None:
    assert "`plimsoll baseline set NAME` makes one" in plimsoll("run", "--against", "x", check=2).err
    assert "holds no session yet" in plimsoll("baseline", "set", "x", check=2).err
