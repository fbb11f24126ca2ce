"""Where the `plimsoll` command starts: Ctrl-C ends it quietly until everything is loaded and can clean up."""

import signal

signal.signal(signal.SIGINT, signal.SIG_DFL)


def main() -> None:
    """Load the commands and run one."""
    from plimsoll.cli.main import main as run

    run()
