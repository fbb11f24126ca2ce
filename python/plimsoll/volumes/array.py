"""Arrays by the kernel's md, for who wants its behaviour and not the model's."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from plimsoll.volumes.machine import Failed, run


def assemble(name: str, devices: Sequence[str], level: int, chunk_bytes: int) -> str:
    """A new md array over the devices, in sync from the start because all are new and read as zeros; its node."""
    node = f"/dev/md/{name}"
    layout = [f"--level={level}", f"--raid-devices={len(devices)}"]
    if level != 1:
        layout.append(f"--chunk={chunk_bytes // 1024}K")
    words = ["--create", node, "--run", "--metadata=1.2", "--assume-clean", "--homehost=any", *layout, *devices]
    run(f"cannot combine {', '.join(devices)}", "mdadm", *words)
    return os.path.realpath(node)


def stop(device: str) -> None:
    """Take the array apart; nothing happens if it is gone already. Raises Failed while it is in use."""
    if not Path(device).exists():
        return
    try:
        run(f"cannot stop {device}", "mdadm", "--stop", device)
    except Failed:
        if Path(device).exists():
            raise
