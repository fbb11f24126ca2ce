"""A test made of a trace does what the trace did: it is run, observed, and both profiles are compared."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest
from tests.integration.traces.test_observe import instances, started
from tests.integration.volumes.conftest import Machine, machine
from tests.unit.traces.test_made_test import trace

__all__ = ["instances", "machine"]


def profiled(machine: Machine, path: Path, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(machine.plimsoll("profile", str(path), "--json", *words).stdout)
    return found


def sizes(found: dict[str, Any], kind: str) -> dict[int, float]:
    """Shares."""
    counts = {each["bytes"]: each["operations"] for each in found["sizes"][kind]}
    return {size: count / sum(counts.values()) for size, count in counts.items()}


@pytest.mark.usefixtures("instances")
def test_the_distributions_are_those_of_the_trace(machine: Machine, tmp_path: Path) -> None:
    study = tmp_path / "like.toml"
    asked = profiled(machine, trace(tmp_path), "--save-test", str(study))
    device = machine.create("raw").device
    with open(device, "r+b") as blocks:
        blocks.write(os.urandom(256 << 20))
        os.fsync(blocks.fileno())
    run = ("run", str(study), "--on", f"raw={device}", "--repeats", "1", "--noisy-host", "--quiet")
    refused = machine.plimsoll(*run, check=False).stderr
    consent = re.search(r"--destroy '([^']+)'", refused.replace("\n", " "))
    assert consent is not None, refused
    recorder = started(tmp_path, device)
    try:
        machine.plimsoll(*run, "--destroy", consent[1])
    finally:
        recorder.send_signal(signal.SIGINT)
        recorder.communicate(timeout=60)
    done = profiled(machine, tmp_path / "load.trace")
    assert done["read_share"] == pytest.approx(asked["read_share"], abs=0.02)
    assert done["operations"] == pytest.approx(asked["operations"], rel=0.03)
    for kind in ("reads", "writes"):
        mine, theirs = sizes(done, kind), sizes(asked, kind)
        assert all(mine.get(size, 0.0) == pytest.approx(share, abs=0.03) for size, share in theirs.items())
    assert done["sequential_share"] == pytest.approx(asked["sequential_share"], abs=0.03)
    assert done["working_set"]["bytes"] == pytest.approx(asked["working_set"]["bytes"], rel=0.1)
