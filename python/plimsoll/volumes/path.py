"""How long the way from a program to a volume's server and back takes: loop device, kernel threads, wake-ups.

A volume that answers when its model says so is late by that much. Its server answers earlier instead, so that programs
see the model's latency. What is taken off is what three of four answers need at least, on a machine that was as quiet
as it was then: the rest of the way stays as an overhead.
"""

from __future__ import annotations

import mmap
import os
import time
from pathlib import Path

from plimsoll.errors import TargetError
from plimsoll.volumes import control

SAMPLES = 100
WAIT_NS = 300_000
"""As long as the fastest volumes take: processors that fell asleep meanwhile belong to the way."""
PATH_NS_MAX = 100_000
"""More than this is another program's work, not the way."""
_BLOCK = 4096


def compensate(folder: Path, device: str) -> None:
    """Measure the way to a bypassed volume and have its server make up for it."""
    control.ask(folder, {"command": "bypass", "on": True, "wait_ns": WAIT_NS})
    try:
        found = _path_ns(device)
    except OSError as error:
        raise TargetError(
            f"{device}: {error.strerror} while the way to the new volume was measured; see `dmesg`, create it again"
        ) from error
    finally:
        control.ask(folder, {"command": "bypass", "on": True})
    control.ask(folder, {"command": "compensate", "path_ns": found})


def _path_ns(device: str) -> int:
    """What a read of one block needs beyond the server's wait, at its first quartile."""
    took = []
    descriptor = os.open(device, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
    try:
        with mmap.mmap(-1, _BLOCK) as memory:
            for _ in range(SAMPLES):
                before_ns = time.monotonic_ns()
                os.preadv(descriptor, [memory], 0)
                took.append(time.monotonic_ns() - before_ns - WAIT_NS)
    finally:
        os.close(descriptor)
    return min(max(0, sorted(took)[SAMPLES // 4]), PATH_NS_MAX)
