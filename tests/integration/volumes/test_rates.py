"""Of a slow volume with a deep queue the rate is what the volume carries, however long each I/O waits."""

from __future__ import annotations

import json

import pytest
from tests.integration.volumes.conftest import Machine

ONLY = ["--on", "slow=vol:io1,size=20GiB,iops=100,backing=memory", "--repeats", "1", "--noisy-host", "--quiet"]
SHORT = ["--set", "size=16MiB", "--set", "runtime=2s", "--set", "warmup=1s"]


@pytest.mark.parametrize("depth", [32, 256])
def test_a_slow_volume_is_not_called_slower_for_its_queue(machine: Machine, depth: int) -> None:
    told = machine.plimsoll("run", "randread", *ONLY, *SHORT, "--set", f"depth={depth}").stdout
    assert "held back by its volume IOPS" in " ".join(told.split())
    rows = json.loads(machine.plimsoll("show", "--json").stdout)["scores"]["rows"]
    (iops,) = [row["value"]["value"] for row in rows if row["metric"] == "iops"]
    assert 95 < iops < 105, f"100 IOPS, at depth {depth}"
    assert "Little" not in told, "what was in flight fits what was done"
