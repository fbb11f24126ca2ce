"""`--cluster ssh:…` against a real SSH server of our own: two hosts on loopback, keys made for the test."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from tests.conftest import need, need_module, need_program
from tests.integration.run.conftest import PLIMSOLL, Command, leftovers
from tests.integration.run.conftest import plimsoll as plimsoll  # the fixture
from tests.integration.run.test_database_encryption import free_port
from tests.integration.run.test_interruptions import wait_for_runs

from plimsoll.model import RunStatus
from plimsoll.store.opening import open_store

LIMIT_S = 300.0
SHORT = ("--set", "records=500", "--set", "runtime=200ms", "--set", "warmup=20ms", "--noisy-host")


@dataclass(frozen=True)
class Hosts:
    """`alpha` and `beta` let us in; `stranger` refuses our key, `unknown` has a key of its own, at `gone` nobody is,
    for `keyless` our own key is not there."""

    home: Path
    """Of the user, with .ssh/config; remote processes keep their state in `remote` below it."""
    places: Path

    def processes(self) -> list[psutil.Process]:
        """What was started on the hosts and runs."""
        found = []
        for process in psutil.process_iter():
            # One that ends meanwhile has neither any more.
            with suppress(psutil.Error):
                ours = process.environ().get("PLIMSOLL_HOME") == str(self.home / "remote")
                if ours and "dask_spec" in " ".join(process.cmdline()):
                    found.append(process)
        return found

    def wait_until_idle(self) -> None:
        deadline = time.monotonic() + LIMIT_S
        while self.processes():
            assert time.monotonic() < deadline, self.processes()
            time.sleep(0.1)

    def python(self, name: str, script: str) -> Path:
        """A Python that runs after what `script` says, as `$@`."""
        path = self.home / name
        path.write_text(f"#!/bin/sh\n{script.format(python=sys.executable)}\n")
        path.chmod(0o755)
        return path


def _key(path: Path) -> str:
    """Makes a key; its public half."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "plimsoll test", "-f", str(path)], check=True)
    return path.with_name(f"{path.name}.pub").read_text()


