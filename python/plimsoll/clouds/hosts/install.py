"""Our wheel and what it needs, copied over SSH and installed there: the machine needs no network and no pip."""

from __future__ import annotations

import shlex
from pathlib import Path

import asyncssh

from plimsoll.clouds.hosts.reach import Platform
from plimsoll.clouds.hosts.wheel import oldest_glibc
from plimsoll.clouds.hosts.wheelhouse import PIP
from plimsoll.clouds.provider import Host
from plimsoll.errors import CloudError

FOLDER = "plimsoll"
"""In the home of the user."""


def check_glibc(platform: Platform, host: Host) -> None:
    """Raise CloudError where the compiled module cannot be loaded."""
    if platform.glibc < (oldest := oldest_glibc()):
        raise CloudError(
            f"machine {host.machine} ({host.id}) has glibc {platform.glibc[0]}.{platform.glibc[1]}, and this program "
            f"needs {oldest[0]}.{oldest[1]}; choose a newer image, or install the wheel of `make wheel` here"
        )


async def install(
    connection: asyncssh.SSHClientConnection, host: Host, platform: Platform, wheel: Path, wheels: Path
) -> str:
    """The path of a Python there that has this Plimsoll. Raises CloudError with the reason."""
    folder = f"{platform.home}/{FOLDER}"
    there = f"{folder}/wheels"
    await _run(connection, host, f"mkdir -p {shlex.quote(there)}")
    files = (wheel, *sorted(wheels.iterdir()))
    async with connection.start_sftp_client() as sftp:
        await sftp.put([str(each) for each in files], there)
    pip = next(each.name for each in files if each.name.startswith(f"{PIP}-"))
    python = f"{folder}/venv/bin/python"
    # Systems have venv without pip, whose wheel is a program, too.
    await _run(connection, host, f"{shlex.quote(platform.python)} -m venv --without-pip {shlex.quote(folder)}/venv")
    # What is needed was resolved when it was fetched.
    words = ["install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--no-cache-dir"]
    words += ["--no-compile", *(f"{there}/{each.name}" for each in files if each.name != pip)]
    await _run(connection, host, shlex.join([python, f"{there}/{pip}/pip", *words]))
    return python


async def _run(connection: asyncssh.SSHClientConnection, host: Host, command: str) -> None:
    done = await connection.run(command)
    if done.exit_status != 0:
        said = (str(done.stderr or "").strip().splitlines() or [f"`{command}` ended with {done.exit_status}"])[-1]
        raise CloudError(f"Plimsoll could not be installed on machine {host.machine} ({host.id}): {said}")
