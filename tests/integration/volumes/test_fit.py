"""`plimsoll volume fit` finds the numbers that a served volume was given; so it does of the file that it wrote."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.integration.volumes.conftest import Machine

TRUTH: dict[str, float] = {
    "iops": 2200, "throughput": 80 * 2**20,
    "read_floor_ns": 1.2e6, "read_median_ns": 2e6, "read_sigma": 0.25,
    "write_floor_ns": 1.5e6, "write_median_ns": 3e6, "write_sigma": 0.2,
    "write_tail_share": 0.05, "write_tail_median_ns": 60e6, "write_tail_sigma": 0.1,
}  # fmt: skip
TESTS = """
[[tests]]
test = "randread"
depth = 1
[[tests]]
test = "randwrite"
depth = 1
[[tests]]
test = "randread"
[[tests]]
test = "randread"
block_size = "256KiB"
"""
BURST: dict[str, float] = {"iops": 2500, "iops_baseline": 500, "iops_credits": 4_000_000}


def written(folder: Path, kind: str, numbers: dict[str, float]) -> str:
    file = folder / f"{kind}.toml"
    lines = (f"{name} = {value}\n" for name, value in numbers.items())
    file.write_text(f'type = "{kind}"\n[numbers]\n{"".join(lines)}', encoding="utf-8")
    return str(file)


def measured(machine: Machine, folder: Path, where: str, head: str, tests: str) -> dict[str, Any]:
    """The fit of a session of these tests, as JSON."""
    study = folder / "study.toml"
    target = f'[[targets]]\nname = "v"\nwhere = "{where}"\n'
    study.write_text(f'title = "truth"\nmode = "quick"\nnoisy_host = true\n{head}\n{target}{tests}', encoding="utf-8")
    machine.plimsoll("run", str(study), "--quiet")
    found: dict[str, Any] = json.loads(machine.plimsoll("volume", "fit", "truth", "--json").stdout)
    return found


def check_covered(found: dict[str, Any], truth: dict[str, float]) -> None:
    """Intervals of 95 %: of eleven, one may miss. A limit may not, which is known to a percent."""
    numbers = found["numbers"]
    missed = {name: numbers[name] for name, value in truth.items() if not _covers(numbers[name], value)}
    assert len(missed) <= len(truth) // 10, missed
    assert not [name for name in missed if name.startswith(("iops", "throughput"))], missed


def _covers(number: dict[str, float], value: float) -> bool:
    return number["low"] <= value <= number["high"]


@pytest.mark.slow
def test_limits_and_latencies_are_found_again(machine: Machine, tmp_path: Path) -> None:
    model = written(tmp_path, "gp3", TRUTH)
    where = f"vol:type=gp3,size=1GiB,backing=memory,model={model}"
    head = 'blocks = 3\n[set]\nsize = "64MiB"\nruntime = "4s"\nwarmup = "1s"'
    found = measured(machine, tmp_path, where, head, TESTS)
    check_covered(found, TRUTH)
    assert [each["names"] for each in found["missing"]] == [["read_bytes_per_s"], ["write_bytes_per_s"]]

    # The file is a model in its turn.
    file = tmp_path / "fitted.toml"
    done = machine.plimsoll("volume", "fit", "truth", "-o", str(file))
    assert "next: `--on v=vol:type=gp3,…,model=" in done.stdout
    machine.plimsoll("volume", "create", "copy", "--type", "gp3", "--size", "1GiB", "--model", str(file))
    listed = json.loads(machine.plimsoll("volume", "list", "--json").stdout)
    assert "as measured" in json.dumps(listed, ensure_ascii=False)
    machine.plimsoll("volume", "delete", "copy")
    again = machine.plimsoll("volume", "fit", "truth", "-o", str(file), check=False)
    assert again.returncode == 2
    assert "--force replaces it" in again.stderr


@pytest.mark.slow
def test_a_burst_is_found_again(machine: Machine, tmp_path: Path) -> None:
    model = written(tmp_path, "gp2", BURST)
    where = f"vol:type=gp2,size=100GiB,backing=memory,time_scale=200,model={model}"
    head = 'blocks = 1\n[set]\nsize = "64MiB"\nruntime = "26s"\nwarmup = "1s"'
    check_covered(measured(machine, tmp_path, where, head, '[[tests]]\ntest = "randread"\n'), BURST)


def test_bad_input_is_said(machine: Machine, tmp_path: Path) -> None:
    os.environ.pop("PLIMSOLL_DEBUG", None)
    for words, why in (
        (["volume", "fit", "nothing"], "no session named 'nothing'"),
        (["volume", "fit", "x", "-o", str(tmp_path / "x.txt")], "call it x.toml"),
        (["volume", "create", "v", "--type", "gp3", "--size", "1GiB", "--model", "none.toml"], "No such file"),
        (["volume", "create", "v", "--type", "gp3", "--size", "1GiB", "--model", "fast"], "neither a file .toml"),
    ):
        done = machine.plimsoll(*words, check=False)
        assert done.returncode == 2, done.stderr
        assert why in done.stderr, done.stderr
