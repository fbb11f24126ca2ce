"""Instances for an emulated cloud: real sshd, each in a network namespace, with served volumes as its disks.

A machine has its own mounts, processes and host name, and this system's files under a layer in memory: what is
installed there touches nothing here. The first machine that has Plimsoll leaves an image of it, which later ones boot
with: to copy and install it takes longer than what most tests are about. User data run as root while it boots, and what
shuts the machine down ends it for good. Disks are real block devices with the latencies and limits of their types; /sys
shows their serials as Nitro does.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from plimsoll.volumes import lifecycle
from plimsoll.volumes.lifecycle import VolumeRequest

HERE = Path(__file__).parent
IMAGE = HERE.parents[1] / "target" / "cloud-image"
"""What lies in the folder of Plimsoll on a machine. One of an older Plimsoll is installed over, and then replaced."""
USER = "ubuntu"
_BOOT_S = 30.0
STORE = "store"
"""Begins the names of disks that are no volumes, but the machine's own."""
_SSHD = """
Port 22
HostKey /etc/ssh/ssh_host_ed25519_key
PidFile none
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin no
Subsystem sftp internal-sftp
"""
_SYSTEM = {
    "systemctl": '[ "$1" != poweroff ] || kill -TERM 1',
    "shutdown": "kill -TERM 1",
    # --create NODE … DEVICES: those begin after the last option
    "mdadm": 'node=$2; for disk in "$@"; do case $disk in /dev/nvme*|/dev/xvd*) break;; esac; done; '
    'mkdir -p "${node%/*}"; ln -sf "$disk" "$node"',
    # --on-active=SECONDS COMMAND…
    "systemd-run": '(sleep "${1#--on-active=}"; shift; "$@") >/dev/null 2>&1 </dev/null &',
}


@dataclass(frozen=True, kw_only=True)
class Boot:
    """What RunInstances asks for."""

    id: str
    public_key: str
    user_data: str = ""
    disks: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The shape of each by the id of its volume, as `vol:` has it."""
    nitro: bool = True
    """Whether its disks show serials."""
    instance: str | None = None
    """Type that its disks share the limits of."""
    python: Path | None = None
    """The prefix of the Python that it has, where that is not this system's."""
    bare: bool = False
    """Without the image of earlier machines."""


