"""RAID by the kernel's md. Where the kernel has none, a program in mdadm's place shows what it is asked for."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from tests.conftest import need
from tests.integration.volumes.conftest import Machine

from plimsoll.errors import TargetError, UsageError
from plimsoll.volumes import changes, lifecycle, registry
from plimsoll.volumes import machine as parts

STRIPE = {"type": "gp3", "size": "1GiB", "raid": "0", "members": "2", "instance": "m5.large"}
STAND_IN = """#!/bin/sh
# Combines nothing: the "array" is a loop device over the first member.
echo "$@" >> "$LOG"
case "$1" in
--create) for last; do :; done; mkdir -p /dev/md; ln -s "$(losetup --find --show "$last")" "$2" ;;
--stop) losetup --detach "$2"; rm -f /dev/md/plimsoll-test; rmdir /dev/md ;;
esac
"""


def request(**more: object) -> lifecycle.VolumeRequest:
    return lifecycle.VolumeRequest("plimsoll-test", STRIPE, backing="memory", raid_with_md=True, **more)  # type: ignore[arg-type]


def test_without_md_it_says_so(machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dev").mkdir()
    for there in ("fuse", "loop-control"):
        (tmp_path / "dev" / there).touch()
    # A kernel without md, whatever the one of this machine has.
    monkeypatch.setattr(parts, "check", partial(parts.check, root=tmp_path))
    with pytest.raises(TargetError, match=r"no /proc/mdstat.*leave out --raid-with mdadm"):
        lifecycle.create(request())
    assert machine.left() == []


def test_members_are_volumes_that_mdadm_combines(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need(not Path("/dev/md/plimsoll-test").exists(), "a free name")
    program = tmp_path / "mdadm"
    program.write_text(STAND_IN)
    program.chmod(0o755)
    monkeypatch.setenv("LOG", str(tmp_path / "log"))
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/sbin:/usr/bin:/sbin:/bin")
    monkeypatch.setattr(parts, "check", lambda *_, **__: None)
    volume = lifecycle.create(request(file_system="ext4"))
    assert volume.members == ("plimsoll-test.0", "plimsoll-test.1")
    devices = [registry.named(name).device for name in volume.members]
    asked = (tmp_path / "log").read_text()
    assert asked.startswith("--create /dev/md/plimsoll-test --run")
    assert "--level=0 --raid-devices=2 --chunk=512K" in asked
    assert " ".join(devices) in asked
    assert {registry.named(name).instance_name for name in volume.members} == {"plimsoll-test"}
    assert volume.mount is not None
    Path(volume.mount, "file").write_text("content")
    with pytest.raises(UsageError, match=r"say which member: plimsoll-test\.0"):
        changes.statistics("plimsoll-test")
    assert changes.statistics("plimsoll-test.0")["total_write_ops"] >= 0
    assert json.loads(machine.plimsoll("volume", "list", "--json").stdout)[0]["members"] == list(volume.members)
    lifecycle.delete("plimsoll-test")
    assert (tmp_path / "log").read_text().splitlines()[-1] == f"--stop {volume.device}"
    assert machine.left() == []
