"""Sessions are killed with -9 before and after each of their calls: nothing may stay, and nobody else's may go.

What ends the rest after a kill is the next command here (`next`), the same killed once more and then repeated
(`twice`), the timer of the machines and then a command (`timer`), or, where the ledger is lost, the sweep of what has
outlived its lease (`lease`).
"""

from __future__ import annotations

import base64
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.clouds import faults, moto
from tests.clouds.controller import POLL_S, SETTLING_S
from tests.clouds.fixtures import REGION, account, environment, everything, rental
from tests.clouds.proxy import LOST, Answer, Call, Proxy, proxying
from tests.clouds.rds import Rds, managed

from plimsoll.clouds import finding, ledger, rent, sweep
from plimsoll.clouds.providers.aws import waiting
from plimsoll.clouds.wanted import Database, Disk, Machine, Rental
from plimsoll.units import GIB

SIDES = ("before", "after")
ENDINGS = ("next", "twice", "timer", "lease")
LEASE_S = 3
COLLEAGUE = "feedbeef"
"""A rental of somebody else in the same account, whose lease goes on."""


def _one() -> dict[str, Any]:
    return {}


def _several() -> dict[str, Any]:
    fast = {"target": "io2", "type": "io2", "size_bytes": 100 * GIB, "iops": 3000}
    disks = (Disk(**fast), Disk(**fast, member=1), Disk(target="st1", type="st1", size_bytes=500 * GIB))
    own = Disk(target="own", type="instance-store", size_bytes=75 * 10**9)
    return {
        "machines": (
            Machine(name="m1", type="m5.large", disks=disks),
            Machine(name="m2", type="m5d.large", disks=(own,), spot=True),
            Machine(name="client1", type="m7i.large"),
        )
    }


def _database() -> dict[str, Any]:
    wanted = Database(target="db", engine="mysql", type="db.m6g.large", storage="io1", size_bytes=200 * GIB, iops=1000)
    return {"machines": (Machine(name="client1", type="m7i.large"),), "databases": (wanted,)}


SCENARIOS: dict[str, Callable[[], dict[str, Any]]] = {
    "one": _one,
    "several": _several,
    "refused": _several,
    "database": _database,
}
"""What is rented; in `refused` there is no capacity for the last machine."""


@dataclass
class Place:
    """An account, a home and a controller to kill."""

    proxy: Proxy
    home: Path
    controller: subprocess.Popen[str]
    rounds: int = 0
    strangers: set[str] = field(default_factory=set)
    rds: Rds | None = None
    """Beside moto, where databases are rented."""

    def undisturbed(self) -> None:
        """The proxy without faults."""
        self.proxy.before[:] = [self.rds.before] if self.rds else []
        self.proxy.after[:] = [self.rds.after] if self.rds else []


@dataclass(frozen=True)
class Point:
    """One kill."""

    scenario: str
    call: int
    side: str
    ending: str

    @property
    def text(self) -> str:
        return f"{self.scenario} {self.call} {self.side} {self.ending}"


@contextmanager
def place(folder: Path) -> Iterator[Place]:
    """Everything that kills need; the environment of this process leads there meanwhile."""
    home = folder / "home"
    home.mkdir()
    before = dict(os.environ)
    constants = (rent.SETTLING_S, rent.POLL_S, waiting.POLL_S)
    with moto.serving(folder) as address, proxying(address) as proxy:
        os.environ |= environment(proxy.url, home)
        rent.SETTLING_S, rent.POLL_S, waiting.POLL_S = SETTLING_S, POLL_S, POLL_S
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        controller = subprocess.Popen(
            [sys.executable, "-m", "tests.clouds.controller"], text=True, cwd=moto.ROOT, **pipes
        )
        try:
            yield Place(proxy, home, controller)
        finally:
            controller.kill()
            controller.communicate()
            rent.SETTLING_S, rent.POLL_S, waiting.POLL_S = constants
            os.environ.clear()
            os.environ.update(before)


