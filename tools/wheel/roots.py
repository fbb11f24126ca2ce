"""Fresh Debian systems in folders, each with Python and nothing to compile with, and without a network."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.wheel.index import ROOT

SUITES = {"bookworm": "Debian 12", "trixie": "Debian 13"}
PACKAGES = "python3,python3-venv"
BASES = ROOT / "target" / "roots"
INSIDE = """
mount --bind "$INDEX" "$FRESH/index"
mount -t proc proc "$FRESH/proc"
mount -t tmpfs tmpfs "$FRESH/tmp"
exec chroot "$FRESH" /usr/bin/env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/root sh -eu /proof.sh
"""


def base(suite: str) -> Path:
    """A system as debootstrap makes it, made once."""
    folder = BASES / suite
    if not folder.exists():
        BASES.mkdir(parents=True, exist_ok=True)
        draft = BASES / f"{suite}.draft"
        shutil.rmtree(draft, ignore_errors=True)
        words = ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", suite, str(draft)]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        draft.rename(folder)
    return folder


@contextmanager
def fresh(suite: str) -> Iterator[Path]:
    """A copy of it, which is removed."""
    with tempfile.TemporaryDirectory(prefix=f"{suite}-", dir=BASES.parent) as name:
        copy = Path(name) / "root"
        subprocess.run(["cp", "-a", base(suite), copy], check=True)
        yield copy


def carried_out(root: Path, index: Path, script: str) -> subprocess.CompletedProcess[str]:
    """A script in a root as its root user: its own mounts, processes and (no) network, the index at /index."""
    (root / "index").mkdir()
    (root / "proof.sh").write_text(script)
    words = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "sh", "-euc", INSIDE]
    surroundings = {"INDEX": str(index), "FRESH": str(root), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    return subprocess.run(words, env=surroundings, capture_output=True, text=True, timeout=600, check=False)
