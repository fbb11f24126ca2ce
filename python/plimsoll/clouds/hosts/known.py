"""Which key a machine must show. Kept in the folder of its rental: the user's own known_hosts is never touched."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import asyncssh

from plimsoll.clouds.provider import Host
from plimsoll.drafts import whole_file
from plimsoll.errors import CloudError

LOGIN_S = 10.0
SSH_PORT = 22


def known_hosts(host: Host, folder: Path) -> Path:
    """The file that its connections are checked against."""
    return folder / f"known_hosts.{host.machine}"


async def note_keys(host: Host, folder: Path) -> Path:
    """Keys that the provider told, else the one that the machine shows first: any other one is refused from then on."""
    file = known_hosts(host, folder)
    if host.host_keys:
        _write(file, host, host.host_keys)
    elif not file.exists():
        key = await asyncssh.get_server_host_key(host.address, host.port, config=None)
        if key is None:
            raise CloudError(f"machine {host.machine} ({host.id}) at {host.address} shows no SSH host key")
        _write(file, host, [key.export_public_key().decode()])
    return file


def _write(file: Path, host: Host, keys: Sequence[str]) -> None:
    name = host.address if host.port == SSH_PORT else f"[{host.address}]:{host.port}"
    lines = []
    for key in keys:
        kind, _, rest = key.strip().partition(" ")
        # With or without the name of its host in front.
        bare = key.strip() if kind.startswith(("ssh-", "ecdsa-", "sk-")) else rest.strip()
        lines.append(f"{name} {bare}\n")
    with whole_file(file) as draft:
        draft.write("".join(lines).encode())


def options(host: Host, known: Path) -> dict[str, Any]:
    """How it is connected to: by its rental's key alone, whatever the user's own SSH is set up for."""
    return {
        "port": host.port,
        "username": host.user,
        "client_keys": [str(host.key_file)],
        "known_hosts": str(known),
        "agent_path": None,
        "config": None,
        "login_timeout": LOGIN_S,
        "keepalive_interval": 15,
    }
