"""Files of other tools, read in a fresh root as they are here: another Python reads patterns with another library."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tools.wheel.index import ROOT

IMPORTERS = ROOT / "tests/unit/importers"
FOLDER = "fixtures"
SCRIPT = f"""
cd /{FOLDER}
plimsoll import --explain --json */fixtures/* > ../explained.json
"""


def laid_out(root: Path) -> None:
    """The test files of the importers, below /fixtures of a root."""
    shutil.copytree(IMPORTERS, root / FOLDER, ignore=shutil.ignore_patterns("*.py", "__pycache__"))


def check(root: Path) -> None:
    """Raises AssertionError with the files that were read in another way than here."""
    there = _by_file(json.loads((root / "explained.json").read_text()))
    names = sorted(str(path.relative_to(IMPORTERS)) for path in IMPORTERS.glob("*/fixtures/*"))
    with tempfile.TemporaryDirectory(prefix="plimsoll-explained-") as home:
        command = [sys.executable, "-m", "plimsoll", "import", "--explain", "--json", *names]
        done = subprocess.run(
            command,
            cwd=IMPORTERS,
            env={**os.environ, "PLIMSOLL_HOME": home},
            capture_output=True,
            text=True,
            check=True,
        )
    here = _by_file(json.loads(done.stdout))
    differ = [name for name in here.keys() | there.keys() if here.get(name) != there.get(name)]
    if differ or not here:
        raise AssertionError(f"read in another way than here: {', '.join(sorted(differ))}")


def _by_file(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["file"]: row for row in rows}
