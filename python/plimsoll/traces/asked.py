"""The wish to end a recording: a signal is noted, and raises nothing until the trace is whole."""

from __future__ import annotations

import signal
import threading
import time
from types import FrameType, TracebackType
from typing import Any

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LOOKS_EVERY_S = 0.1


class Asked:
    """Whether Ctrl-C, SIGTERM or SIGHUP has come while this was entered.

    An exception could come between what is packed and its way into the file, or while the tracing is taken down.
    """

    def __init__(self) -> None:
        """Nobody has asked."""
        self.end = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Asked:
        """Takes the signals, but for those that this process ignores."""
        if threading.current_thread() is threading.main_thread():
            for number in ENDING:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Gives them back."""
        for number, handler in self._before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def sleep(self, seconds: float) -> None:
        """Waits, but not long after somebody asked."""
        until = time.monotonic() + seconds
        while not self.end and (left := until - time.monotonic()) > 0:
            time.sleep(min(left, LOOKS_EVERY_S))

    def _note(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.end = True
