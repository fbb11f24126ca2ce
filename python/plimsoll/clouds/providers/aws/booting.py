"""What a machine does first: it shows a host key that we know, and starts the timer that ends it.

The user data is a cloud-config, whose text is JSON, which is YAML too.
"""

from __future__ import annotations

import json
from pathlib import Path

from plimsoll.clouds.providers.aws.network import new_key
from plimsoll.clouds.wanted import Rental

HEAD = "#cloud-config\n"
TIMER = 'left=$(( {end_s} - $(date +%s) )); systemd-run --on-active="$(( left > 1 ? left : 1 ))" systemctl poweroff'
"""Ends the machine at the end of the lease, whatever happens to who rented it; a restart starts it again, for what is
left. Powering off terminates the machine, because it is rented so."""


def user_data(rental: Rental, machine: str, folder: Path) -> str:
    """Of one machine. Its host key is this rental's own, and worth nothing once it has ended."""
    private, public = new_key(host_key_file(folder, machine))
    told = {
        "bootcmd": [["sh", "-c", TIMER.format(end_s=rental.lease_end_ns // 10**9)]],
        "ssh_deletekeys": True,
        "ssh_keys": {"ed25519_private": private, "ed25519_public": public},
    }
    return HEAD + json.dumps(told, indent=1)


def host_key(folder: Path, machine: str) -> str:
    """The public key that the machine must show."""
    return new_key(host_key_file(folder, machine))[1]


def host_key_file(folder: Path, machine: str) -> Path:
    """Where the host key of a machine is."""
    return folder / f"{machine}-host-key"
