"""Proves that the wheel installs and measures on machines that have no compiler: `make assure-wheel`, as root.

python -m tools.wheel [--container]

auditwheel looks at it; it is installed and measures in fresh roots of Debian 12 and 13, as an ordinary user and without
a network; the lines of docs/guides/installing.md are typed. `--container` builds packaging/Containerfile with buildah,
on one of the roots, and measures in it. Whatever cannot be done here is an error, never skipped.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Iterator
from pathlib import Path

from tools.wheel import container, roots
from tools.wheel.index import INDEX, ROOT, NoWheelError, fill, wheel

SHORT = "--set size=16MiB --set runtime=300ms --blocks 1 --noisy-host --quiet"
PROOF = f"""
if command -v cc || command -v rustc; then echo 'this root has a compiler'; exit 1; fi
python3 -m venv /opt/plimsoll
/opt/plimsoll/bin/pip install --quiet --no-index --find-links /index plimsoll
test -s /opt/plimsoll/share/man/man1/plimsoll-run.1
test -s /opt/plimsoll/share/bash-completion/completions/plimsoll
useradd --create-home somebody
cat > /tmp/measure.sh <<'END'
set -eu
cd
plimsoll --version
plimsoll run randread {SHORT} --output report.html
plimsoll doctor || test $? = 3
if plimsoll volume create x --type gp2 --size 1GiB 2> refused.txt; then exit 1; fi
grep -q 'missing: root' refused.txt
if plimsoll run ycsb-c --server redis --quick-sizes --quiet 2> refused.txt; then exit 1; fi
grep -q redis-server refused.txt || (cat refused.txt; exit 1)
END
PATH=/opt/plimsoll/bin:$PATH su somebody -c 'export PATH=/opt/plimsoll/bin:$PATH; sh /tmp/measure.sh'
"""
GUIDE = ROOT / "docs/guides/installing.md"
TYPED = re.compile(r"^((?:pip|pipx|uvx) .*--find-links.*)$", re.MULTILINE)


def audited() -> str:
    """The tag in the wheel's name is the one that auditwheel finds."""
    done = subprocess.run([_tool("auditwheel"), "show", wheel()], capture_output=True, text=True, check=True)
    found = re.search(r'following\s+platform tag:\s+"(manylinux\w+)"', done.stdout)
    if found is None or found[1] not in wheel().name:
        raise AssertionError(f"{wheel().name}: auditwheel says\n{done.stdout}")
    return found[1]


def in_root(suite: str) -> str:
    """Installed, and a run measured and reported, in a fresh root."""
    with roots.fresh(suite) as root:
        done = roots.carried_out(root, INDEX, PROOF)
        if done.returncode != 0:
            raise AssertionError(f"ended with {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout.splitlines()[0]


def lines_of_the_guide() -> list[str]:
    """What it says about pip, pipx and uv."""
    return TYPED.findall(GUIDE.read_text(encoding="utf-8"))


def typed() -> str:
    """Each line of the guide, in a folder of its own, with the local index as its `dist` and without a network."""
    with tempfile.TemporaryDirectory(prefix="plimsoll-typed-") as name:
        home = Path(name)
        venv.create(home / "tools", with_pip=True)
        pip = [home / "tools/bin/pip", "install", "--quiet", "--disable-pip-version-check", "pipx", "uv"]
        subprocess.run(pip, check=True)
        (home / "dist").symlink_to(INDEX)
        path = f"{home}/tools/bin:{home}/.local/bin:/usr/bin:/bin"
        own = {"HOME": name, "PATH": path, "PIP_NO_INDEX": "1", "UV_OFFLINE": "1", "UV_PYTHON": sys.executable}
        for line in lines_of_the_guide():
            done = subprocess.run(
                ["unshare", "--net", "sh", "-euc", line], cwd=home, env=own, capture_output=True, text=True, check=False
            )
            # The doctor's 3 is an answer about this machine.
            if done.returncode not in (0, 3):
                raise AssertionError(
                    f"{line}\nended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
                )
        if not (home / ".local/bin/plimsoll").exists():
            raise AssertionError("pipx put no plimsoll into ~/.local/bin")
    return f"{len(lines_of_the_guide())} lines"


def parts(*, with_container: bool) -> Iterator[tuple[str, Callable[[], str]]]:
    """What is proven, in order."""
    yield "auditwheel", audited
    for suite, name in roots.SUITES.items():
        yield name, lambda suite=suite: in_root(suite)  # type: ignore[misc]
    yield "pip, pipx, uvx as in the guide", typed
    if with_container:
        yield "Containerfile", container.proven


def main() -> int:
    """Prove, a line each; the exit code."""
    parser = argparse.ArgumentParser(description="proves the wheel")
    parser.add_argument(
        "--container", action="store_true", help="also build packaging/Containerfile, and measure in it"
    )
    with_container = parser.parse_args().container
    if os.geteuid() != 0:
        print("the proof makes systems in folders, which needs root", file=sys.stderr)
        return 2
    try:
        fill()
        for name, part in parts(with_container=with_container):
            print(f"{name}: {part()}", flush=True)
    except (AssertionError, NoWheelError, OSError, subprocess.CalledProcessError) as error:
        print(f"failed: {error}", file=sys.stderr)
        return 1
    return 0


def _tool(name: str) -> Path:
    return Path(sys.executable).parent / name


if __name__ == "__main__":
    sys.exit(main())
