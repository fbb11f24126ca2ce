"""What a worker is, asked with the standard library alone: this module is sent to workers that may lack Plimsoll."""

from __future__ import annotations

import os
import platform
import time


def about() -> dict[str, str | None]:
    """Plimsoll's version on the worker (None where it is missing), Python's, and the host's name."""
    try:
        import plimsoll

        version: str | None = plimsoll.__version__
    except ImportError:
        version = None
    return {"plimsoll": version, "python": platform.python_version(), "hostname": platform.node()}


def clock_ns() -> int:
    """The worker's clock, ns since 1970."""
    return time.time_ns()


def process_id() -> int:
    """Of the worker."""
    return os.getpid()
