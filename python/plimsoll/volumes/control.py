"""Talking to the server of a volume: one JSON object per line, one answer per line."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from plimsoll.errors import TargetError, UsageError

TIMEOUT_S = 10.0


class Unanswered(TargetError):
    """The server is gone, or does not answer."""


def ask(folder: Path, command: Mapping[str, Any], timeout_s: float = TIMEOUT_S) -> dict[str, Any]:
    """The answer of the volume in `folder`. Raises UsageError with the server's reason, Unanswered without one."""
    try:
        text = _converse(folder, json.dumps(command) + "\n", timeout_s)
        answer: dict[str, Any] = json.loads(text)
    except (OSError, ValueError) as error:
        raise Unanswered(
            f"volume {folder.name} does not answer ({error}); see {folder / 'log'}, or remove it with "
            f"`plimsoll volume delete {folder.name} --force`"
        ) from None
    if not answer.get("ok"):
        raise UsageError(f"volume {folder.name}: {answer.get('error')}")
    return answer


def _converse(folder: Path, line: str, timeout_s: float) -> str:
    directory = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(timeout_s)
            # Through the descriptor, because the address of a socket holds 107 bytes only.
            connection.connect(f"/proc/self/fd/{directory}/socket")
            connection.sendall(line.encode())
            with connection.makefile("rb") as answers:
                return str(answers.readline(), "utf-8")
    finally:
        os.close(directory)
