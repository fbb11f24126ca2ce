"""Disk tests on the workers of a real cluster, and what happens when parts of it go away."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from itertools import pairwise
from pathlib import Path

import pytest
from tests.conftest import need_program, until
from tests.integration.cluster.conftest import Workers
from tests.integration.run.conftest import PACED, PLIMSOLL, Command, leftovers
from tests.integration.run.conftest import plimsoll as plimsoll  # the fixture
from tests.integration.run.test_interruptions import wait_for_runs
from tests.integration.run.turns import blocks_in_turns

from plimsoll.model import Run, RunStatus
from plimsoll.stats.histogram import decode
from plimsoll.store.opening import open_store
from plimsoll.units import MIB, MILLISECOND

SHORT = ("--set", "size=8MiB", "--set", "runtime=300ms", "--set", "warmup=50ms", "--noisy-host")


def stored() -> list[Run]:
    with open_store() as store:
        return store.runs([store.sessions()[0].id])


def whole_blocks(runs: list[Run], names: set[str]) -> set[int]:
    """Blocks that every target has had.

    A run that a guard finds invalid is measured all the same; what it costs is a further attempt of the block.
    """
    by_attempt: dict[tuple[int, int], set[str]] = {}
    for run in runs:
        if run.status is not RunStatus.FAILED:
            by_attempt.setdefault((run.block, run.attempt), set()).add(run.target.name)
    return {block for (block, _), found in by_attempt.items() if found == names}


def measures(worker: subprocess.Popen[bytes]) -> bool:
    """Whether a run of a database test is under way in it."""
    threads = Path(f"/proc/{worker.pid}/task").glob("*/comm")
    return any(thread.read_text() == "plimsoll-db\n" for thread in threads)


def begin(workers: Workers, cwd: Path, *names: str, blocks: int = 500) -> subprocess.Popen[str]:
    """A session over all workers of exactly so many blocks; by itself it takes longer than what is done meanwhile."""
    return subprocess.Popen(
        [PLIMSOLL, "run", "randread", "--cluster", workers.address, *workers.places(",engine=null", names), *SHORT,
         "--repeats", str(blocks)],
        cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ},
    )  # fmt: skip


def test_places_on_workers_are_compared_in_blocks(plimsoll: Command, workers: Workers, tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    words = ("--cluster", workers.address, *workers.places(), "--on", f"here={here}", *SHORT, "--blocks", "3")
    done = plimsoll("run", "randread", *words, "--json")
    assert "3 workers: w1 (tcp://" in done.err
    assert "clocks: " in done.err
    runs = stored()
    # A busy machine may make a block invalid, which is measured again.
    assert {run.status for run in runs} <= {RunStatus.OK, RunStatus.INVALID}
    assert {run.target.name: run.target.where for run in runs} == {
        "here": str(here),
        **{name: f"@{name}:{path}" for name, path in workers.folders.items()},
    }
    assert whole_blocks(runs, {"here", *workers.folders}) == {0, 1, 2}
    with open_store() as store:
        host = store.sessions()[0].host
    # The clocks are as far apart as is said of each, and no further.
    apart = 2 * max(facts["clock_uncertainty_ns"] for facts in host["workers"].values())
    assert all(early.ended_ns <= late.started_ns + max(apart, 200_000_000) for early, late in pairwise(runs))
    assert set(host["workers"]) == {"w1", "w2", "w3"}
    assert all(facts["clock_uncertainty_ns"] > 0 for facts in host["workers"].values())
    assert all(leftovers(folder) == [] for folder in (here, *workers.folders.values()))


def test_a_coordinator_that_falls_silent_loses_its_lease(plimsoll: Command, workers: Workers, tmp_path: Path) -> None:
    del plimsoll
    with begin(workers, tmp_path, "w1", "w3") as session:
        wait_for_runs(session, 3)
        session.send_signal(signal.SIGSTOP)
        deadline = time.monotonic() + 60
        while leftovers(workers.folders["w1"]) and time.monotonic() < deadline:
            time.sleep(0.2)
        gone = leftovers(workers.folders["w1"]) == []
        session.send_signal(signal.SIGCONT)
        _, err = session.communicate(timeout=120)
    assert gone
    assert session.returncode == 2
    assert "its lease ran out" in err


def test_an_interrupted_session_leaves_nothing_on_the_workers(
    plimsoll: Command, workers: Workers, tmp_path: Path
) -> None:
    with begin(workers, tmp_path, blocks=3) as session:
        wait_for_runs(session, 1)
        session.send_signal(signal.SIGINT)
        _, err = session.communicate(timeout=120)
    assert session.returncode == 130, err
    assert all(leftovers(folder) == [] for folder in workers.folders.values())
    plimsoll("run", "--resume", "--cluster", workers.address, "--quiet")
    with open_store() as store:
        assert store.sessions()[0].state.value == "done"


def test_two_sessions_do_not_measure_each_other_on_one_worker(
    plimsoll: Command, workers: Workers, tmp_path: Path
) -> None:
    other = workers.folders["w1"].parent / "another folder of w1"
    other.mkdir(exist_ok=True)
    with begin(workers, tmp_path, "w1") as session:
        wait_for_runs(session, 1)
        words = ("run", "randread", "--cluster", workers.address, *SHORT, "--blocks", "1")
        refused = plimsoll(*words, "--on", f"b=@w1:{other}", check=2).err
        # Another machine is free meanwhile, and this one is when the first session has ended.
        plimsoll(*words, *workers.places(",engine=null", ("w3",)))
        session.send_signal(signal.SIGINT)
        session.communicate(timeout=120)
    assert "worker w1: machine " in refused
    assert "is in use by process" in refused
    assert leftovers(other) == []
    plimsoll(*words, "--on", f"b=@w1:{other}")


def test_what_a_worker_refuses_is_told(plimsoll: Command, workers: Workers) -> None:
    words = ("run", "randread", "--cluster", workers.address, "--on", "a=@w1:/nonesuch")
    assert "worker w1: " in plimsoll(*words, check=2).err


def test_workers_do_not_share_a_directory(plimsoll: Command, workers: Workers) -> None:
    shared = f"@*:{workers.folders['w1'].parent}"
    refused = plimsoll("run", "ycsb-a", "--cluster", workers.address, "--on", f"all={shared}", "--server", "memory",
                       "--set", "clients=3", check=2).err  # fmt: skip
    assert "one and the same place for workers w1 and w2" in refused
    assert f"such as {shared}/{{worker}}" in refused


def test_workers_do_not_share_a_device(plimsoll: Command, workers: Workers, tmp_path: Path) -> None:
    losetup = need_program("losetup")
    with (tmp_path / "image").open("wb") as image:
        image.truncate(64 * MIB)
    device = subprocess.run([losetup, "--find", "--show", image.name], check=True, capture_output=True, text=True)
    loop = device.stdout.strip()
    try:
        words = ("run", "randread", "--cluster", workers.address, "--on", f"all=@*:{loop}", *SHORT)
        assert f"name one worker, such as @w1:{loop}" in plimsoll(*words, check=2).err
    finally:
        subprocess.run([losetup, "--detach", loop], check=True)


def test_a_session_on_workers_is_extended_on_them(plimsoll: Command, workers: Workers) -> None:
    there = ("--cluster", workers.address)
    places = (*workers.places(f",{PACED['fast']}", ("w1",)), *workers.places(f",{PACED['slow']}", ("w2",)))
    preview = plimsoll("run", "randread", *there, *places, *SHORT, "--blocks", "2")
    (first,) = plimsoll("list", "sessions", "--json").json
    assert f"`plimsoll extend {first['session']}` with the same --cluster goes on for about 1 more block" in preview.err
    # Without its cluster it is refused, and stays what it was.
    assert "name its cluster with --cluster" in plimsoll("extend", check=2).err
    assert whole_blocks(stored(), {"w1", "w2"}) == {0, 1}
    done = plimsoll("extend", *there)
    assert "3 workers: w1 (tcp://" in done.err
    assert re.search(r"w2 is \S+× slower than w1", done.out)
    assert f"session {first['session']}; next: `plimsoll report" in done.err
    (again,) = plimsoll("list", "sessions", "--json").json
    assert (again["session"], again["state"]) == (first["session"], "done")
    assert whole_blocks(stored(), {"w1", "w2"}) == {0, 1, 2}
    assert {run.target.where for run in stored()} == {f"@{name}:{workers.folders[name]}" for name in ("w1", "w2")}
    assert all(leftovers(folder) == [] for folder in workers.folders.values())


def test_a_session_on_a_device_of_a_worker_is_extended(plimsoll: Command, workers: Workers, tmp_path: Path) -> None:
    """What kind of place it is, its worker knows: the study holds the path alone."""
    losetup = need_program("losetup")
    with (tmp_path / "image").open("wb") as image:
        image.write(os.urandom(16 * MIB))
    device = subprocess.run([losetup, "--find", "--show", image.name], check=True, capture_output=True, text=True)
    loop = device.stdout.strip()
    try:
        there = ("--cluster", workers.address)
        plimsoll("run", "randread", *there, "--on", f"w1=@w1:{loop}", *SHORT, "--blocks", "1")
        plimsoll("extend", "--blocks", "1", *there)
    finally:
        subprocess.run([losetup, "--detach", loop], check=True)
    assert whole_blocks(stored(), {"w1"}) == {0, 1}
    assert {run.target.kind for run in stored()} == {"device"}


def test_clients_on_all_workers_are_added(plimsoll: Command, workers: Workers, tmp_path: Path) -> None:
    where = f"@*:{workers.folders['w1'].parent}/{{worker}}"
    plimsoll("run", "ycsb-a", "--cluster", workers.address, "--on", f"all={where}", "--server", "memory",
             "--set", "clients=7", "--set", "records=500", *SHORT[2:], "--blocks", "1")  # fmt: skip
    (run,) = stored()
    assert run.status is RunStatus.OK, run.reason
    parts = run.facts["parts"]
    assert set(parts) == {"w1", "w2", "w3"}
    assert run.facts["completed"] == sum(part["operations"] for part in parts.values())
    assert run.facts["clients"] == 7
    for kind, encoded in run.histograms.items():
        histogram = decode(encoded)
        assert histogram.count == run.facts["operations"][kind]["operations"]
        score = next(score.value for score in run.scores if score.metric == f"{kind}_p99")
        assert score == histogram.percentile(99)
    together = next(finding for finding in run.findings if finding.guard == "cluster")
    assert "3 workers began within" in together.message
    assert all(leftovers(folder) == [] for folder in workers.folders.values())
    del tmp_path


def in_turns(workers: Workers, where: str) -> list[str]:
    """Two settings of one place, of which nobody says how they share the time."""
    words = ["--cluster", workers.address, "--on", f"deep=@{where}", "--on", f"flat=@{where},depth=1"]
    # Long enough for slices at every pace there is.
    return [*words, "--set", "size=8MiB", "--set", "runtime=600ms", "--set", "warmup=50ms", "--noisy-host"]


def worked_ns(run: Run) -> list[tuple[int, int]]:
    """From when until when it worked, slice by slice."""
    begin_ns = run.started_ns
    return [(begin_ns + each.start_ns, begin_ns + each.start_ns + each.duration_ns) for each in run.intervals]


def alternated(runs: list[Run]) -> list[Run]:
    """Those of the blocks that took turns."""
    blocks = blocks_in_turns([run.model_dump() for run in runs], 600 * MILLISECOND)
    ids = {run["id"] for block in blocks for run in block}
    return [run for run in runs if run.id in ids]


def test_settings_of_one_worker_take_turns_there(plimsoll: Command, workers: Workers) -> None:
    plimsoll("run", "randread", *in_turns(workers, f"w2:{workers.folders['w2']}"), "--blocks", "3")
    runs = stored()
    assert alternated(runs)
    assert {run.target.where for run in runs} == {f"@w2:{workers.folders['w2']}"}
    assert whole_blocks(runs, {"deep", "flat"}) == {0, 1, 2}
    assert leftovers(workers.folders["w2"]) == []


def test_settings_of_all_workers_take_turns_in_step(plimsoll: Command, workers: Workers) -> None:
    """What the workers did in each slice is added; nobody works for the one target while others do for the other."""
    where = f"*:{workers.folders['w1'].parent}/{{worker}}"
    plimsoll("run", "randread", *in_turns(workers, where), "--blocks", "3")
    runs = stored()
    assert whole_blocks(runs, {"deep", "flat"}) == {0, 1, 2}
    sliced = alternated(runs)
    for run in sliced:
        assert set(run.facts["parts"]) == {"w1", "w2", "w3"}
        total = run.facts["operations"]["read"]["operations"]
        assert sum(each.operations["read"].operations for each in run.intervals) == total
        assert sum(part["operations"] for part in run.facts["parts"].values()) == total
        assert decode(run.histograms["read"]).count == total
        # What the clocks are wrong by is left out as well.
        assert run.facts["slices"]["discard_ns"] > 20_000_000
        starts = [part["started_ns"] for part in run.facts["parts"].values()]
        assert max(starts) - min(starts) < run.facts["slices"]["discard_ns"]
    for block in {run.block for run in sliced}:
        pair = [run for run in sliced if run.block == block]
        turns = sorted(turn for run in pair for turn in worked_ns(run))
        assert all(before[1] <= after[0] + 10_000_000 for before, after in pairwise(turns))
    assert all(leftovers(folder) == [] for folder in workers.folders.values())


def test_places_on_different_workers_do_not_take_turns(plimsoll: Command, workers: Workers) -> None:
    words = ("--cluster", workers.address, *workers.places(), *SHORT, "--interleave", "slices")
    refused = plimsoll("run", "randread", *words, check=2)
    assert "--interleave slices: the targets are not used from the same machines" in refused.err


def test_turns_that_are_interrupted_leave_nothing_and_go_on(
    plimsoll: Command, workers: Workers, tmp_path: Path
) -> None:
    where = f"*:{workers.folders['w1'].parent}/{{worker}}"
    command = [PLIMSOLL, "run", "randread", *in_turns(workers, where), "--blocks", "3"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
    ) as session:
        wait_for_runs(session, 2)
        session.send_signal(signal.SIGINT)
        _, err = session.communicate(timeout=120)
    assert session.returncode == 130, err
    assert all(leftovers(folder) == [] for folder in workers.folders.values())
    plimsoll("run", "--resume", "--cluster", workers.address, "--quiet")
    runs = stored()
    assert whole_blocks(runs, {"deep", "flat"}) == {0, 1, 2}
    assert alternated(runs)


@pytest.mark.parametrize("how", ["blocks", "slices"])
def test_ctrl_c_at_a_terminal_leaves_nothing_of_local_workers(plimsoll: Command, tmp_path: Path, how: str) -> None:
    """It is told to every process of the terminal, the workers among them."""
    del plimsoll
    places = [tmp_path / f"worker{number}" for number in (1, 2)]
    for place in places:
        place.mkdir()
    where = f"@*:{tmp_path}/{{worker}}"
    words = ["--cluster", "local:2", "--on", f"deep={where}", "--on", f"flat={where},depth=1", *SHORT]
    command = [PLIMSOLL, "run", "randread", *words, "--repeats", "99", "--interleave", how]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as session:
        wait_for_runs(session, 2)
        os.killpg(session.pid, signal.SIGINT)
        _, err = session.communicate(timeout=120)
    assert session.returncode == 130, err
    assert [leftovers(place) for place in places] == [[], []]


# The next three take the cluster apart, so they stand last.


def test_a_worker_killed_in_a_run_of_all_ends_it_by_name(plimsoll: Command, workers: Workers, tmp_path: Path) -> None:
    where = f"@*:{workers.folders['w1'].parent}/{{worker}}"
    words = ("ycsb-a", "--cluster", workers.address, "--on", f"all={where}", "--server", "memory", "--blocks", "1")
    long = ("--set", "clients=6", "--set", "records=500", "--set", "runtime=1h", "--set", "warmup=0s")
    with subprocess.Popen(
        [PLIMSOLL, "run", *words, *long], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as session:
        until(lambda: all(map(measures, workers.processes.values())), "all workers measure", 90)
        workers.kill("w3")
        # It ends long before its hour only if the others were stopped.
        _, err = session.communicate(timeout=120)
    assert session.returncode == 3, err
    (run,) = stored()
    assert run.status is RunStatus.FAILED
    assert run.reason.startswith("worker w3 (tcp://")
    assert run.reason.endswith("was lost")
    assert "worker w3" in err
    assert leftovers(workers.folders["w1"]) == leftovers(workers.folders["w2"]) == []
    plimsoll("list", "sessions", PLIMSOLL_HOME=str(workers.home / "w3"))
    assert leftovers(workers.folders["w3"]) == []
    workers.start("w3")
    workers.wait()


def test_workers_that_live_go_on_without_one_that_was_killed(
    plimsoll: Command, workers: Workers, tmp_path: Path
) -> None:
    with begin(workers, tmp_path, blocks=4) as session:
        wait_for_runs(session, 4)
        workers.kill("w2")
        out, err = session.communicate(timeout=120)
    runs = stored()
    failed = [run for run in runs if run.status is RunStatus.FAILED]
    assert [run.target.name for run in failed] == ["w2"]
    assert failed[0].reason.startswith("worker w2 (tcp://")
    assert failed[0].reason.endswith("was lost")
    for name in ("w1", "w3"):
        own = [run for run in runs if run.target.name == name]
        assert {run.status for run in own} <= {RunStatus.OK, RunStatus.INVALID}
        assert {run.block for run in own} == {0, 1, 2, 3}
    # Nobody takes this for a whole session.
    assert session.returncode == 2, err
    assert "w2: worker w2 (tcp://" in err
    assert "was lost; the session goes on without it" in err
    assert "`plimsoll run --resume" in err
    assert plimsoll("list", "sessions", "--json").json[0]["state"] == "interrupted"
    assert "w3" in out
    assert leftovers(workers.folders["w1"]) == leftovers(workers.folders["w3"]) == []
    # The next command on that machine sweeps what the killed process left.
    plimsoll("list", "sessions", PLIMSOLL_HOME=str(workers.home / "w2"))
    assert leftovers(workers.folders["w2"]) == []
    # A worker that is back gets what it missed, in whole blocks.
    workers.start("w2")
    workers.wait()
    plimsoll("run", "--resume", "--cluster", workers.address, "--quiet")
    assert plimsoll("list", "sessions", "--json").json[0]["state"] == "done"
    assert whole_blocks(stored(), set(workers.folders)) == {0, 1, 2, 3}


def test_a_scheduler_that_goes_away_ends_the_session_with_a_sentence(
    plimsoll: Command, workers: Workers, tmp_path: Path
) -> None:
    with begin(workers, tmp_path, "w1", "w3") as session:
        wait_for_runs(session, 1)
        workers.scheduler.kill()
        _, err = session.communicate(timeout=120)
    assert session.returncode == 2, err
    assert "is gone; finished runs are stored" in err
    assert plimsoll("list", "sessions", "--json").json[0]["state"] == "interrupted"
