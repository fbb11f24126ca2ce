"""Machines made ready over SSH, and sessions measured on them: real sshd, real installation, served volumes."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.clouds.machines import USER, Machine
from tests.conftest import need, until
from tests.integration.clouds.host.conftest import Rented

from plimsoll.api.asked import targets_of
from plimsoll.api.measuring import carried_out
from plimsoll.api.watching import watching
from plimsoll.clouds.hosts import reach, ready
from plimsoll.clouds.wanted import Layout
from plimsoll.cluster.machines import ClusterMachines
from plimsoll.errors import CloudError
from plimsoll.model import Run, RunStatus, SessionState
from plimsoll.run.studies import chosen
from plimsoll.store.opening import open_store
from plimsoll.volumes import registry


def measured(test: str, places: Mapping[str, str], machines: ClusterMachines, **given: object) -> list[Run]:
    """What a short session of the library stores."""
    words = targets_of([f"{name}={where}" for name, where in places.items()])
    shape = {"runtime": "2s", "warmup": "500ms", "size": "256MiB"}
    study = chosen([test], words, shape, {"blocks": 1, "noisy_host": True, **given})
    with open_store() as store, watching(None, None) as watcher:
        session = carried_out(study, store, watcher, machines)
        assert session.host["workers"]["m1"]["rented"]["machine"].startswith("i-")
        return list(store.runs([session.id]))


OLD_PYTHON = """#!/bin/sh
case $2 in *python_version*) echo 3.9.16 ;; *) exit 1 ;; esac
"""


def idle(machine: Machine) -> bool:
    """Whether no process of a worker is left on it."""
    return "dask_spec" not in machine.run("cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' || true")


def other_python() -> Path:
    """The prefix of a Python 3.12 or newer, as the default image has."""
    for each in sorted(Path("/root/.pyenv/versions").glob("3.1[2-9].*")):
        return each
    for each in (Path("/usr/local/bin/python3.13"), Path("/usr/local/bin/python3.12")):
        if each.exists():
            return each.parents[1]
    need(condition=False, what="another Python than the system's, 3.12 or newer")
    raise AssertionError


def test_a_session_is_measured_on_a_rented_machine(rented: Rented, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a Python of its own version, on a gp3 whose 3,000 IOPS hold, through SSH alone."""
    monkeypatch.setenv("HOME", str(rented.folder / "nobody"))
    machine = rented.boot("m1", {"vol-0bb2": ("gp3", 0), "vol-0aa1": ("bare", 0)}, python=other_python())
    rental, said = rented.rental(Layout(target="gp3", file_system="ext4", mount_options="noatime")), []
    with ready.ready(rented.provider, rental, rented.hosts, rented.folder, said.append) as there:  # type: ignore[arg-type]
        assert there.places == {"gp3": "@m1:/mnt/plimsoll/gp3", "bare": "@m1:/dev/nvme2n1"}
        assert " /mnt/plimsoll/gp3 ext4 rw,noatime" in machine.run("cat /proc/mounts")
        assert reachable(machine) == {22}
        about = there.machines.facts["workers"]["m1"]
        assert about["python"] >= "3.12"
        assert about["hostname"] == "i-m1"
        assert about["rented"]["zone"] == "us-east-1a"
        assert about["rented"]["volumes"] == {"vol-0bb2": "gp3", "vol-0aa1": "bare"}
        (read,) = measured("randread", {"gp3": there.places["gp3"]}, there.machines)
        (written,) = measured("randwrite", {"bare": there.places["bare"]}, there.machines)
    until(lambda: idle(machine), "the worker has ended with its connection")
    for run, metric in ((read, "read_p50"), (written, "write_p50")):
        assert run.status is RunStatus.OK, run.reason
        scores = {score.metric: score.value for score in run.scores}
        assert 2000 < scores["iops"] < 3000 * 2.6, "the limit, and what was saved up for a moment"
        assert scores[metric] > 500_000, "nanoseconds"
    assert not (rented.folder / "nobody/.ssh").exists(), "the user's own known_hosts"
    assert (rented.folder / "known_hosts.m1").read_text().startswith(f"{machine.address} ssh-ed25519 ")
    machine.end()
    assert not registry.volumes()


def reachable(machine: Machine) -> set[int]:
    """The ports at which it waits for others than itself (proc(5): 0A is LISTEN)."""
    lines = [line.split() for line in machine.run("cat /proc/net/tcp /proc/net/tcp6").splitlines()]
    waiting = [line[1].split(":") for line in lines if line[3] == "0A"]
    return {int(port, 16) for address, port in waiting if address not in (LOOPBACK, LOOPBACK_6)}


LOOPBACK, LOOPBACK_6 = "0100007F", "00000000000000000000000001000000"


def test_what_is_installed_is_taken_as_it_is_until_it_is_another(rented: Rented) -> None:
    machine = rented.boot("m1", {}, bare=True)
    for changed, says in ((False, "installing Plimsoll on m1"), (False, ALREADY), (True, "installing Plimsoll on m1")):
        if changed:
            machine.run(
                f"cd /home/{USER}/plimsoll && echo other >installed && rm -r venv/lib/python*/site-packages/numpy"
            )
        said: list[str] = []
        with ready.ready(rented.provider, rented.rental(), rented.hosts, rented.folder, said.append) as there:  # type: ignore[arg-type]
            assert there.machines.facts["workers"]["m1"]["python"]
        assert says in said
        assert len([each for each in said if "installing" in each or each == ALREADY]) == 1


