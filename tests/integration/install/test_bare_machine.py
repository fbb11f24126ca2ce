"""On a machine that has less: what is missing is said when it is needed, and everything else works."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PLIMSOLL = Path(sys.executable).parent / "plimsoll"
FORBIDDING = Path(__file__).parent / "forbidding.py"
SHORT = ("--set", "size=4MiB", "--set", "runtime=200ms", "--set", "warmup=50ms", "--blocks", "1", "--noisy-host", "-q")


def typed(folder: Path, *words: str, path: str = "/usr/bin:/bin") -> subprocess.CompletedProcess[str]:
    """A command where io_uring is forbidden."""
    command = [sys.executable, FORBIDDING, PLIMSOLL, *words]
    clean = {**os.environ, "PATH": path, "COLUMNS": "200"}
    return subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True, timeout=60, check=False)


def test_without_io_uring_it_says_so_and_another_engine_measures(tmp_path: Path) -> None:
    refused = typed(tmp_path, "run", "randread", *SHORT)
    assert refused.returncode == 2
    assert "io_uring is forbidden here" in refused.stderr
    assert refused.stderr.rstrip().endswith("choose another with engine=libaio")
    assert list(tmp_path.iterdir()) == []
    assert typed(tmp_path, "run", "randread", "--set", "engine=libaio", *SHORT).returncode == 0


def test_the_doctor_names_it(tmp_path: Path) -> None:
    said = typed(tmp_path, "doctor").stdout
    assert "io_uring: not for this process; containers forbid it by default" in said
    assert "use engine=libaio" in said


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = typed(tmp_path, "run", "dbench", "--on", "a=.,implementation=original", "--quick-sizes", path=str(tmp_path))
    assert done.returncode == 2
    assert "dbench" in done.stderr
    assert "Traceback" not in done.stderr
