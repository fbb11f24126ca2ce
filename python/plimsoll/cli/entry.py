"""Where the `plimsoll` command starts: Ctrl-C ends it quietly until everything is loaded and can clean up."""

# Before anything else, and by the interpreter's own module: what `signal` loads takes longer than all that is before.
import _signal  # type: ignore[import-not-found]

_signal.signal(_signal.SIGINT, _signal.SIG_DFL)

import atexit  # noqa: E402
import gc  # noqa: E402
import os  # noqa: E402

# NumPy's library for matrices would start a thread for each processor, with memory of its own: there are no matrices
# here, and a machine may have little to give.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Loading and reading make many objects that all stay: looking through them again and again finds nothing.
gc.set_threshold(1_000_000, 20, 20)
# Nor when they all go at the end: the interpreter would look for cycles among them several times before it leaves.
atexit.register(gc.freeze)


def main() -> None:
    """Load the commands and run one."""
    from plimsoll.cli.main import main as run

    run()
