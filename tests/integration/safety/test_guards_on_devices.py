"""Guards on real runs: a device that answers from a cache or from holes is found out, an honest one is not accused."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tests.conftest import need
from tests.integration.safety.conftest import MakeLoop, run

from plimsoll.model import Finding, Level, Plan, Target
from plimsoll.parameters import defaults, read_values
from plimsoll.run import record
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.sampler import Sampler
from plimsoll.run.workers.local import execute
from plimsoll.targets import datafile
from plimsoll.targets.chain import chain_of
from plimsoll.targets.host import memory_limit_bytes
from plimsoll.targets.safety import find_device

MIB = 2**20


def judged(path: Path, **parameters: Any) -> dict[str, Finding]:
    """What each guard says of a run of a few seconds."""
    given = {"mode": "randread", "depth": 4, "size": 32 * MIB, "runtime": "2500ms", "warmup": 0, "layout": "keep"}
    values = {**defaults("io"), **read_values("io", {**given, **parameters}, "test")}
    plan = Plan(test="t", case="t", workload="io", parameters=values, metrics=("iops",))
    chain = chain_of(path)
    execution = execute(plan, path, Sampler(chain), lambda _progress: None, lambda: False)
    assert execution.outcome["status"] == "ok", execution.outcome["error"]
    evidence = RunEvidence(
        plan=plan,
        target=Target(name="t", where=str(path)),
        outcome=execution.outcome,
        before=execution.before,
        after=execution.after,
        samples=execution.samples,
        chain=chain,
        file=datafile.facts(path, values["offset"], values["size"]),
        memory_limit_bytes=memory_limit_bytes(),
    )
    return {finding.guard: finding for finding in record.judged(evidence, noisy_host=False)}


def judged_undisturbed(path: Path) -> dict[str, Finding]:
    """The same, in a moment in which nobody else reads so much that it fills what a cache leaves out."""
    for _ in range(5):
        findings = judged(path)
        if findings["device_bytes"].level is Level.INVALID:
            break
    return findings


def on_a_disk(loop: Path) -> None:
    need(bool(chain_of(loop).counters), "temporary files on a disk with counters")


def test_holes_and_the_cache_below_a_loop_device(make_loop: MakeLoop) -> None:
    loop = make_loop(32)
    on_a_disk(loop)
    findings = judged_undisturbed(loop)
    assert findings["unwritten"].level is Level.INVALID
    assert findings["device_bytes"].level is Level.INVALID
    assert "never reached it" in findings["device_bytes"].message


def test_an_honest_loop_device(make_loop: MakeLoop) -> None:
    loop = make_loop(32)
    on_a_disk(loop)
    backing = Path(find_device(loop).backing_file)
    with backing.open("r+b") as image:
        image.write(os.urandom(32 * MIB))
        os.fsync(image.fileno())
    run("losetup", "--direct-io=on", loop)
    need(find_device(loop).backing_direct, "direct I/O below loop devices")
    findings = judged(loop)
    for name in ("unwritten", "device_bytes", "littles_law", "queue", "errors"):
        assert findings[name].level is not Level.INVALID, findings[name].message
    assert findings["device_bytes"].values["read_test_bytes"] > 0


def test_durable_writes_reach_the_disk_as_flushes(make_loop: MakeLoop) -> None:
    loop = make_loop(32)
    on_a_disk(loop)
    findings = judged(loop, mode="write", engine="psync", depth=1, sync="fdatasync")
    assert findings["durability"].level is Level.OK, findings["durability"].message
