"""Proves that the wheel installs and measures on machines that have no compiler: `make assure-wheel`, as root.

python -m tools.wheel [--container]

auditwheel looks at it; it is installed and measures in fresh roots of Debian 12 and 13, as an ordinary user and without
a network, completes words, has man pages, reads files of other tools as they are read here, and takes the example
plug-in from a wheel of its own; the lines of docs/guides/installing.md are typed. `--container` builds
packaging/Containerfile with buildah, on one of the roots, and measures in it. Whatever cannot be done here is a
failure, never skipped; the others are proven all the same, and a table at the end says what was.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from tools.wheel import container, importing, plugin, roots
from tools.wheel.index import INDEX, ROOT, NoWheelError, fill, wheel

SHORT = "--set size=16MiB --set runtime=300ms --blocks 1 --noisy-host --quiet"
STEP = "proven: "
PROOF = f"""
if command -v cc || command -v rustc; then echo 'this root has a compiler'; exit 1; fi
python3 -m venv /opt/plimsoll
/opt/plimsoll/bin/pip install --quiet --no-index --find-links /index plimsoll
echo '{STEP}installed without a compiler'
export PATH=/opt/plimsoll/bin:$PATH
test -s /opt/plimsoll/share/man/man1/plimsoll.1
test -s /opt/plimsoll/share/man/man1/plimsoll-run.1
test -s /opt/plimsoll/share/zsh/site-functions/_plimsoll
test -s /opt/plimsoll/share/fish/vendor_completions.d/plimsoll.fish
cat > /tmp/complete.sh <<'END'
. /opt/plimsoll/share/bash-completion/completions/plimsoll
COMP_WORDS=(plimsoll doct) COMP_CWORD=1
_plimsoll_completion plimsoll
test "${{COMPREPLY[0]}}" = doctor
END
bash -eu /tmp/complete.sh
echo '{STEP}man pages and completion'
{importing.SCRIPT}
echo '{STEP}files of other tools'
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
su somebody -c 'export PATH=/opt/plimsoll/bin:$PATH; sh /tmp/measure.sh'
echo '{STEP}measured as an ordinary user'
/opt/plimsoll/bin/pip install --quiet --no-index --find-links /index plimsoll-dd
cat > /tmp/plugin.sh <<'END'
set -eu
cd
plimsoll list plugins | grep 'plimsoll-dd'
LC_ALL=C dd if=/dev/zero of=file bs=1M count=4 2> dd.txt
plimsoll import dd.txt --explain | grep 'what GNU dd prints'
plimsoll import dd.txt
plimsoll run dd-write --on a=.,count=4 --blocks 1 --noisy-host --quiet
END
su somebody -c 'export PATH=/opt/plimsoll/bin:$PATH; sh /tmp/plugin.sh'
echo '{STEP}a plug-in from its wheel'
"""
GUIDE = ROOT / "docs/guides/installing.md"
TYPED = re.compile(r"^((?:pip|pipx|uvx) .*--find-links.*)$", re.MULTILINE)
_FAILURES = (AssertionError, NoWheelError, OSError, subprocess.SubprocessError)


def audited() -> str:
    """The tag in the wheel's name is the one that auditwheel finds."""
    done = subprocess.run([_tool("auditwheel"), "show", wheel()], capture_output=True, text=True, check=True)
    found = re.search(r'following\s+platform tag:\s+"(manylinux\w+)"', done.stdout)
    if found is None or found[1] not in wheel().name:
        raise AssertionError(f"{wheel().name}: auditwheel says\n{done.stdout}")
    return found[1]


def in_root(suite: str) -> str:
    """Installed, and a run measured and reported, in a fresh root; gives the steps that were proven."""
    with roots.fresh(suite) as root:
        importing.laid_out(root)
        done = roots.carried_out(root, INDEX, PROOF)
        if done.returncode != 0:
            raise AssertionError(f"ended with {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        importing.check(root)
    return ", ".join(line.removeprefix(STEP) for line in done.stdout.splitlines() if line.startswith(STEP))


def lines_of_the_guide() -> list[str]:
    """What it says about pip, pipx and uv."""
    return TYPED.findall(GUIDE.read_text(encoding="utf-8"))


def typed(index: Path = INDEX) -> str:
    """Each line of the guide, in a folder of its own, with the local index as its `dist` and without a network."""
    with tempfile.TemporaryDirectory(prefix="plimsoll-typed-") as name:
        home = Path(name)
        venv.create(home / "active", with_pip=True)
        for program in ("pipx", "uvx", "uv"):
            (home / "active/bin" / program).symlink_to(_tool(program))
        (home / "dist").symlink_to(index)
        path = f"{home}/active/bin:{home}/.local/bin:/usr/bin:/bin"
        own = {"HOME": name, "PATH": path, "PIP_NO_INDEX": "1", "UV_OFFLINE": "1", "UV_PYTHON": sys.executable}
        for line in lines_of_the_guide():
            done = subprocess.run(
                [*_offline(), "sh", "-euc", line], cwd=home, env=own, capture_output=True, text=True, check=False
            )
            # The doctor's 3 is an answer about this machine.
            if done.returncode not in (0, 3):
                raise AssertionError(
                    f"{line}\nended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
                )
        for program in (home / "active/bin/plimsoll", home / ".local/bin/plimsoll"):
            subprocess.run([program, "--version"], env=own, check=True, stdout=subprocess.DEVNULL)
    return f"{len(lines_of_the_guide())} lines"


def _offline() -> list[str]:
    """Without a network even for what does not heed the variables; only root can take it away."""
    return ["unshare", "--net"] if os.geteuid() == 0 else []


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
        plugin.built()
    except _FAILURES as error:
        print(f"failed: {error}", file=sys.stderr)
        return 1
    print(f"{wheel().name}:", flush=True)
    return proven(parts(with_container=with_container))


def proven(all_parts: Iterable[tuple[str, Callable[[], str]]]) -> int:
    """Carry out every part, whatever became of those before, and say at the end what is proven; the exit code."""
    said: list[tuple[str, str, str]] = []
    for name, part in all_parts:
        begun = time.monotonic()
        try:
            state, detail = "proven", part()
        except _FAILURES as error:
            state, detail = "failed", "see above"
            print(f"{name}: {error}", file=sys.stderr, flush=True)
        said.append((name, state, detail))
        print(f"{name}: {state} in {time.monotonic() - begun:.0f} s", flush=True)
    failed = [name for name, state, _ in said if state == "failed"]
    print()
    for name, state, detail in said:
        print(f"{name:30} {state}  {detail}")
    print(f"{len(said) - len(failed)} of {len(said)} proven" + (f"; failed: {', '.join(failed)}" if failed else ""))
    return 1 if failed else 0


def _tool(name: str) -> Path:
    return Path(sys.executable).parent / name


if __name__ == "__main__":
    sys.exit(main())