class Machine:
    """One that runs, or has ended."""

    def __init__(self, boot: Boot, folder: Path, address: str, space: str) -> None:
        self.boot, self.folder, self.address, self._space = boot, folder, address, space
        self._process: subprocess.Popen[bytes] | None = None
        self._disks: dict[str, str] = {}
        """Name in the kernel, by volume."""
        self.volumes: list[str] = []
        """Those that are served, by their ids."""
        self._next = 1
        self._ending = threading.Lock()

    @property
    def host_key(self) -> str:
        """The public one that it makes itself; user data may bring another."""
        return (self.folder / "ssh_host_ed25519_key.pub").read_text().strip()

    @property
    def runs(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Returns when its disks are there; sshd and user data come up meanwhile."""
        for volume, options in self.boot.disks.items():
            self._serve(volume, options)
        words = ["ip", "netns", "exec", self._space, "unshare", "--mount", "--pid", "--uts", "--fork", "--kill-child"]
        with (self.folder / "console").open("wb") as console:
            self._process = subprocess.Popen(
                [*words, "sh", str(HERE / "boot.sh"), str(self.folder)],
                stdin=subprocess.DEVNULL, stdout=console, stderr=console, start_new_session=True,
            )  # fmt: skip
        deadline = time.monotonic() + _BOOT_S
        while not self._is_up():
            if not self.runs or time.monotonic() > deadline:
                raise AssertionError(f"{self.boot.id} did not boot: {self.console}")
            time.sleep(0.02)
        for volume in self.boot.disks:
            self.attach(volume)

    @property
    def console(self) -> str:
        return (self.folder / "console").read_text(errors="replace")

    def _serve(self, volume: str, options: Mapping[str, str]) -> None:
        shape = {**options, **({"instance": self.boot.instance} if self.boot.instance else {})}
        shared = self.boot.id if self.boot.instance else None
        lifecycle.create(VolumeRequest(name=volume, options=shape, instance_name=shared))
        self.volumes.append(volume)

    def attach(self, volume: str) -> None:
        """Show the disk; its name says nothing about its volume."""
        from plimsoll.volumes import registry

        number = os.stat(registry.named(volume).device).st_rdev
        name = f"nvme{self._next}n1" if self.boot.nitro else f"xvd{chr(ord('e') + self._next)}"
        self._next += 1
        self._disks[volume] = name
        tree = f"/sys/block/{name}/device"
        show = [f"mkdir -p {tree}", f"mknod /dev/{name} b {os.major(number)} {os.minor(number)}"]
        if self.boot.nitro:
            own = volume.startswith(STORE)
            serial = f"AWS{number:017X}" if own else volume.replace("-", "", 1)
            model = "Amazon EC2 NVMe Instance Storage" if own else "Amazon Elastic Block Store"
            show += [f"echo {serial} >{tree}/serial", f"echo '{model}' >{tree}/model"]
        self.run("\n".join(show))

    def detach(self, volume: str) -> None:
        name = self._disks.pop(volume)
        self.run(f"rm -r /sys/block/{name} /dev/{name}")

    def run(self, script: str) -> str:
        """As its root, from outside."""
        words = ["--target", str(self._first()), "--mount", "--pid", "--uts", "--net", "--root", "--wd"]
        done = subprocess.run(
            ["nsenter", *words, "sh", "-euc", script], capture_output=True, text=True, check=False,
            env={"PATH": os.environ["PATH"]},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _is_up(self) -> bool:
        """Whether its first process has its own root: before that, what is done there would be done here."""
        first = self._first()
        return bool(first) and Path(f"/proc/{first}/root/run/up").exists()

    def _first(self) -> int:
        """Of its processes: the child of `unshare`, whose place `ip netns exec` gave up; 0 where it has none yet."""
        assert self._process is not None
        found = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        return int(found[0]) if found else 0

    def end(self) -> None:
        """As its provider does: at once, and its disks with it. Twice is the same as once."""
        if self._process is not None and self._process.poll() is None:
            self._leave_image()
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self.wait()
        with self._ending:
            for name in self.volumes:
                lifecycle.delete(name, force=True)
            self.volumes.clear()

    def _leave_image(self) -> None:
        """For machines after it, if Plimsoll was installed on it. Who sees half of one sees no file that says what."""
        own = Path(f"/proc/{self._first()}/root/home/{USER}/plimsoll")
        with suppress(FileNotFoundError, ProcessLookupError):
            installed = (own / "installed").read_bytes()
            if self.boot.python is not None or (
                (IMAGE / "installed").exists() and (IMAGE / "installed").read_bytes() == installed
            ):
                return
            IMAGE.parent.mkdir(exist_ok=True)
            with IMAGE.with_suffix(".lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                draft = IMAGE.with_name(f"{IMAGE.name}-{self.boot.id}")
                subprocess.run(["cp", "-a", str(own), str(draft)], check=True)
                # Machines that run go on with the files that they have.
                old = IMAGE.with_name(f"{IMAGE.name}-before-{self.boot.id}")
                if IMAGE.exists():
                    IMAGE.rename(old)
                draft.rename(IMAGE)
                shutil.rmtree(old, ignore_errors=True)

    def wait(self) -> None:
        """Until its last process has ended."""
        if self._process is not None:
            self._process.wait()


class Machines:
    """The machines of one emulated cloud, on a network with this machine at `.1`."""

    def __init__(self, folder: Path, network: str, bridge: str) -> None:
        self._folder, self._network, self._bridge = folder, network, bridge
        self._lock = threading.Lock()
        self._made: dict[str, Machine] = {}
        self._spaces: list[str] = []
        subprocess.run(["cc", "-o", str(folder / "sudo"), str(HERE / "sudo.c")], check=True)

    @property
    def gateway(self) -> str:
        """This machine, as the others reach it."""
        return f"{self._network}.1"

    @property
    def running(self) -> list[str]:
        return [name for name, machine in self._made.items() if machine.runs]

    def __getitem__(self, instance: str) -> Machine:
        return self._made[instance]

    def with_volume(self, volume: str) -> Machine:
        return next(each for each in self._made.values() if volume in each.volumes)

    def boot(self, boot: Boot, on_end: Callable[[str], None] = lambda _: None) -> Machine:
        """Start one; `on_end` is told its id once it has shut itself down or was ended."""
        with self._lock:
            place = 11 + len(self._spaces)
            space = f"{self._bridge}-{place}"
            self._spaces.append(space)
            self._connect(space, place)
        folder = self._folder / boot.id
        folder.mkdir()
        _furnish(folder, boot, self._folder / "sudo")
        machine = Machine(boot, folder, f"{self._network}.{place}", space)
        self._made[boot.id] = machine
        machine.start()

        def watch() -> None:
            machine.wait()
            machine.end()
            on_end(boot.id)

        threading.Thread(target=watch, daemon=True, name=boot.id).start()
        return machine

    def _connect(self, space: str, place: int) -> None:
        link = f"v{place}{self._bridge}"[:15]
        _ip("netns", "add", space)
        _ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", space)
        _ip("link", "set", link, "master", self._bridge, "up")
        _ip("-n", space, "addr", "add", f"{self._network}.{place}/24", "dev", "eth0")
        _ip("-n", space, "link", "set", "eth0", "up")
        _ip("-n", space, "link", "set", "lo", "up")

    def close(self) -> None:
        """End all, and take the network away."""
        for machine in self._made.values():
            machine.end()
        for space in self._spaces:
            _ip("netns", "del", space, check=False)


def _furnish(folder: Path, boot: Boot, sudo: Path) -> None:
    """What boot.sh takes from there."""
    key = folder / "ssh_host_ed25519_key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", boot.id, "-f", str(key)], check=True)
    shutil.copy(sudo, folder / "sudo")
    shutil.copy(HERE / "cloud_init.py", folder)
    if not boot.bare and boot.python is None and IMAGE.exists():
        (folder / "image").symlink_to(IMAGE)
    if boot.python is not None:
        (folder / "python").symlink_to(boot.python)
    given = {"hostname": boot.id, "authorized_keys": f"{boot.public_key}\n", "sshd_config": _SSHD}
    given |= {"user-data": boot.user_data, **{name: f"#!/bin/sh\n{does}\n" for name, does in _SYSTEM.items()}}
    for name, content in given.items():
        (folder / name).write_text(content)


def _ip(*words: str, check: bool = True) -> None:
    subprocess.run(["ip", *words], check=check, capture_output=True)


@contextmanager
def machines(folder: Path) -> Iterator[Machines]:
    """A network for machines; whatever still runs at its end is ended."""
    network = f"10.{128 + os.getpid() % 64}.{os.getpid() // 64 % 250}"
    bridge = f"pm{os.getpid()}"
    _ip("link", "add", bridge, "type", "bridge")
    try:
        _ip("addr", "add", f"{network}.1/24", "dev", bridge)
        _ip("link", "set", bridge, "up")
        made = Machines(folder, network, bridge)
        try:
            yield made
        finally:
            made.close()
    finally:
        _ip("link", "del", bridge, check=False)