ALREADY = "m1 has this Plimsoll already"


def test_disks_without_serials_are_told_by_taking_them_off(rented: Rented) -> None:
    machine = rented.boot("m1", {"vol-0bb2": ("b", 0), "vol-0aa1": ("a", 0)}, nitro=False)
    rental = rented.rental()
    with ready.ready(rented.provider, rental, rented.hosts, rented.folder, print) as there:  # type: ignore[arg-type]
        for volume, name in (("vol-0bb2", "b"), ("vol-0aa1", "a")):
            device = there.places[name].partition(":")[2]
            served = registry.named(volume)
            assert machine.run(f"stat -c %Hr:%Lr {device}").strip() == number_of(served.device)


def number_of(device: str) -> str:
    status = Path(device).stat()
    return f"{status.st_rdev >> 8}:{status.st_rdev & 255}"


def test_a_machine_taken_away_ends_its_run_and_not_the_session(rented: Rented, monkeypatch: pytest.MonkeyPatch) -> None:
    """The block that was under way has no result from there; the other machine's targets are measured on."""
    monkeypatch.setattr(ready, "ASK_S", 0.1)
    for name in ("m1", "m2"):
        rented.boot(name, {f"vol-0{name}": (name, 0)})
    layouts = [Layout(target=name, file_system="ext4") for name in ("m1", "m2")]
    rental = rented.rental(*layouts)
    with ready.ready(rented.provider, rental, rented.hosts, rented.folder, print) as there:  # type: ignore[arg-type]

        def take() -> None:
            with open_store() as store:
                while not (sessions := store.sessions()) or len(store.runs([sessions[0].id])) < 2:
                    time.sleep(0.1)
            rented.provider.taken["m2"] = "spot interruption"

        thread = threading.Thread(target=take)
        thread.start()
        runs = measured("randread", there.places, there.machines, blocks=4)
        thread.join()
    reasons = [run.reason for run in runs if run.target.name == "m2" and run.status is not RunStatus.OK]
    assert reasons
    assert "is taken away: spot interruption" in reasons[0]
    lost = next(run.block for run in runs if run.target.name == "m2" and run.status is not RunStatus.OK)
    measured_on = [run for run in runs if run.target.name == "m1"]
    assert all(run.status is RunStatus.OK for run in measured_on), [run.reason for run in measured_on]
    assert max(run.block for run in measured_on) > lost
    with open_store() as store:
        assert store.sessions()[0].state is SessionState.INTERRUPTED


def test_another_host_key_is_not_spoken_to(rented: Rented) -> None:
    rented.boot("m1", {})
    public = (rented.folder / "key.pub").read_text()
    rented.hosts[0] = rented.hosts[0].__class__(**{**vars(rented.hosts[0]), "host_keys": (public,)})
    with pytest.raises(CloudError, match=r"machine m1 \(i-m1\) at .* shows another SSH host key"):
        _ready(rented)


def test_the_key_of_the_first_contact_is_kept(rented: Rented) -> None:
    machine = rented.boot("m1", {}, user_data="")
    rented.hosts[0] = rented.hosts[0].__class__(**{**vars(rented.hosts[0]), "host_keys": ()})
    _ready(rented)
    assert machine.host_key.split()[1] in (rented.folder / "known_hosts.m1").read_text()
    (rented.folder / "known_hosts.m1").write_text(f"{machine.address} {(rented.folder / 'key.pub').read_text()}")
    with pytest.raises(CloudError, match="shows another SSH host key"):
        _ready(rented)


def test_a_machine_that_never_lets_us_in(rented: Rented, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach, "BOOT_S", 2.0)
    machine = rented.boot("m1", {})
    machine.end()
    with pytest.raises(CloudError, match=r"has not let us in 2 s after it had its address; its last answer: "):
        _ready(rented)
    rented.provider.taken["m1"] = "spot interruption"
    with pytest.raises(CloudError, match="is taken away: spot interruption"):
        _ready(rented)


def test_a_machine_with_an_old_python(rented: Rented) -> None:
    machine = rented.boot("m1", {})
    machine.run(f"rm -f /usr/bin/python3* /usr/local/bin/python3*\ncat >/usr/bin/python3 <<'E'\n{OLD_PYTHON}E\n"
                "chmod 755 /usr/bin/python3")  # fmt: skip
    with pytest.raises(CloudError, match=r"has no Python ≥ 3.11 \(it has 3.9.16\); choose an image"):
        _ready(rented)


def test_a_machine_ends_with_its_lease(rented: Rented) -> None:
    """By its own timer: nobody asks it to."""
    ended = threading.Event()
    timer = '#cloud-config\n{"bootcmd": [["systemd-run", "--on-active=1", "systemctl", "poweroff"]]}'
    machine = rented.boot("m1", {"vol-0a": ("a", 0)}, user_data=timer)
    threading.Thread(target=lambda: (machine.wait(), ended.set())).start()
    assert ended.wait(20)
    machine.end()
    assert not registry.volumes()


def _ready(rented: Rented) -> None:
    with ready.ready(rented.provider, rented.rental(), rented.hosts, rented.folder, print):  # type: ignore[arg-type]
        pass
