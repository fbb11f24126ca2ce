"""A folder that pip, pipx and uv install from without a network: the wheel, and what it needs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INDEX = ROOT / "target" / "index"


class NoWheelError(Exception):
    """There is no wheel to look at."""


def wheel() -> Path:
    """The newest that `make wheel` built. Raises NoWheelError."""
    found = sorted((ROOT / "dist").glob("plimsoll-*.whl"), key=lambda each: each.stat().st_mtime)
    if not found:
        raise NoWheelError("dist/ has no wheel; `make wheel` builds it")
    return found[-1]


def fill(folder: Path = INDEX, pythons: Sequence[str] = ("3.11", "3.13"), extra: str = "") -> Path:
    """The folder with the wheel and its needs, for each version of Python, in the versions that are known to work."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("plimsoll-*.whl"):
        old.unlink()
    shutil.copy(wheel(), folder)
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"]
    where = ["--constraint", str(ROOT / "constraints.txt"), "--find-links", str(folder), "--dest", str(folder)]
    for each in pythons:
        subprocess.run([*pip, *where, "--python-version", each, f"{wheel()}{extra}"], check=True)
    return folder
