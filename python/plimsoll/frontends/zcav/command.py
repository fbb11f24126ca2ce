"""`plimsoll zcav`: the original's own command line and output, Plimsoll's engine and store."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.frontends.calling import Say, StoreOpener

TITLE = "Read a disk from start to end, and print its speed along it. Takes the options of zcav, for files and devices."
EXAMPLES = "`plimsoll zcav -b 256 -c 3 /dev/nvme1n1` · docs/front-ends.md"
HELP_WORDS = ("-h",)
USAGE_PIECES = ("[OPTIONS]", "FILE|DEVICE")
WORDS = (
    ("-b BLOCK[:CHUNK]", "MiB per line of output, and MiB per read.  [default: 512:1]"),
    ("-c COUNT", "Passes.  [default: 1]"),
    ("-r [START:]END", "The part that is read, in MiB.  [default: all]"),
    ("-s STEP", "Read one block in this many.  [default: 1]"),
    ("-l FILE", "Write the output there; over an earlier output of this command, never over another file."),
    ("--force", "Overwrite any file named by -l; Plimsoll's own option."),
    ("-f FILE", "The file or device, instead of the last argument."),
    ("-u USER, -g GROUP", "Accepted, without effect: Plimsoll does not change its user."),
    ("-w", "Write zeros instead of reading, with fsync after each piece: what is there is lost."),
    ("--destroy NAME", "Allow -w on this file, or on the device of this serial number; Plimsoll's own option."),
)


def run(words: Sequence[str], open_store: StoreOpener, say: Say) -> int:
    """Carry them out; returns the exit code. Raises PlimsollError."""
    from plimsoll.frontends.zcav import app

    return app.run(words, open_store, say)
