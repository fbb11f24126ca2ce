"""The example plug-in as a wheel, beside that of the program."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.wheel.index import INDEX, ROOT

EXAMPLE = ROOT / "examples" / "plugin"


def built(folder: Path = INDEX, *options: str) -> Path:
    """Its wheel in a folder; from a copy, because building leaves folders beside the source."""
    with tempfile.TemporaryDirectory(prefix="plimsoll-plugin-") as name:
        source = shutil.copytree(EXAMPLE, Path(name) / "source")
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", *options]
        subprocess.run([*pip, "--wheel-dir", folder, source], check=True)
    (found,) = folder.glob("plimsoll_dd-*.whl")
    return found
