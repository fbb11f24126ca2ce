"""Sessions of several machines judge the products: here the machines differ by the name that each has for itself."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.conftest import need_program, need_root
from tests.integration.run.conftest import PLIMSOLL, Command

SMALL = ("--set", "size=4MiB", "--set", "runtime=300ms", "--set", "warmup=0s", "--noisy-host", "--repeats", "3")


def measured_on(machine: str, disk: Path, depth: int) -> None:
    """A session on a machine of this name."""
    words = ("run", "ping", "--on", f"one={disk}", "--on", f"deep={disk},depth={depth}", *SMALL)
    done = subprocess.run(
        ["unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', machine, str(PLIMSOLL), *words],
        cwd=disk.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_three_machines_are_three_allocations_and_one_machine_is_one(plimsoll: Command, disk: Path) -> None:
    need_root()
    need_program("unshare")
    for machine in ("first", "second", "second"):
        measured_on(machine, disk, 16)
    names = [row["session"] for row in plimsoll("list", "sessions", "--json").json]
    alone = plimsoll("compare", "--products", names[0], check=2)
    assert "--products: one session is one allocation, as far as the facts of their places tell" in alone.err
    told = plimsoll("compare", "--products", *names).out
    assert "over 2 fresh allocations of each; a verdict on products needs 3" in told
    assert "These 3 sessions are 2 allocations at most" in told
    measured_on("third", disk, 16)
    names = [row["session"] for row in plimsoll("list", "sessions", "--json").json]
    rows = plimsoll("compare", "--products", *names, "--json").json
    # A percentile needs operations that a busy machine may not have done in every session.
    known: dict[str, set[str]] = {}
    for name, machine in zip(names, ("third", "second", "second", "first"), strict=True):
        for row in plimsoll("compare", name, "--json").json:
            known.setdefault(row["metric"], set()).update([machine] if row["ratio"] is not None else [])
    expected = {metric: len(machines) for metric, machines in known.items()}
    assert expected["iops"] == 3
    assert {row["metric"]: row["allocations"] for row in rows} == expected
    assert all(row["between_low"] <= row["between"] <= row["between_high"] for row in rows)
    assert {row["target"] for row in rows} == {"deep"}
    # What `--products` asks for is what a gate and programs are told anyway, once the report is about products.
    told = plimsoll("compare", *names, "--fail-on", "worse", "--json", check=None)
    assert {row["metric"]: row["allocations"] for row in told.json} == expected
    assert told.code == any(row["answer"] == "worse" for row in told.json)
    assert "(" not in "".join(row["target"] for row in told.json)
    table = plimsoll("compare", *names, "--format", "markdown").out
    assert "3 allocations |" in table
    assert "comparisons decided" in table
    assert "correction" not in table
    header = plimsoll("compare", "--products", *names, "--csv").out.splitlines()[0]
    assert header.startswith("test,metric,baseline,target,answer,ratio")
    refused = plimsoll("compare", "--products", *names, "--format", "junit", check=2)
    assert "--products writes text, json, csv; leave --format junit out" in refused.err
