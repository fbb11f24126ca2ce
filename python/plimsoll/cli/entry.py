"""Where the `plimsoll` command starts: Ctrl-C ends it quietly until everything is loaded and can clean up."""

import atexit
import gc
import signal

signal.signal(signal.SIGINT, signal.SIG_DFL)


# Loading and reading make many objects that all stay: looking through them again and again finds nothing.
gc.set_threshold(1_000_000, 20, 20)
# Nor when they all go at the end: the interpreter would look for cycles among them several times before it leaves.
atexit.register(gc.freeze)


def main() -> None:
    """Load the commands and run one."""
    from plimsoll.cli.main import main as run

    run()
