"""`plimsoll zcav`: the original's own command line and output, Plimsoll's engine and store."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.frontends.calling import Say, StoreOpener

TITLE = "Read a file or device in order and print its rate over the capacity, with the options of zcav."
EXAMPLES = "`plimsoll zcav -b 256 -c 3 /dev/nvme1n1` · docs/front-ends.md"
HELP_WORDS = ("-h",)
USAGE_PIECES = ("[OPTIONS]", "FILE|DEVICE")
WORDS = (
    ("-b BLOCK[:CHUNK]", "MiB per line of the output, and per read.  [default: 512:1]"),
    ("-c COUNT", "Passes.  [default: 1]"),
    ("-r [START:]END", "The part that is read, in MiB.  [default: all]"),
    ("-s STEP", "Read one block of so many.  [default: 1]"),
    ("-l FILE", "Write the output there; over an earlier output of this command, never over another file."),
    ("--force", "Write over whatever has the name of -l; ours."),
    ("-f FILE", "The file or device, in place of the last word."),
    ("-u USER, -g GROUP", "Taken and without effect: Plimsoll stays who it is."),
    ("-w", "Write zeros in place of reading, with fsync after each piece: what is there is lost."),
    ("--destroy NAME", "Allow -w on this file, or on the device of this serial number; ours."),
)


def run(words: Sequence[str], open_store: StoreOpener, say: Say) -> int:
    """Carry them out; returns the exit code. Raises PlimsollError."""
    from plimsoll.frontends.zcav import app

    return app.run(words, open_store, say)
