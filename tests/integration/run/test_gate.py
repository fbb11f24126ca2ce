"""A gate that compared nothing has not passed, and what is compared is the same work on the same kind of place."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
from tests.factories import make_study, many_cases
from tests.integration.run.conftest import Command

from plimsoll.model import Run, RunStatus, Session
from plimsoll.store.result_file import write_results

NOTHING = 4
SUMMARY = """transaction type: <builtin: TPC-B (sort of)>
scaling factor: {scale}
query mode: simple
number of clients: 8
number of threads: 2
duration: 60 s
number of transactions actually processed: {done}
latency average = {mean:.3f} ms
tps = {tps:.3f} (without initial connection time)
"""


def import_study(plimsoll: Command, folder: Path, title: str, facts: Any = None, **study: Any) -> None:
    """A session of our own with four blocks, as its result file brings it."""
    session, runs = make_study(title=title, seed=sum(map(ord, title)), **study)
    if facts:
        runs = [run.model_copy(update={"target": run.target.model_copy(update={"facts": facts})}) for run in runs]
    write(folder / f"{title}.plimsoll.gz", session, runs)
    plimsoll("import", folder / f"{title}.plimsoll.gz")


def write(path: Path, session: Session, runs: list[Run]) -> None:
    write_results(path, [session, *runs])


def import_pgbench(plimsoll: Command, folder: Path, name: str, factor: float, *scales: int) -> None:
    """Four runs at each scale; ten times the scale is half as fast."""
    draw, parts = random.Random(name), []
    for place, scale in enumerate(scales):
        for _ in range(4):
            tps = 6000 * factor * 0.5**place * draw.uniform(0.99, 1.01)
            parts.append(SUMMARY.format(scale=scale, done=int(tps * 60), mean=8000 / tps, tps=tps))
    (folder / f"{name}.txt").write_text("\n".join(parts))
    plimsoll("import", folder / f"{name}.txt", "--as", name)


@pytest.mark.parametrize("form", ["text", "json", "csv", "markdown", "benchstat", "junit", "github"])
def test_different_tests_do_not_pass_a_gate(plimsoll: Command, tmp_path: Path, form: str) -> None:
    import_study(plimsoll, tmp_path, "one", targets=("a",), cases=("randread",))
    import_study(plimsoll, tmp_path, "two", targets=("b",), cases=("seqread",))
    gate = plimsoll("compare", "one", "two", "--fail-on", "worse", "--format", form, check=NOTHING)
    assert "gate: nothing was compared: the targets have no case in common (a ran randread; b ran seqread)" in gate.err
    if form in ("markdown", "benchstat", "junit", "github"):
        assert "othing was compared" in gate.out
    if form == "junit":
        assert 'errors="1"' in gate.out
    if form == "github":
        assert gate.out.startswith("::error")
    # Without a gate it is told, and no failure.
    assert "nothing was compared" in plimsoll("compare", "one", "two", "--format", form).err


def test_a_side_without_a_valid_run_does_not_pass_a_gate(plimsoll: Command, tmp_path: Path) -> None:
    session, runs = make_study(title="lost")
    runs = [
        run.model_copy(update={"status": RunStatus.INVALID, "reason": "cached"}) if run.target.name == "b" else run
        for run in runs
    ]
    write(tmp_path / "lost.plimsoll.gz", session, runs)
    plimsoll("import", tmp_path / "lost.plimsoll.gz")
    gate = plimsoll("compare", "--fail-on", "worse", check=NOTHING)
    assert "no verdict: b and a have no valid block in common" in gate.out
    assert "gate: nothing was compared: b and a have no valid runs of both" in gate.err
    assert "<failure" in plimsoll("compare", "--fail-on", "worse", "--format", "junit", check=NOTHING).out


def test_a_session_that_failed_does_not_pass_a_gate(plimsoll: Command, tmp_path: Path) -> None:
    """A server that was dead leaves no score at all: that is no lack of a second session, and no usage error."""
    import_study(plimsoll, tmp_path, "good", targets=("a",))
    session, runs = make_study(title="dead", seed=3, targets=("a",))
    failed = [run.model_copy(update={"status": RunStatus.FAILED, "scores": (), "reason": "no server"}) for run in runs]
    write(tmp_path / "dead.plimsoll.gz", session, failed)
    plimsoll("import", tmp_path / "dead.plimsoll.gz")
    for words in (("good", "dead"), ("dead", "good"), ("dead",)):
        gate = plimsoll("compare", *words, "--fail-on", "worse", check=NOTHING)
        assert "gate: nothing was compared: session 'dead' (" in gate.err
        assert "only one target" not in gate.err
        assert "has no scores; `plimsoll show " in plimsoll("compare", *words, check=3).err
    assert "only one target" in plimsoll("compare", "good", "--fail-on", "worse", check=2).err


def test_own_sessions_run_apart_are_compared(plimsoll: Command, tmp_path: Path) -> None:
    for name, speed in (("old", 1.0), ("new", 0.5), ("again", 1.0)):
        import_study(plimsoll, tmp_path, name, targets=(name,), ratios={name: speed}, noise=0.01, block_noise=0.01)
    gate = plimsoll("compare", "old", "new", "--fail-on", "worse", check=1)
    assert re.search(r"new is \S+× slower than old", gate.err)
    assert "4 and 4 runs measured apart" in gate.out
    assert "measured apart, not interleaved" in gate.out
    fine = plimsoll("compare", "old", "again", "--fail-on", "worse", check=0)
    assert "gate:" not in fine.err
    assert "again and old are the same" in fine.out


def test_two_sessions_of_one_target_are_compared(plimsoll: Command, tmp_path: Path) -> None:
    for name, speed in (("before", 1.0), ("after", 0.5)):
        import_study(plimsoll, tmp_path, name, targets=("a",), ratios={"a": speed}, noise=0.01, block_noise=0.01)
    (before, after) = (plimsoll("list", "sessions", "--json").json[i]["session"] for i in (0, 1))
    told = plimsoll("compare", "before", "after", "--fail-on", "worse", check=1).out
    assert "× slower than" in told
    assert f"a · {before}" in told
    assert f"a · {after}" in told


def test_undecided_is_said_by_an_open_gate(plimsoll: Command, tmp_path: Path) -> None:
    import_study(plimsoll, tmp_path, "noise", noise=0.5)
    gate = plimsoll("compare", "--fail-on", "worse", check=0)
    assert "gate: passed, but no comparison is decided" in gate.err
    assert plimsoll("compare", "--fail-on", "unknown", check=1).err.count("gate: randread") == 2
    import_study(plimsoll, tmp_path, "clear", ratios={"b": 2.0}, noise=0.001, block_noise=0.001)
    assert "gate:" not in plimsoll("compare", "clear", "--fail-on", "worse", check=0).err


def test_cases_of_different_parameters_are_not_compared(plimsoll: Command, tmp_path: Path) -> None:
    scales = (100, 1000, 10000)
    for name, factor in (("a", 1.0), ("b", 1.3)):
        import_pgbench(plimsoll, tmp_path, name, factor, *scales)
    words = [f"{name}.txt (pgbench output)" for name in "ab"]
    rates = [row for row in plimsoll("compare", *words, "--json").json if row["metric"] == "transaction_rate"]
    assert sorted(row["test"] for row in rates) == [f"pgbench TPC-B (sort of) scale={scale}" for scale in scales]
    assert all(1.25 < row["ratio"] < 1.35 for row in rates)
    shown = plimsoll("show", *words).out
    for scale in scales:
        assert f"scale={scale}" in shown
    asked = plimsoll("compare", *words, "--across", "scale", "--baseline", "a").out
    assert re.search(r"b scale=10000 is \S+× slower than a scale=100", asked)
    assert "scale=" not in plimsoll("compare", *words, "--across", "scale", "--json").json[0]["test"]


def test_a_case_that_only_one_target_ran_is_named(plimsoll: Command, tmp_path: Path) -> None:
    import_pgbench(plimsoll, tmp_path, "a", 1.0, 100, 1000)
    import_pgbench(plimsoll, tmp_path, "b", 1.0, 100)
    words = [f"{name}.txt (pgbench output)" for name in "ab"]
    told = plimsoll("compare", *words, "--fail-on", "worse", check=0).err
    assert "not compared: pgbench TPC-B (sort of) scale=1000 (a only)" in told
    import_study(plimsoll, tmp_path, "both")
    assert "not compared" not in plimsoll("compare", "both").err


def test_what_keeps_cases_apart_is_named(plimsoll: Command, tmp_path: Path) -> None:
    import_pgbench(plimsoll, tmp_path, "a", 1.0, 100)
    import_pgbench(plimsoll, tmp_path, "b", 1.0, 1000)
    words = [f"{name}.txt (pgbench output)" for name in "ab"]
    gate = plimsoll("compare", *words, "--fail-on", "worse", check=NOTHING)
    assert "their parameters differ, and `--across scale` compares them all the same" in gate.err
    rows = plimsoll("compare", *words, "--across", "scale", "--json").json
    assert {(row["target"], row["baseline"]) for row in rows} == {("b scale=1000", "a scale=100")}
    assert plimsoll("compare", *words, "--across", "scale", "--all").out.count("b scale=1000 and a scale=100 are") == 2
    assert "no parameter named 'scal'" in plimsoll("compare", *words, "--across", "scal", check=2).err


def test_different_storage_of_one_name_is_never_pooled(plimsoll: Command, tmp_path: Path) -> None:
    for name, file_system, speed in (("monday", "ext4", 1.0), ("tuesday", "tmpfs", 5.0), ("friday", "ext4", 1.0)):
        facts = {"file_system": file_system}
        import_study(plimsoll, tmp_path, name, facts, targets=("disk",), ratios={"disk": speed}, noise=0.01)
    shown = plimsoll("show", "monday", "tuesday", "friday").out
    assert "compared with disk (ext4)" in shown
    assert "8 and 4 runs measured apart" not in shown
    assert "4 and 8 runs measured apart" in shown
    same = plimsoll("show", "monday", "friday").out
    assert "disk (" not in same
    assert "disk reaches" in same


def test_the_suite_is_the_same_in_every_command(plimsoll: Command, tmp_path: Path) -> None:
    """Two cases can share a plan and be judged by different metrics: `randread depth=1` does what `ping` does."""
    cases = ("randread depth=1", "seqread", "ping")
    import_study(plimsoll, tmp_path, "suite", cases=cases, ratios={"b": 2.0}, noise=0.01, block_noise=0.01)
    told = plimsoll("compare", "suite").out.splitlines()[-1].removeprefix(" • ")
    assert told.startswith("Over 3 cases, b is ")
    assert "the geometric mean of randread depth=1, seqread, ping, latency ratios inverted" in told
    shown = " ".join(plimsoll("show", "suite").out.split())
    assert told in shown
    (row,) = [row for row in plimsoll("compare", "suite", "--json").json if row["answer"] is None]
    assert row["sentence"] == told
    assert "It is a summary, not a verdict" in told
    assert {frozenset(row) for row in plimsoll("compare", "suite", "--json").json} == {frozenset(row)}
    assert told in plimsoll("compare", "suite", "--csv").out


def test_of_many_comparisons_those_that_differ_are_shown_and_the_rest_is_counted(
    plimsoll: Command, tmp_path: Path
) -> None:
    cases = many_cases(14)
    ratios = {("b", cases[0]): 3.0, ("b", cases[1]): 0.3}
    import_study(plimsoll, tmp_path, "many", targets=("a", "b"), cases=cases, ratios=ratios, noise=0.001)
    every = plimsoll("compare", "many", "--all").out
    some = plimsoll("compare", "many").out
    same = [line for line in every.splitlines() if "are the same within" in line]
    assert same
    assert not any(line in some for line in same)
    assert "differ;" in some
    assert f"{len(same)} the same" in some
    assert "`--all` shows these too" in some
    assert "`--all`" not in every
    assert plimsoll("compare", "many", "--json").out.count('"answer"') > len(same) + 2
    # The table has every verdict in few lines, here as in `show`.
    assert "Scores, compared with a" in some
    assert all(case in some for case in cases)
    assert "more sentence" in plimsoll("show", "many").out
    assert "are the same within" not in plimsoll("show", "many").out
    assert "are the same within" in plimsoll("show", "many", "--all").out