def calls(where: Place, scenario: str) -> int:
    """How many calls a session makes that nobody kills."""
    _fresh(where, scenario)
    _run(where, {"do": "rent", "rental": asdict(_rental(where, scenario, "next"))})
    assert _left(where) == [], f"{scenario} leaves something without any kill"
    return len(where.proxy.calls)


def points(counted: dict[str, int]) -> list[Point]:
    """All kills there are."""
    return [
        Point(scenario, call, side, ending)
        for scenario, number in counted.items()
        for call in range(number)
        for side in SIDES
        for ending in ENDINGS
    ]


def kill(where: Place, point: Point) -> list[str]:
    """Kill a session there, and let the rest end; what is wrong afterwards."""
    _fresh(where, point.scenario)
    wanted = _rental(where, point.scenario, point.ending)
    assassin = Assassin(point.call, point.side)
    assassin.watch(where.proxy)
    assassin.victim = _start(where, {"do": "rent", "rental": asdict(wanted)})
    status = _status(where)
    # Answers can come in another number of calls where machines take longer to be ready: then nobody was killed.
    wrong = [] if os.WIFSIGNALED(status) or len(where.proxy.calls) <= point.call else [f"was not killed: {status}"]
    wrong += _unbounded(where)
    where.undisturbed()
    _end(where, wanted, point)
    if left := _left(where):
        wrong.append(f"left {', '.join(left)}")
    if gone := where.strangers - _there(where):
        wrong.append(f"ended a stranger's {', '.join(gone)}")
    if ids := ledger.ids():
        wrong.append(f"the ledger still has {', '.join(ids)}")
    return wrong


@dataclass
class Assassin:
    """Kills a process at one of its calls."""

    call: int
    side: str
    victim: int = 0

    def watch(self, proxy: Proxy) -> None:
        if self.side == "before":
            proxy.before.insert(0, self._before)
        else:
            proxy.after.append(self._after)

    def _before(self, call: Call) -> Answer | None:
        return self._strike() if call.number == self.call else None

    def _after(self, call: Call, _answer: Answer) -> Answer | None:
        return self._strike() if call.number == self.call else None

    def _strike(self) -> Answer:
        while not self.victim:
            time.sleep(0.001)
        os.kill(self.victim, signal.SIGKILL)
        return LOST


