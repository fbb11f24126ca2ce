"""Volumes with limits of their own are measured at the same time, where that is asked for."""

from __future__ import annotations

import gzip
import json

from tests.integration.volumes.conftest import Machine

SHORT = ("--set", "size=16MiB", "--set", "runtime=3s", "--set", "warmup=100ms", "--noisy-host")
TWO = ("--on", "few=vol:io1,iops=200,size=8GiB", "--on", "more=vol:io1,iops=400,size=8GiB")


def test_two_emulated_volumes_at_once_keep_their_limits_in_half_the_time(machine: Machine) -> None:
    told = machine.plimsoll("plan", "randread", *TWO, *SHORT, "--interleave", "parallel").stdout
    assert "targets run at the same time (as asked)" in told
    machine.plimsoll("run", "randread", *TWO, *SHORT, "--interleave", "parallel", "--repeats", "2")
    path = machine.home / "found.plimsoll.gz"
    machine.plimsoll("export", "-o", str(path))
    with gzip.open(path, "rt") as lines:
        runs = [read["run"] for line in lines if "run" in (read := json.loads(line))]
    assert len(runs) == 4
    assert all(run["status"] == "ok" and run["facts"]["parallel"]["overlap"] > 0.9 for run in runs)
    for name, limit in (("few", 200), ("more", 400)):
        rates = [
            score["value"] for run in runs if run["target"]["name"] == name
            for score in run["scores"] if score["metric"] == "iops"
        ]  # fmt: skip
        assert all(0.8 * limit < rate < 1.4 * limit for rate in rates), (name, rates)
    report = machine.home / "r.html"
    machine.plimsoll("report", "-o", str(report))
    assert "All targets of a block run at the same time." in report.read_text()
