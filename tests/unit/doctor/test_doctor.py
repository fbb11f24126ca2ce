"""Every check of the folder answers on this machine, and objects to a machine that is not fit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from plimsoll import plugins
from plimsoll.doctor import Check, Examined, Fitness, examine, fitness, run_checks, sentence
from plimsoll.errors import TargetError
from plimsoll.model import Level
from plimsoll.targets.chain import Chain
from plimsoll.targets.mounts import Mount
from plimsoll.targets.owner import current_owner
from plimsoll.targets.workdir import Claim
from plimsoll.units import GIB, MIB

CHECKS = {module.NAME: module for module in plugins.modules("plimsoll.doctor.checks")}


def mount(*options: str, file_system: str = "ext4") -> Chain:
    return Chain(
        mount=Mount(
            device_number="8:0", root="/", point="/", file_system=file_system, source="/dev/sda", options=options
        ),
        reason="nothing below",
    )


UNFIT: dict[str, dict[str, Any]] = {
    "aio_limit": {"host": {"aio_limit": 100}},
    "clock_source": {"host": {"clock_source": "hpet"}},
    "file_descriptors": {"host": {"file_descriptors": 256}},
    "governor": {"processor": {"governor": "performance, powersave"}},
    "io_uring": {"host": {"io_uring": "no"}},
    "load": {"host": {"load": [9.0, 9.0, 9.0]}},
    "memory": {"memory": {"available_bytes": 100 * MIB}},
    "mount_options": {"chain": mount("rw", "nobarrier")},
    "processors": {"processor": {"limit": 0.5}},
    "space": {"free_bytes": GIB, "total_bytes": 100 * GIB},
    "storage": {"chain": mount("rw", file_system="tmpfs")},
    "swap": {"memory": {"swap_bytes": GIB, "swap_used_bytes": GIB // 2}},
    "virtualisation": {"host": {"steal_since_boot": 0.2}},
}
"""What makes each check object; `host`, `processor` and `memory` change facts, the rest fields of Examined."""
ELSEWHERE = {"scheduler", "leftovers", "served_volumes"}


def unfit(examined: Examined, changes: dict[str, Any]) -> Examined:
    host = {**examined.host, **changes.get("host", {})}
    for group in ("processor", "memory"):
        host[group] = {**host[group], **changes.get(group, {})}
    fields = {name: value for name, value in changes.items() if name not in ("host", "processor", "memory")}
    return replace(examined, host=host, **fields)


def test_every_check_has_a_case() -> None:
    assert set(CHECKS) == set(UNFIT) | ELSEWHERE


def test_this_machine(tmp_path: Path) -> None:
    checks = run_checks(tmp_path)
    assert {check.name for check in checks} <= set(CHECKS)
    assert len(checks) > 10
    for check in checks:
        assert check.message
        assert check.advice or check.level is Level.OK


@pytest.mark.parametrize("name", UNFIT)
def test_it_objects_with_advice(name: str, tmp_path: Path) -> None:
    answer = CHECKS[name].check(unfit(examine(tmp_path), UNFIT[name]))
    assert isinstance(answer, Check)
    assert answer.name == name
    assert answer.level is not Level.OK
    assert answer.advice


def test_all_checks_in_one_sentence() -> None:
    def check(name: str, level: Level) -> Check:
        return Check(name=name, level=level, message=f"{name}: something", advice="do it")

    fine, noisy, broken = check("swap", Level.OK), check("other_load", Level.WARN), check("io_uring", Level.INVALID)
    for checks, expected, says, never in (
        ([fine], Fitness.FIT, "Fit for measuring: no check found a problem", "care"),
        ([fine, noisy], Fitness.CARE, "Fit with care: 1 check found a problem (other load)", "Not fit"),
        ([noisy, noisy], Fitness.CARE, "2 checks found problems (other load, other load)", "Not fit"),
        ([fine, noisy, broken], Fitness.UNFIT, "Not fit as it is: 1 check found a problem (io uring)", "other load"),
    ):
        assert fitness(checks) is expected
        assert says in sentence(checks)
        assert never not in sentence(checks)


@pytest.mark.parametrize(
    ("chain", "level", "words"),
    [
        (mount("rw"), Level.OK, "ext4 at /"),
        (mount("ro"), Level.INVALID, "read-only"),
        (mount("rw", "discard"), Level.WARN, "discards"),
        (mount("rw", file_system="tmpfs"), Level.WARN, "memory"),
        (mount("rw", file_system="nfs4"), Level.WARN, "network"),
        (mount("rw", file_system="btrfs"), Level.WARN, "copies on write"),
    ],
)
def test_mounts(tmp_path: Path, chain: Chain, level: Level, words: str) -> None:
    answer = CHECKS["mount_options"].check(replace(examine(tmp_path), chain=chain))
    assert answer.level is level
    assert words in answer.message


def test_a_heavy_scheduler_on_flash(tmp_path: Path) -> None:
    from tests.unit.guards.guard_cases import disk

    examined = examine(tmp_path)
    for scheduler, rotational, level in (
        ("bfq", False, Level.WARN),
        ("bfq", True, Level.OK),
        ("none", False, Level.OK),
    ):
        chain = Chain(devices=(disk(scheduler=scheduler, rotational=rotational),), disks=("sda",))
        assert CHECKS["scheduler"].check(replace(examined, chain=chain)).level is level


def test_leftovers_of_a_dead_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = Claim(token="t", folder="/mnt/a/plimsoll-1", session="s", created_ns=1, owner=current_owner())
    monkeypatch.setattr("plimsoll.doctor.checks.leftovers.leftovers", lambda: [claim])
    answer = CHECKS["leftovers"].check(examine(tmp_path))
    assert answer.level is Level.WARN
    assert "/mnt/a/plimsoll-1" in answer.message


def test_a_place_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TargetError):
        run_checks(tmp_path / "none")


def test_how_served_volumes_are_reached_is_told_where_it_can_be_switched(tmp_path: Path) -> None:
    examined = replace(examine(tmp_path), root=tmp_path)
    check = CHECKS["served_volumes"].check
    assert check(examined) is None
    switch = tmp_path / "sys/module/fuse/parameters/enable_uring"
    switch.parent.mkdir(parents=True)
    for value, words, advised in (("Y", "io_uring", False), ("N", "/dev/fuse", True)):
        switch.write_text(f"{value}\n")
        answer = check(examined)
        assert answer.level is Level.OK
        assert f"come through {words}" in answer.message
        assert bool(answer.advice) is advised
