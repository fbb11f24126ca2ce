"""Ctrl-C is never lost, wherever in the interpreter it comes."""

from __future__ import annotations

import subprocess
import sys

WHERE_NOTHING_CAN_BE_RAISED = """
import signal, time
from plimsoll.cli import main

class Late:
    def __del__(self):
        signal.raise_signal(signal.{number})
        for _ in range(1000):
            pass

main._listen_for_signals()
try:
    late = Late()
    del late
    time.sleep(60)
except KeyboardInterrupt:
    print("interrupted")
"""
AT_THE_END = WHERE_NOTHING_CAN_BE_RAISED.replace("late = Late()", "main._End.has_come = True; late = Late()").replace(
    "sleep(60)", "sleep(0.2)"
)
ANOTHER_ERROR = WHERE_NOTHING_CAN_BE_RAISED.replace("signal.raise_signal(signal.{number})", "raise ValueError('seen')")


def carried_out(program: str) -> tuple[str, str]:
    """What it says, and what of errors."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=50, check=True)
    return done.stdout, done.stderr


def test_a_signal_comes_again_where_nothing_could_be_raised() -> None:
    for number in ("SIGINT", "SIGTERM", "SIGHUP"):
        assert carried_out(WHERE_NOTHING_CAN_BE_RAISED.format(number=number)) == ("interrupted\n", "")


def test_after_the_end_none_comes() -> None:
    assert carried_out(AT_THE_END.format(number="SIGINT")) == ("", "")


def test_what_is_no_signal_is_told_as_ever() -> None:
    _, err = carried_out(ANOTHER_ERROR.replace("sleep(60)", "sleep(0)"))
    assert "ValueError: seen" in err
