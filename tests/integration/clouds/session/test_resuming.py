"""A command that rents is killed with -9: its session goes on with the same machines, or what it rented is ended."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest
from tests.clouds.fixtures import everything
from tests.clouds.machines import Machines
from tests.clouds.proxy import Proxy
from tests.conftest import until
from tests.integration.clouds.session.test_session import BRIEF
from tests.integration.run.conftest import PLIMSOLL, Command

from plimsoll.model import RENTED
from plimsoll.store.opening import open_store

TARGETS = ("--on", "fast=aws:gp3,size=20GiB", "--on", "slow=aws:io1,size=20GiB,iops=500", "--instance", "m7i.xlarge")
RUN = ("run", "randread", *TARGETS, *BRIEF, "--budget", "5USD")


def killed(folder: Path, seen: str, *words: str) -> None:
    """A command, killed when it has said something."""
    log = folder / "log"
    with log.open("wb") as kept:
        process = subprocess.Popen([PLIMSOLL, *words], cwd=folder, stdout=kept, stderr=kept)
        try:
            until(lambda: process.poll() is not None or seen in log.read_text(), "a first run", 180)
            assert process.poll() is None, log.read_text()
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait(60)


def test_a_killed_session_goes_on_with_its_machines(
    plimsoll: Command, cloud: Machines, proxy: Proxy, tmp_path: Path
) -> None:
    killed(tmp_path, "block 2", *RUN, "--repeats", "4")
    listed = plimsoll("list", "sessions", "--json")
    (session,) = [row["session"] for row in listed.json]
    assert f"is kept for session {session}" in listed.err
    assert f"`plimsoll run --resume {session}` goes on with it, `plimsoll cloud sweep` ends it now" in listed.err
    machines = cloud.running
    assert len(machines) == 1

    answer = plimsoll("run", "--resume")
    assert "is kept for session" not in answer.err
    assert "going on with rental " in answer.err
    assert proxy.actions().count("RunInstances") - _dry(proxy) == 1, "nothing is rented again"
    assert everything(proxy.moto) == []
    assert cloud.running == []
    rows = plimsoll("compare", session, "--json").json
    assert [(each["target"], each["answer"]) for each in rows if each["metric"] == "iops"] == [("slow", "worse")]
    assert [each["state"] for each in plimsoll("list", "sessions", "--json").json] == ["done"]
    with open_store() as store:
        runs = store.runs([store.find_session(session).id])
    blocks = {name: {run.block for run in runs if run.target.name == name} for name in ("fast", "slow")}
    assert blocks == {"fast": {0, 1, 2, 3}, "slow": {0, 1, 2, 3}}
    assert {run.status.value for run in runs} == {"ok"}
    assert len({run.target.facts[RENTED]["machine"] for run in runs}) == 1, "the same machine"
    assert "Rented for" in answer.out
    told = plimsoll("cloud", "list")
    assert "nothing is rented" in told.err


def _dry(proxy: Proxy) -> int:
    return sum(call.action == "RunInstances" and "DryRun" in call.parameters for call in proxy.calls)


def test_what_was_swept_cannot_go_on_and_says_what_to_do(
    plimsoll: Command, cloud: Machines, proxy: Proxy, tmp_path: Path
) -> None:
    killed(tmp_path, "block 1", *RUN, "--repeats", "4")
    swept = plimsoll("cloud", "sweep")
    assert "left by an earlier command: ended machine i-" in swept.out
    assert "is kept for session" not in swept.err
    assert everything(proxy.moto) == []
    assert cloud.running == []
    (session,) = [row["session"] for row in plimsoll("list", "sessions", "--json").json]
    # Before: "One rental is not known to have been given back", for ever.
    told = plimsoll("show", session).out
    assert "Rented for" in told
    assert "is not known to have been given back" not in told
    refused = plimsoll("run", "--resume", session, check=2).err
    assert "was given back, and further volumes would be another allocation; what was measured is kept" in refused
    assert f"`plimsoll export {session} --study again.toml`" in refused
    assert "no session of this machine was interrupted" in plimsoll("run", "--resume", check=2).err
    assert everything(proxy.moto) == []


@pytest.mark.slow
def test_a_study_of_several_allocations_goes_on_to_its_end(
    plimsoll: Command, cloud: Machines, proxy: Proxy, tmp_path: Path
) -> None:
    killed(tmp_path, "block 1", *RUN, "--repeats", "2", "--allocations", "3")
    answer = plimsoll("run", "--resume")
    assert "allocation 2 of at most 3" in answer.err
    assert "3 fresh allocations of each" in answer.out
    assert everything(proxy.moto) == []
    assert cloud.running == []
    assert len(plimsoll("list", "sessions", "--json").json) == 3


def test_from_another_address_nothing_is_begun(
    plimsoll: Command, cloud: Machines, proxy: Proxy, tmp_path: Path
) -> None:
    killed(tmp_path, "block 1", *RUN, "--repeats", "4")
    told = plimsoll("run", "--resume", check=2, PLIMSOLL_FROM_ADDRESS="203.0.113.8").err
    assert "let in 203.0.113.7/32 alone, and this computer is 203.0.113.8/32 now" in told
    assert len(cloud.running) == 1
    plimsoll("cloud", "sweep")
    assert everything(proxy.moto) == []
