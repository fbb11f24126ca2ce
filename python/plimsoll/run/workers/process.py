"""A program as a job: started in a folder of its own, watched like a job of the core, ended whatever happens."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from resource import struct_rusage

from plimsoll.units import SECOND

WAIT_S = 0.02


class ProcessJob:
    """A running program. Its standard output and errors go into one file.

    The kernel ends it when this process dies, so that not even `kill -9` leaves it behind.
    """

    def __init__(self, command: Sequence[str], folder: Path, output: Path, timeout_ns: int) -> None:
        """Start it in `folder`; it is ended after `timeout_ns`."""
        self.output = output
        self.started_ns = time.time_ns()
        self._begin_ns = time.monotonic_ns()
        self._deadline_ns = self._begin_ns + timeout_ns
        self.timeout_ns = timeout_ns
        self._code: int | None = None
        self.usage: struct_rusage | None = None
        self.elapsed_ns = 0
        self.stopped = self.late = False
        with output.open("wb") as file:
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *command],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                start_new_session=True,
            )

    def poll(self) -> str:
        """How far it is: only the time is known."""
        passed_ns = time.monotonic_ns() - self._begin_ns
        return json.dumps({"phase": "original", "elapsed_ns": passed_ns, "done": 0.0, "interval": None})

    def stop(self) -> None:
        """End it and what it has started."""
        self.stopped = True
        self._kill()

    def result(self, timeout_s: float | None = None) -> str | None:
        """Its exit code as JSON; None when the time is over first."""
        end_ns = time.monotonic_ns() + round((timeout_s if timeout_s is not None else 0) * SECOND)
        while self._code is None:
            pid, status, usage = os.wait4(self._process.pid, os.WNOHANG)
            if pid:
                self._code = self._process.returncode = os.waitstatus_to_exitcode(status)
                self.usage, self.elapsed_ns = usage, time.monotonic_ns() - self._begin_ns
                self._kill()
            elif time.monotonic_ns() >= self._deadline_ns and not self.late:
                self.late = True
                self._kill()
            elif timeout_s is not None and time.monotonic_ns() >= end_ns:
                return None
            else:
                time.sleep(WAIT_S)
        return json.dumps(self._code)

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
