"""What saves up while it rests alternates only by force, and then its runs do not count."""

from __future__ import annotations

import gzip
import json

from tests.integration.volumes.conftest import Machine

from plimsoll.volumes.registry import Volume

SHORT = ("--set", "size=16MiB", "--set", "runtime=4s", "--set", "warmup=100ms", "--noisy-host", "--repeats", "1")


def settings(volume: Volume) -> tuple[str, ...]:
    return ("--on", f"some={volume.mount}", "--on", f"more={volume.mount},depth=64")


def test_a_served_volume_alternates_only_by_force_and_is_found_out(machine: Machine) -> None:
    volume = machine.create("limited", file_system="ext4", iops=3000)
    told = machine.plimsoll("plan", "randread", *settings(volume), *SHORT).stdout
    assert "(target some lies on a served volume, which may save up while another works)" in told
    forced = machine.plimsoll("run", "randread", *settings(volume), *SHORT, "--interleave", "slices", check=False)
    assert "I/Os waited for volume IOPS in" in forced.stdout
    assert "Use --interleave blocks: one target then runs after the other." in forced.stdout
    path = machine.home / "found.plimsoll.gz"
    machine.plimsoll("export", "-o", str(path))
    with gzip.open(path, "rt") as lines:
        runs = [read["run"] for line in lines if "run" in (read := json.loads(line))]
    assert any("slices" in run["facts"] for run in runs)
    assert not any("slices" in run["facts"] and run["status"] == "ok" for run in runs)
