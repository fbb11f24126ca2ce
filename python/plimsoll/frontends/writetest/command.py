"""`plimsoll writetest`: the original's own command line and output, Plimsoll's engine and store."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.frontends.calling import Say, StoreOpener

TITLE = "Write a few bytes and fsync, again and again. Takes the options of Berkeley DB's writetest."
EXAMPLES = "`plimsoll writetest -b 256 -o 10000 -f /mnt/a/testfile` · docs/front-ends.md"
HELP_WORDS = ()
USAGE_PIECES = ("[OPTIONS]",)
WORDS = (
    ("-b BYTES", "Size of each write.  [default: 256]"),
    ("-o OPERATIONS", "Writes, each with an fsync.  [default: 1000]"),
    ("-f FILE", "The file that is written; it must not be there yet.  [default: testfile]"),
)


def run(words: Sequence[str], open_store: StoreOpener, say: Say) -> int:
    """Carry them out; returns the exit code. Raises PlimsollError."""
    from plimsoll.frontends.writetest import app

    return app.run(words, open_store, say)
