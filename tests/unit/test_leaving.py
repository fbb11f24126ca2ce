"""Whoever asks for the end again and again while the command leaves sees how it ended, and nothing else."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

LEAVING = """
import os, signal, sys
from plimsoll.cli import main as cli

number = int(sys.argv.pop())
ended = KeyboardInterrupt() if sys.argv.pop() == "interrupted" else None
leave = cli._let_go_of_unread_output

def app(standalone_mode):
    if ended:
        raise ended

def asked_again():
    os.kill(os.getpid(), number)
    leave()

cli.app = app
cli._let_go_of_unread_output = asked_again
cli.main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(("ended", "code"), [("done", 0), ("interrupted", 130)])
def test_to_ask_for_the_end_once_more_while_it_leaves_changes_nothing(
    number: signal.Signals, ended: str, code: int
) -> None:
    words = [sys.executable, "-c", LEAVING, ended, str(int(number))]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (code, "")


@pytest.mark.parametrize(("before", "code"), [("SIG_IGN", 0), ("SIG_DFL", 130)])
def test_what_nohup_started_outlives_its_terminal(before: str, code: int) -> None:
    words = [sys.executable, "-c", HANGING_UP.format(before)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (code, "")


HANGING_UP = """
import os, signal
from plimsoll.cli import main as cli

signal.signal(signal.SIGHUP, signal.{})
cli.app = lambda standalone_mode: os.kill(os.getpid(), signal.SIGHUP)
cli.main()
"""
