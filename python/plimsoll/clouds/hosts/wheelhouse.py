"""What the program needs, as binary wheels for another machine's Python; fetched once and kept."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

from plimsoll.clouds.hosts.reach import Platform
from plimsoll.errors import CloudError
from plimsoll.location import home

EXTRA = "cluster"
"""What a worker needs."""
OLDEST_MANYLINUX = 17
"""2.17, of 2014: wheels for older ones are named so, too."""
KEPT_S = 30 * 24 * 3600.0
"""After their last use."""
PIP = "pip"
"""Fetched with the others: systems come without it, and it runs as it lies there."""
NOT_THERE = ("plimsoll", "vl_convert_python")
"""Ours is packed anew each time; the other draws charts, which is done here, and is half of all that would be sent."""


def wheelhouse(wheel: Path, platform: Platform, tell: Callable[[str], None] = lambda _: None) -> Path:
    """A folder with all that `wheel` needs there, in the versions that are installed here.

    `tell` hears of what has to be fetched first. Raises CloudError with pip's reason.
    """
    pinned = _pinned(platform)
    named = json.dumps([NOT_THERE, pinned, platform.version, platform.architecture, platform.glibc])
    folder = home() / "wheelhouses" / hashlib.sha256(named.encode()).hexdigest()[:16]
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _forget_old(folder.parent)
        if not folder.exists():
            python = ".".join(map(str, platform.version))
            tell(f"fetching the packages for Python {python} on {platform.architecture}, once for all such machines")
            _make(wheel, platform, pinned, folder)
        os.utime(folder)
    return folder


def _make(wheel: Path, platform: Platform, pinned: dict[str, str], folder: Path) -> None:
    draft = folder.with_suffix(".draft")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    try:
        _fetch(wheel, platform, pinned, draft)
        for name in NOT_THERE:
            for each in draft.glob(f"{name}-*.whl"):
                each.unlink()
        draft.rename(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _forget_old(parent: Path) -> None:
    """Each has some 70 MB, and nobody asks for those of older versions again."""
    for each in parent.iterdir():
        if each.is_dir() and time.time() - each.stat().st_mtime > KEPT_S:
            shutil.rmtree(each, ignore_errors=True)


def _fetch(wheel: Path, platform: Platform, pinned: dict[str, str], folder: Path) -> None:
    constraints = folder / "constraints"
    constraints.write_text("".join(f"{name}=={version}\n" for name, version in pinned.items()))
    version = "".join(map(str, platform.version))
    words = ["--only-binary=:all:", "--python-version", version, "--implementation", "cp", "--constraint", constraints]
    words += [word for each in platform_tags(platform) for word in ("--platform", each)]
    pip = [sys.executable, "-m", PIP, "download", "--quiet", "--disable-pip-version-check", "--dest", folder]
    done = subprocess.run(
        [*map(str, pip), *map(str, words), f"{wheel}[{EXTRA}]", PIP],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    constraints.unlink()
    if done.returncode != 0:
        said = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()
        reason = next((line for line in reversed(said) if "ERROR" in line), said[-1]).removeprefix("ERROR: ")
        raise CloudError(
            f"the packages for Python {platform.version[0]}.{platform.version[1]} on {platform.architecture} could not "
            f"be fetched here: {reason}. `{sys.executable} -m pip download` fetches them: pip must be there "
            f"(`{sys.executable} -m ensurepip` brings it), and reach an index"
        )


def platform_tags(platform: Platform) -> list[str]:
    """Those of wheels that run there, as pip wants them: each one by name. Ours may be tagged for this machine only."""
    major, newest = platform.glibc
    found = [f"manylinux_{major}_{minor}" for minor in range(newest, OLDEST_MANYLINUX - 1, -1)]
    return [f"{each}_{platform.architecture}" for each in (*found, "manylinux2014", "linux")]


def _pinned(platform: Platform) -> dict[str, str]:
    """The versions, by name, of all that is needed there and installed here."""
    surroundings = {
        "python_version": ".".join(map(str, platform.version)),
        "python_full_version": f"{'.'.join(map(str, platform.version))}.0",
        "platform_machine": platform.architecture,
    }
    found: dict[str, str] = {}
    todo, done = [("plimsoll", EXTRA)], set()
    while todo:
        name, extra = todo.pop()
        if (name, extra) in done:
            continue
        done.add((name, extra))
        try:
            own = distribution(name)
        except PackageNotFoundError:
            # Needed for that version of Python only: pip finds one.
            continue
        found[own.name.lower()] = own.version
        for requirement in map(Requirement, own.requires or ()):
            if not requirement.marker or requirement.marker.evaluate({**surroundings, "extra": extra}):
                todo += [(requirement.name, each) for each in ("", *requirement.extras)]
    del found["plimsoll"]
    return dict(sorted(found.items()))
