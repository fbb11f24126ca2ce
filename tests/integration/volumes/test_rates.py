"""Of a slow volume with a deep queue the rate is what the volume carries, however long each I/O waits."""

from __future__ import annotations

import json

import pytest
from tests.integration.volumes.conftest import Machine

ONLY = ["--on", "slow=vol:io1,size=20GiB,iops=100,backing=memory", "--repeats", "1", "--noisy-host", "--quiet"]
SHORT = ["--set", "size=16MiB", "--set", "warmup=1s"]


@pytest.mark.parametrize(("depth", "runtime"), [(32, "2s"), (128, "21s")])
def test_a_slow_volume_is_not_called_slower_for_its_queue(machine: Machine, depth: int, runtime: str) -> None:
    of = ["--set", f"depth={depth}", "--set", f"runtime={runtime}"]
    told = " ".join(machine.plimsoll("run", "randread", *ONLY, *SHORT, *of).stdout.split())
    assert "held back by its volume IOPS" in told
    shown = json.loads(machine.plimsoll("show", "--json").stdout)
    (iops,) = [row["value"]["value"] for row in shown["scores"]["rows"] if row["metric"] == "iops"]
    assert 95 < iops < 105, f"100 IOPS, at depth {depth}"
    # At depth 128 the I/Os that come back in the first 1.3 s are those of the warm-up.
    for false in ("rate rose", "in flight, ", "never reached it"):
        assert false not in told
