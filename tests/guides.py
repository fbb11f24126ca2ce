"""The commands of a document, as its reader types them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path


def blocks(page: Path) -> list[str]:
    """What stands in its blocks of shell commands."""
    return re.findall(r"^```sh\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def lines(page: Path) -> list[str]:
    """Its commands, where each is a line of its own."""
    return [line for block in blocks(page) for line in block.strip().splitlines()]


def carried_out(commands: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """By a shell that ends at the first failure, which fails here as well."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        cwd=folder,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr
    return done