def _listening(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    need(os.geteuid() == 0, "root")
    need_module("asyncssh")
    server = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
    need(server is not None, "the program sshd (Debian: openssh-server)")
    need_program("ssh-keygen")
    # What its own service does before it starts it.
    Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    home = tmp_path_factory.mktemp("ssh")
    (home / ".ssh").mkdir(mode=0o700)
    host_key, user_key, port = _key(home / "host"), _key(home / "user"), free_port()
    _key(home / "stranger")
    (home / "authorized").write_text(user_key)
    kind, key, *_ = host_key.split()
    known = [f"[{address}]:{port} {kind} {key}" for address in ("127.0.0.1", "127.0.0.2")]
    (home / "known").write_text("\n".join(known) + "\n")
    (home / "nobody").write_text("")
    settings = {
        "Port": port, "ListenAddress": "127.0.0.1\nListenAddress 127.0.0.2\nListenAddress 127.0.0.3",
        "HostKey": home / "host", "AuthorizedKeysFile": home / "authorized", "PidFile": "none", "StrictModes": "no",
        "UsePAM": "no", "PasswordAuthentication": "no", "KbdInteractiveAuthentication": "no",
        "PermitRootLogin": "prohibit-password", "SetEnv": f"PLIMSOLL_HOME={home / 'remote'}",
    }  # fmt: skip
    (home / "sshd").write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
    usual = {"User": "root", "Port": port, "IdentityFile": home / "user", "UserKnownHostsFile": home / "known"}
    described = {
        "alpha": {"HostName": "127.0.0.1"},
        "beta": {"HostName": "127.0.0.2"},
        "stranger": {"HostName": "127.0.0.1", "IdentityFile": home / "stranger"},
        "unknown": {"HostName": "127.0.0.3", "UserKnownHostsFile": home / "nobody"},
        "gone": {"HostName": "127.0.0.1", "Port": free_port()},
        "keyless": {"HostName": "127.0.0.1", "IdentityFile": home / "no-key"},
    }
    blocks = ("\n ".join([f"Host {name}", *(f"{each} {value}" for each, value in {**usual, **own}.items())])
              for name, own in described.items())  # fmt: skip
    (home / ".ssh" / "config").write_text("\n".join(blocks) + "\n")
    places = home / "places"
    for name in ("alpha", "beta"):
        (places / name).mkdir(parents=True)
    process = subprocess.Popen([str(server), "-D", "-e", "-f", str(home / "sshd")], stderr=subprocess.PIPE, text=True)
    found = Hosts(home, places)
    try:
        deadline = time.monotonic() + LIMIT_S
        while not _listening(port):
            assert process.poll() is None, process.communicate()[1]
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield found
    finally:
        for each in [*found.processes(), psutil.Process(process.pid)]:
            with suppress(psutil.Error):
                each.kill()
        process.communicate()


def _words(hosts: Hosts, blocks: int) -> tuple[str, ...]:
    where = ("--cluster", "ssh:alpha,beta", "--on", f"all=@*:{hosts.places}/{{worker}}", "--server", "memory")
    return ("run", "ycsb-a", *where, "--set", "clients=4", *SHORT, "--blocks", str(blocks))


def test_clients_on_hosts_reached_over_ssh(plimsoll: Command, hosts: Hosts) -> None:
    done = plimsoll(*_words(hosts, 1), HOME=str(hosts.home))
    assert "2 workers: alpha (tcp://127.0.0.1:" in done.err
    assert "beta (tcp://127.0.0.2:" in done.err
    with open_store() as store:
        (run,) = store.runs([store.sessions()[0].id])
    assert run.status is RunStatus.OK, run.reason
    assert set(run.facts["parts"]) == {"alpha", "beta"}
    assert run.facts["completed"] == sum(part["operations"] for part in run.facts["parts"].values())
    hosts.wait_until_idle()
    assert all(leftovers(place) == [] for place in hosts.places.iterdir())


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_nothing_stays_on_the_hosts(hosts: Hosts, tmp_path: Path, ending: signal.Signals) -> None:
    with subprocess.Popen(
        [PLIMSOLL, *_words(hosts, 20), "--mode", "publish"], cwd=tmp_path, env={**os.environ, "HOME": str(hosts.home)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as session:  # fmt: skip
        wait_for_runs(session, 1)
        assert len(hosts.processes()) == 3, "a scheduler and two workers"
        session.send_signal(ending)
        _, err = session.communicate(timeout=120)
    assert session.returncode == (130 if ending is signal.SIGINT else -signal.SIGKILL), err
    hosts.wait_until_idle()
    assert all(leftovers(place) == [] for place in hosts.places.iterdir())


def test_every_host_that_cannot_be_used_is_named(plimsoll: Command, hosts: Hosts) -> None:
    words = ("run", "ycsb-a", "--on", "all=@*:memory://", "--cluster")
    said = plimsoll(*words, "ssh:alpha,gone,stranger,unknown,keyless", HOME=str(hosts.home), check=2).err
    assert "host gone cannot be reached: connection refused" in said
    assert "host stranger refuses the login; `ssh stranger`" in said
    assert "host unknown has a key that is not known here" in said
    assert f"host keyless cannot be reached: No such file or directory: {hosts.home}/no-key" in said
    assert "host alpha" not in said
    assert not hosts.processes()


def test_hosts_need_the_same_plimsoll(plimsoll: Command, hosts: Hosts) -> None:
    other = hosts.home / "other" / "plimsoll"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text('__version__ = "0.0.1"\n')
    bare = hosts.python("bare", 'exec {python} -S "$@"')
    old = hosts.python("old", f'PYTHONPATH={other.parent} exec {{python}} "$@"')
    for python, says in {
        hosts.home / "nothing": "cannot run",
        bare: "has no Plimsoll",
        old: "has Plimsoll 0.0.1, this is",
    }.items():
        words = ("run", "ycsb-a", "--on", "all=@*:memory://", "--cluster", f"ssh:alpha?python={python}")
        said = plimsoll(*words, HOME=str(hosts.home), check=2).err
        assert f"host alpha {says}" in said
        assert "install plimsoll[cluster]==" in said
