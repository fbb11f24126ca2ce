"""Our wheel and what it needs, copied over SSH and installed there: the machine needs no network and no pip.

A machine that has just this already, because its session goes on or its image was made so, is taken as it is.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Sequence
from pathlib import Path

import asyncssh

from plimsoll.clouds.hosts.progress import Progress
from plimsoll.clouds.hosts.reach import Platform
from plimsoll.clouds.hosts.wheel import oldest_glibc
from plimsoll.clouds.hosts.wheelhouse import PIP
from plimsoll.clouds.provider import Host
from plimsoll.errors import CloudError
from plimsoll.units import format_size

FOLDER = "plimsoll"
"""In the home of the user."""
INSTALLED = "installed"
"""A file in it, written last: what was installed."""


def check_glibc(platform: Platform, host: Host) -> None:
    """Raise CloudError where the compiled module cannot be loaded."""
    if platform.glibc < (oldest := oldest_glibc()):
        raise CloudError(
            f"machine {host.machine} ({host.id}) has glibc {platform.glibc[0]}.{platform.glibc[1]}, and this program "
            f"needs {oldest[0]}.{oldest[1]}; choose a newer image, or install the wheel of `make wheel` here"
        )


async def install(
    connection: asyncssh.SSHClientConnection, host: Host, platform: Platform, files: Sequence[Path], progress: Progress
) -> str:
    """The path of a Python there that has this Plimsoll, from wheels. Raises CloudError with the reason."""
    folder = f"{platform.home}/{FOLDER}"
    there, python = f"{folder}/wheels", f"{folder}/venv/bin/python"
    known = shlex.quote(f"{folder}/{INSTALLED}")
    contents = _digest(files)
    found = await connection.run(f"cat {known}")
    if found.exit_status == 0 and str(found.stdout).strip() == contents:
        progress.one("{machine} has this Plimsoll already", host.machine)
        return python
    # Workers are root, and so is what Python has compiled for them.
    sudo = "" if host.user == "root" else "sudo -n "
    await _run(connection, host, f"{sudo}rm -rf {shlex.quote(folder)}/* && mkdir -p {shlex.quote(there)}")
    size = format_size(sum(each.stat().st_size for each in files))
    progress.one("copying Plimsoll and its packages ({size}) to {machine}", host.machine, size=size)
    async with connection.start_sftp_client() as sftp:
        await sftp.put([str(each) for each in files], there)
    pip = next(each.name for each in files if each.name.startswith(f"{PIP}-"))
    progress.one("installing Plimsoll on {machine}", host.machine)
    # Systems have venv without pip, whose wheel is a program, too.
    await _run(connection, host, f"{shlex.quote(platform.python)} -m venv --without-pip {shlex.quote(folder)}/venv")
    # What is needed was resolved when it was fetched.
    words = ["install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--no-cache-dir"]
    words += ["--no-compile", *(f"{there}/{each.name}" for each in files if each.name != pip)]
    await _run(connection, host, shlex.join([python, f"{there}/{pip}/pip", *words]))
    await _run(connection, host, f"rm -rf {shlex.quote(there)} && echo {contents} >{known}")
    return python


def _digest(files: Sequence[Path]) -> str:
    """Of names and contents."""
    found = hashlib.sha256()
    for each in files:
        with each.open("rb") as content:
            found.update(f"{each.name} {hashlib.file_digest(content, 'sha256').hexdigest()}\n".encode())
    return found.hexdigest()


async def _run(connection: asyncssh.SSHClientConnection, host: Host, command: str) -> None:
    done = await connection.run(command)
    if done.exit_status != 0:
        said = (str(done.stderr or "").strip().splitlines() or [f"`{command}` ended with {done.exit_status}"])[-1]
        raise CloudError(f"Plimsoll could not be installed on machine {host.machine} ({host.id}): {said}")
