"""Loaded by a scheduler or worker that was started over SSH: it ends when its connection does.

A coordinator that was killed, or whose network is gone, leaves nothing running on the hosts.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

GRACE_S = 20.0


def dask_setup(_server: object) -> None:
    """Called by Dask when the process is ready."""
    threading.Thread(target=_end_with_the_connection, daemon=True, name="plimsoll ssh lifetime").start()


def _end_with_the_connection() -> None:
    """Nobody writes to the standard input; its end is that of the connection."""
    while os.read(sys.stdin.fileno(), 4096):
        continue
    if remote := sys.modules.get("plimsoll.cluster.remote"):
        remote.close_all()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_S)
    os._exit(1)
