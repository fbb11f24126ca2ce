"""What is said to volumes, and what is refused before anything is done."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from plimsoll.catalog.model import device_bytes
from plimsoll.errors import TargetError, UnknownName, UsageError
from plimsoll.volumes import changes, core, lifecycle, machine, registry
from plimsoll.volumes.registry import Volume


@pytest.mark.parametrize(
    ("kind", "options", "fault"),
    [
        ("stall", {"for": "10s"}, {"fault": "stall", "duration_ns": 10**10}),
        ("error", {"offset": "1GiB", "length": "1MiB"}, {"fault": "error", "offset": 2**30, "bytes": 2**20}),
        (
            "error",
            {"offset": "0", "length": "4k", "only": "read"},
            {"fault": "error", "offset": 0, "bytes": 4096, "kind": "read"},
        ),
        ("slow", {"factor": "2.5"}, {"fault": "slow", "factor": 2.5}),
        ("power-loss", {}, {"fault": "power_loss", "off_ns": 0}),
        ("power-loss", {"for": "2s"}, {"fault": "power_loss", "off_ns": 2 * 10**9}),
        ("detach", {}, {"fault": "detach"}),
        ("clear", {}, {"fault": "clear"}),
    ],
)
def test_faults_as_typed(kind: str, options: dict[str, str], fault: dict[str, Any]) -> None:
    assert changes.fault(kind, options) == fault


@pytest.mark.parametrize(
    ("kind", "options", "reason"),
    [
        ("stal", {}, "did you mean 'stall'"),
        ("stall", {}, "needs --for"),
        ("stall", {"for": "soon"}, "is not a valid duration"),
        ("error", {"offset": "1GiB"}, "needs --length"),
        ("error", {"offset": "0", "length": "1", "only": "trim"}, "kind of operation"),
        ("error", {"offset": "0", "length": "0"}, "empty range"),
        ("slow", {"factor": "0.5"}, "at least 1"),
        ("detach", {"for": "1s"}, "has no --for"),
    ],
)
def test_faults_that_make_no_sense(kind: str, options: dict[str, str], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        changes.fault(kind, options)


def test_everything_that_is_missing_is_named_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TargetError) as refused:
        machine.check("xfs", array=True, root=tmp_path)
    for what in ("root", "/dev/fuse", "/dev/loop-control", "losetup", "mkfs.xfs (package xfsprogs)", "md ", "mdadm"):
        assert what in str(refused.value), what


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (lifecycle.VolumeRequest("v", {"type": "gp3", "size": "1GiB"}, file_system="zfs"), "file system"),
        (lifecycle.VolumeRequest("v", {"type": "gp3", "size": "1GiB"}, mount=Path("/x")), "needs a file system"),
        (lifecycle.VolumeRequest("v", {"type": "gp3", "size": "1GiB"}, instance_name="web"), "needs a type"),
        (lifecycle.VolumeRequest("v", {"type": "gp3", "size": "1GiB"}, raid_with_md=True), "members of an array"),
        (lifecycle.VolumeRequest("v", {"type": "gp2", "size": "1TB2"}), "size"),
        (lifecycle.VolumeRequest("v", {"type": "gp2"}), "needs a size"),
    ],
)
def test_requests_that_cannot_be_served(asked: lifecycle.VolumeRequest, reason: str) -> None:
    with pytest.raises((UsageError, UnknownName), match=reason):
        lifecycle.check(asked)
    assert registry.volumes() == []


@pytest.mark.parametrize("name", ["", ".hidden", "a/b", "..", "-x", "a" * 41, "ä"])
def test_names_that_are_no_folder(name: str) -> None:
    with pytest.raises(UsageError, match="is not a name for a volume"):
        registry.reserve(Volume(name=name, created_ns=1, options={}, summary="", size_bytes=1))
    assert registry.volumes() == []


def test_sweep_removes_what_a_kill_left_at_the_very_start() -> None:
    (registry.root() / "half").mkdir()
    done = Volume(name="begun", created_ns=1, options={}, summary="", size_bytes=1)
    registry.reserve(done)
    assert lifecycle.sweep() == [
        "removed volume half: its maker was killed",
        "removed volume begun: its maker was killed",
    ]
    assert list(registry.root().glob("[!.]*")) == []


def test_sweep_leaves_alone_what_somebody_is_making() -> None:
    with registry.changes():
        registry.reserve(Volume(name="begun", created_ns=1, options={}, summary="", size_bytes=1))
        assert lifecycle.sweep() == []
    assert [volume.name for volume in registry.volumes()] == ["begun"]


def test_a_description_that_no_mechanism_can_carry_out() -> None:
    latency = {"median_ns": 1}
    chosen = {"size": 2**30, "queue": "fifo", "seed": 1, "time_scale": 1.0}
    spec = {**chosen, "read_latency": latency, "write_latency": latency}
    assert device_bytes({**spec, "array": {"raid": 0, "members": 4, "chunk": 65536}}, "here") == 4 * 2**30
    with pytest.raises(UsageError, match=r"iops\.rate is 0"):
        device_bytes({**spec, "iops": {"rate": 0}}, "here")
    with pytest.raises(UsageError, match="one of a workload, a trace and a schedule"):
        core.simulate({"volume": spec})
    with pytest.raises(TargetError, match=r"cannot read .*No such file"):
        core.simulate({"volume": spec, "trace": {"path": "/nonexistent", "depth": 1}})
