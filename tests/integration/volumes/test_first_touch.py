"""A volume from a snapshot is measured twice at its first touch, which is told and does not count."""

from __future__ import annotations

import json

from tests.integration.volumes.conftest import Machine

from plimsoll.store.opening import open_store


def test_the_first_block_is_measured_twice(machine: Machine) -> None:
    of = "vol:type=gp3,size=1GiB,backing=memory"
    sizes = ("--set", "size=16MiB", "--set", "runtime=1s", "--set", "warmup=0s", "--set", "depth=4")
    words = ("run", "randread", "--on", f"snapshot={of},first_touch=yes", "--on", f"plain={of}", "--title", "touched")
    machine.plimsoll(*words, *sizes, "--repeats", "2", "--noisy-host", "--quiet")
    with open_store() as store:
        runs = store.runs([store.find_session("touched").id])
    first = [run for run in runs if run.target.name == "snapshot" and run.block == 0]
    assert [(run.attempt, run.status.value) for run in first] == [(0, "invalid"), (1, "ok")]
    assert "measured a second time, and that counts" in first[0].reason
    assert all(run.status.value == "ok" for run in runs if run.target.name == "plain")
    # The target is recorded as the study has it.
    assert first[0].target.options == {}
    shown = machine.plimsoll("show", "touched", "--json").stdout
    assert "first touch of a volume that was made from a snapshot" in json.dumps(json.loads(shown))
