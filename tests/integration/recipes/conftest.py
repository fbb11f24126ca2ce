"""A copy of the package to which the recipes of CONTRIBUTING are applied, and its command."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.integration.run.conftest import Answer, Command

ROOT = Path(__file__).parents[3]
ADDED = Path(__file__).parent / "added"
ROWS = {
    "python/plimsoll/catalog/providers/aws/data/prices.csv": (
        "us-east-1,harbour.storage,GiB-month,0.2,2026-01,,2026-01-31,page26,1\n"
    )
}
"""What the recipes ask for as a row."""
LIMIT_S = 120


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package with everything that is added to it; nothing else in it is edited."""
    copy = tmp_path_factory.mktemp("recipes") / "tree"
    shutil.copytree(ROOT / "python", copy / "python", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "benches/torture", copy / "benches/torture", ignore=shutil.ignore_patterns("__pycache__"))
    for file in sorted(path for path in ADDED.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
        place = copy / file.relative_to(ADDED)
        assert not place.exists(), f"{place} is there already"
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, place)
    for name, row in ROWS.items():
        with (copy / name).open("a", encoding="utf-8") as table:
            table.write(row)
    return copy


@pytest.fixture
def plimsoll(tree: Path, tmp_path: Path) -> Command:
    """The command of the copy, with a store and a home of its own."""

    def run(*words: str | Path, check: int | None = 0) -> Answer:
        done = subprocess.run(
            [sys.executable, "-m", "plimsoll", *map(str, words)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(tree / "python"), "COLUMNS": "200"},
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        answer = Answer(done.returncode, done.stdout, done.stderr)
        assert check in (None, answer.code), f"{answer.out}\n{answer.err}"
        return answer

    return run
