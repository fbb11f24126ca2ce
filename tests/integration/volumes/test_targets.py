"""`--on gp2=vol:…`: served before, gone after, whatever happens in between."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.conftest import need_program
from tests.integration.volumes.conftest import Machine

from plimsoll.errors import TargetError, UnknownName, UsageError
from plimsoll.run.emulated import check
from plimsoll.targets.host import cgroup_folders
from plimsoll.targets.parse import parse_target
from plimsoll.targets.volume import volume_options
from plimsoll.volumes import changes, registry

GP2 = "gp2=vol:type=gp2,size=100GiB,time_scale=1000,instance=m5.large,fs=xfs,backing=memory"
SHORT = ["--set", "size=32MiB", "--set", "runtime=1s", "--set", "warmup=0s", "--noisy-host", "--quiet"]


def test_what_belongs_to_the_volume_and_what_to_the_test() -> None:
    target = parse_target("a=vol:gp2,size=100GiB,depth=4,fs=xfs,instance_name=web,instance=m5.large")
    assert (target.name, target.kind, target.options) == ("a", "volume", {"depth": "4"})
    assert target.where == "vol:type=gp2,size=100GiB,fs=xfs,instance_name=web,instance=m5.large"
    assert volume_options(target)[1] == {"fs": "xfs", "instance_name": "web"}
    assert parse_target("vol:gp3,size=1GiB").name == "gp3"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("vol:type=gp4,size=1GiB", "did you mean 'gp"),
        ("vol:type=gp2", "needs a size"),
        ("vol:type=gp3,size=1GiB,backing=tape", "backing"),
        ("vol:type=gp3,size=1GiB,fs=zfs", "file system"),
        ("vol:type=gp3,size=1GiB", "holds about"),
        ("vol:type=gp3,size=10GiB,memory=yes", "name the instance whose memory it is"),
        ("vol:type=gp3,size=10GiB,memory=4MiB", "give at least 128 MiB"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_made(machine: Machine, words: str, reason: str) -> None:
    with pytest.raises((UsageError, UnknownName, TargetError), match=reason):
        check(parse_target(words), needed_bytes=2 * 2**30)
    assert machine.left() == []


def test_a_session_on_two_volumes_of_one_instance(machine: Machine) -> None:
    shared = "type=gp3,size=10GiB,instance=m5.large,instance_name=web,backing=memory"
    on = ["--on", f"one=vol:{shared}", "--on", f"two=vol:{shared},depth=1"]
    planned = machine.plimsoll("plan", "randread", *on, *SHORT[:-1]).stdout
    assert "vol:type=gp3" in planned
    assert machine.left() == [], "a plan makes nothing"
    shown = json.loads(machine.plimsoll("run", "randread", *on, *SHORT, "--blocks", "1", "--json").stdout)
    assert machine.left() == []
    text = json.dumps(shown)
    assert "volume" in text
    assert "does not say which devices" not in text


def test_a_volume_with_the_memory_of_its_instance(machine: Machine) -> None:
    on = "a=vol:type=standard,size=10GiB,instance=m1.small,era=2013,memory=yes,backing=memory"
    machine.plimsoll("run", "randread", "--on", on, *SHORT, "--blocks", "1", "--store-copy", str(machine.home))
    says_what_memory_it_had(machine, 1741 * 2**20)


def says_what_memory_it_had(machine: Machine, size_bytes: int) -> None:
    """The only run in the copy of the store: its facts, and what the guard makes of them."""
    [copy] = machine.home.glob("*.plimsoll.gz")
    lines = [json.loads(line) for line in gzip.decompress(copy.read_bytes()).splitlines()]
    [run] = [line["run"] for line in lines if "run" in line]
    assert run["facts"]["small_memory"]["bytes"] == size_bytes
    [said] = [each for each in run["findings"] if each["guard"] == "instance_memory"]
    assert (said["level"] == "ok") == (not run["facts"]["small_memory"]["why_not"])


def test_the_data_of_a_database_lie_on_a_volume(machine: Machine) -> None:
    """Its server runs as a user of its own, who may not enter our folder."""
    need_program("redis-server")
    words = ["--server", "redis", "--on", "a=vol:type=gp3,size=5GiB,backing=memory", *SHORT[2:], "--blocks", "1"]
    shown = json.loads(machine.plimsoll("run", "ycsb-a", *words, "--set", "records=100", "--json").stdout)
    assert "operation_rate" in json.dumps(shown["scores"])
    assert machine.left() == []


def test_a_private_server_on_a_volume_with_less_memory_leaves_no_group(machine: Machine) -> None:
    """It was started within the group, and a group with a process in it cannot be taken away."""
    need_program("redis-server")
    words = ["--server", "redis", "--on", "a=vol:type=gp3,size=5GiB,backing=memory,memory=512MiB", *SHORT[2:]]
    more = ["--blocks", "1", "--set", "records=100", "--store-copy", str(machine.home)]
    machine.plimsoll("run", "ycsb-a", *words, *more)
    says_what_memory_it_had(machine, 512 * 2**20)
    groups = [group for above in cgroup_folders("memory", Path("/")) for group in above.glob("plimsoll-*-a")]
    assert groups == []
    assert machine.left() == []


def test_depth_32_is_faster_than_depth_1_within_three_blocks(machine: Machine) -> None:
    """On a volume whose operations take 20 ms: how much depth brings is known, and a busy machine does not hide it."""
    volume = machine.create("v", file_system="ext4")
    changes.inject("v", changes.fault("slow", {"factor": "40"}))
    on = ["--on", f"one={volume.mount},depth=1", "--on", f"many={volume.mount},depth=32"]
    machine.plimsoll("run", "randread", *on, *SHORT, "--set", "size=4MiB", "--set", "runtime=400ms")
    changes.inject("v", changes.fault("clear", {}))
    rows = json.loads(machine.plimsoll("compare", "--json").stdout)
    (iops,) = [row for row in rows if row["metric"] == "iops"]
    assert iops["answer"] == "better"
    assert iops["blocks"] == 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_session_takes_its_volumes_away(machine: Machine, number: int) -> None:
    with _session() as session:
        session.send_signal(number)
        assert session.wait(timeout=60) == 130
    assert machine.left() == []


def test_a_killed_session_leaves_its_volumes_to_the_next_command(machine: Machine) -> None:
    with _session() as session:
        mounts = [Path(volume.mount) for volume in registry.volumes() if volume.mount]
        session.kill()
        session.wait(timeout=60)
    said = machine.plimsoll("list", "suites").stderr
    assert "the session that used it was killed" in said
    deadline = time.monotonic() + 60
    while machine.left() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert machine.left() == []
    assert mounts
    assert not any(mount.exists() for mount in mounts)


def _session() -> subprocess.Popen[bytes]:
    """A session that runs on a volume now."""
    words = [sys.executable, "-m", "plimsoll", "run", "randread", "--on", GP2, *SHORT, "--set", "runtime=10m"]
    session = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + 60
    while not any(volume.mount and _in_use(volume.mount) for volume in registry.volumes()):
        assert session.poll() is None, "the session ended early"
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return session


def _in_use(mount: str) -> bool:
    """The session has its work folder there."""
    try:
        return any(name.startswith("plimsoll-") for name in os.listdir(mount))
    except OSError:
        return False