def _rental(where: Place, scenario: str, ending: str) -> Rental:
    where.rounds += 1
    changes = SCENARIOS[scenario]()
    if ending == "lease":
        changes["lease_end_ns"] = (time.time_ns() // 10**9 + LEASE_S) * 10**9
    return rental(f"{where.rounds:08x}", **changes)


def _fresh(where: Place, scenario: str) -> None:
    """An account with nothing in it but what is a stranger's."""
    moto.reset(where.proxy.moto)
    where.proxy.reset()
    where.strangers = strangers(where.proxy.moto)
    shutil.rmtree(where.home / "clouds", ignore_errors=True)
    where.rds = Rds(where.proxy, None) if SCENARIOS[scenario]().get("databases") else None
    where.undisturbed()
    if scenario == "refused":
        where.proxy.before.append(_no_capacity)


def _no_capacity(call: Call) -> Answer | None:
    if "DryRun" in call.parameters or call.tags().get("plimsoll-name") != "client1":
        return None
    return faults.refused("RunInstances", "InsufficientInstanceCapacity", "none left")(call)


def strangers(address: str) -> set[str]:
    """What others have in the account: without tags, with tags alike, and a colleague's rental."""
    ec2 = account(address)
    lease = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
    colleague = {"plimsoll-rental": COLLEAGUE, "plimsoll-name": "m1", "plimsoll-lease-end": lease}
    for number, tags in enumerate(({}, {"Name": "plimsoll-rental", "rental": "00000001"}, colleague)):
        listed = [{"Key": key, "Value": value} for key, value in tags.items()]
        kinds = ("key-pair", "security-group", "instance", "volume")
        tagged = {kind: [{"ResourceType": kind, "Tags": listed}] if listed else [] for kind in kinds}
        name = f"plimsoll-0000000{number}x"
        ec2.create_key_pair(KeyName=name, TagSpecifications=tagged["key-pair"])
        ec2.create_security_group(GroupName=name, Description="x", TagSpecifications=tagged["security-group"])
        about = {"ImageId": moto.UBUNTU, "InstanceType": "t3.micro", "KeyName": name, "MinCount": 1, "MaxCount": 1}
        ec2.run_instances(**about, ClientToken=name, TagSpecifications=tagged["instance"])
        ec2.create_volume(AvailabilityZone=f"{REGION}a", Size=1, TagSpecifications=tagged["volume"])
    return set(everything(address))


def _left(where: Place) -> list[str]:
    return sorted(_there(where) - where.strangers)


def _there(where: Place) -> set[str]:
    """All that exists; looking for databases takes longer, so they are looked for where some are rented."""
    address = where.proxy.moto
    return {*everything(address), *(managed(address) if where.rds else ())}


def _unbounded(where: Place) -> list[str]:
    """Machines that would not end by themselves, and what would outlive them."""
    ec2, wrong = account(where.proxy.moto), []
    for each in (one for found in ec2.describe_instances()["Reservations"] for one in found["Instances"]):
        identity = each["InstanceId"]
        if identity in where.strangers or each["State"]["Name"] == "terminated":
            continue
        behaviour, data = "instanceInitiatedShutdownBehavior", "userData"
        told = {
            name: ec2.describe_instance_attribute(InstanceId=identity, Attribute=name) for name in (behaviour, data)
        }
        if told[behaviour]["InstanceInitiatedShutdownBehavior"]["Value"] != "terminate":
            wrong.append(f"{identity} does not end when it is shut down")
        text = base64.b64decode(told[data]["UserData"]["Value"]).decode()
        if not re.search(r"left=\$\(\( \d{10} - .*systemctl poweroff", text):
            wrong.append(f"{identity} has no timer")
        if not all(volume["Ebs"]["DeleteOnTermination"] for volume in each["BlockDeviceMappings"]):
            wrong.append(f"a volume outlives {identity}")
    if where.rds:
        scheduled = [each["Name"] for each in account(where.proxy.moto, "scheduler").list_schedules()["Schedules"]]
        if not scheduled and any(each.startswith("plimsoll-") and each[-2:] == "-1" for each in _left(where)):
            wrong.append("a database has no end of its own")
    return wrong


def _end(where: Place, wanted: Rental, point: Point) -> None:
    """What ends the rest."""
    if point.ending == "timer":
        _timers(where, wanted)
    if point.ending == "lease":
        shutil.rmtree(where.home / "clouds", ignore_errors=True)
        time.sleep(max(0.0, wanted.lease_end_ns / 1e9 - time.time()))
        sweep.outlived(finding.cloud("aws"), REGION)
        return
    if point.ending == "twice":
        where.proxy.calls.clear()
        rng = random.Random(point.text)
        again = Assassin(rng.randrange(12), rng.choice(SIDES))
        again.watch(where.proxy)
        again.victim = _start(where, {"do": "sweep"})
        _status(where)
        where.undisturbed()
    sweep.abandoned()


def _timers(where: Place, wanted: Rental) -> None:
    """Machines power off at the end of their lease, and databases are deleted; then nothing is left that costs."""
    if where.rds:
        where.rds.run_schedules(wanted.lease_end_ns)
    ec2 = account(where.proxy.moto)
    ours = [each for each in _left(where) if each.startswith("i-")]
    if ours:
        ec2.terminate_instances(InstanceIds=ours)
    databases = [
        each["DBInstanceIdentifier"] for each in account(where.proxy.moto, "rds").describe_db_instances()["DBInstances"]
    ]
    kept = [each for each in _left(where) if each.startswith(("i-", "vol-", "eni-"))] + databases
    assert kept == [], f"{kept} outlive their machine"


def _run(where: Place, wanted: dict[str, Any]) -> int:
    _start(where, wanted)
    return _status(where)


def _start(where: Place, wanted: dict[str, Any]) -> int:
    assert where.controller.stdin is not None
    where.controller.stdin.write(json.dumps(wanted) + "\n")
    where.controller.stdin.flush()
    return _status(where)


def _status(where: Place) -> int:
    assert where.controller.stdout is not None
    return int(where.controller.stdout.readline())
