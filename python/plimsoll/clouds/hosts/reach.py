"""Waiting until a new machine lets us in, and what kind of machine it is: asked before anything is copied there."""

from __future__ import annotations

import asyncio
import json
import platform
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncssh

from plimsoll.clouds.hosts.known import note_keys, options
from plimsoll.clouds.provider import Host
from plimsoll.errors import CloudError

BOOT_S = 300.0
"""How long a machine may take from its address to the first login."""
ATTEMPT_S = 20.0
"""For one attempt: nothing comes back from where nobody is."""
AGAIN_S = 1.0
_ASK = """
for each in python3 python3.14 python3.13 python3.12 python3.11; do
    command -v $each >/dev/null || continue
    seen="$seen $($each -c 'import platform; print(platform.python_version())')"
    $each -c 'import sys; sys.exit(sys.version_info < (3, 11))' || continue
    exec $each -c '
import json, os, platform, subprocess, sys
root = os.geteuid() == 0 or subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0
print(json.dumps({"python": sys.executable, "version": list(sys.version_info[:2]), "architecture": platform.machine(),
                  "libc": list(platform.libc_ver()), "root": root, "home": os.path.expanduser("~")}))'
done
echo "no Python:$seen"
"""


@dataclass(frozen=True, kw_only=True)
class Platform:
    """What a wheel must fit, and where it can be put."""

    python: str
    """Path of its own Python."""
    version: tuple[int, int]
    architecture: str
    glibc: tuple[int, int]
    home: str


@asynccontextmanager
async def reached(
    host: Host, folder: Path, gone: Callable[[str], str | None]
) -> AsyncIterator[asyncssh.SSHClientConnection]:
    """A connection, as soon as the machine lets us in.

    `gone` says by the machine's name why its provider takes it away. Raises CloudError when it is, or when it has not
    let us in after BOOT_S, with what it answered last.
    """
    deadline = time.monotonic() + BOOT_S
    while True:
        try:
            async with asyncio.timeout(ATTEMPT_S):
                known = await note_keys(host, folder)
                connection = await asyncssh.connect(host.address, **options(host, known))
            break
        except asyncssh.HostKeyNotVerifiable:
            raise CloudError(
                f"machine {host.machine} ({host.id}) at {host.address} shows another SSH host key than it must: "
                "somebody else answers at this address, so nothing was sent there"
            ) from None
        except (OSError, asyncssh.Error, TimeoutError) as error:
            await _wait(host, gone, deadline, _reason(error))
    async with connection:
        yield connection


async def _wait(host: Host, gone: Callable[[str], str | None], deadline: float, last: str) -> None:
    """Before the next attempt. Raises CloudError where there is none."""
    where = f"machine {host.machine} ({host.id}) at {host.address}"
    if why := await asyncio.to_thread(gone, host.machine):
        raise CloudError(f"{where} is taken away: {why}")
    if time.monotonic() > deadline:
        raise CloudError(
            f"{where} has not let us in {BOOT_S:g} s after it had its address; its last answer: {last}. Look at the "
            "console output of the machine: its image may need longer, or have no SSH server"
        )
    await asyncio.sleep(AGAIN_S)


def _reason(error: Exception) -> str:
    if isinstance(error, asyncssh.PermissionDenied):
        return "it refuses the key of the rental"
    if isinstance(error, TimeoutError):
        return "none"
    return str(getattr(error, "strerror", None) or error) or type(error).__name__


async def platform_of(connection: asyncssh.SSHClientConnection, host: Host) -> Platform:
    """What it is. Raises CloudError where Plimsoll cannot work there."""
    answer = await connection.run("sh -s", input=_ASK)
    said = str(answer.stdout or "").strip()
    where = f"machine {host.machine} ({host.id})"
    try:
        about = json.loads(said)
    except ValueError:
        has = said.removeprefix("no Python:").strip() or "none"
        raise CloudError(
            f"{where} has no Python ≥ 3.11 (it has {has}); choose an image with one by --image, such as the default"
        ) from None
    if about["architecture"] != platform.machine():
        raise CloudError(
            f"{where} is {about['architecture']}, and this program is built for {platform.machine()}; choose an "
            "instance type of that architecture"
        )
    if not about["root"]:
        raise CloudError(f"{where}: {host.user} cannot become root by sudo without a password; choose another image")
    name, version = about["libc"]
    if name != "glibc":
        raise CloudError(f"{where} has no glibc, which the compiled module needs; choose another image")
    major, minor = map(int, version.split(".")[:2])
    first, second = about["version"]
    return Platform(
        python=about["python"],
        version=(first, second),
        architecture=about["architecture"],
        glibc=(major, minor),
        home=about["home"],
    )
