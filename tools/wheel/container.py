"""packaging/Containerfile, built with buildah on a Debian root instead of a downloaded image, and used."""

from __future__ import annotations

import subprocess
import tarfile
import tempfile
from pathlib import Path

from tools.wheel import roots
from tools.wheel.index import INDEX, ROOT

SUITE = "trixie"
# buildah forbids io_uring to what it runs, as container engines do by default.
MEASURE = """
set -eu
id
plimsoll --version
plimsoll run randread --set engine=libaio --set size=16MiB --set runtime=300ms --blocks 1 --noisy-host --quiet
plimsoll doctor > said.txt || test $? = 1
grep -q 'io_uring: not for this process' said.txt
test -s /results/results.db
if command -v cc; then exit 1; fi
"""


def proven() -> str:
    """Built, and measured in as its own user. Its images are removed."""
    with tempfile.TemporaryDirectory(prefix="containers-", dir=roots.BASES.parent) as name:
        home = Path(name)
        _base(home)
        build = ["build", "--isolation", "chroot", "--ignorefile", str(home / "ignore"), "--quiet"]
        build += ["--build-arg", "BASE=localhost/debian:13", "--build-arg", f"INDEX={INDEX.name}"]
        build += ["--build-arg", "PIP_OPTIONS=--no-index", "-f", str(ROOT / "packaging/Containerfile")]
        (home / "ignore").write_text(f"*\n!{INDEX.name}\n")
        _buildah(home, *build, "-t", "localhost/plimsoll", str(INDEX.parent))
        own = _buildah(home, "from", "localhost/plimsoll").strip()
        said = _buildah(home, "run", "--isolation", "chroot", own, "--", "sh", "-c", MEASURE)
        return said.splitlines()[0]


def _base(home: Path) -> None:
    """The root as an image."""
    layer = home / "root.tar"
    with tarfile.open(layer, "w") as file:
        file.add(roots.base(SUITE), ".")
    own = _buildah(home, "from", "scratch").strip()
    _buildah(home, "add", "--quiet", own, str(layer), "/")
    _buildah(home, "commit", "--quiet", own, "localhost/debian:13")
    layer.unlink()


def _buildah(home: Path, *words: str) -> str:
    """One step, with images of its own."""
    store = ["--root", str(home / "images"), "--runroot", str(home / "run"), "--storage-driver", "vfs"]
    done = subprocess.run(["buildah", *store, *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(
            f"buildah {words[0]} ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    return done.stdout
