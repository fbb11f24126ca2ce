"""`plimsoll dd`: dd's own words; it prints what dd prints, and keeps it in the store."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence

from plimsoll.errors import UsageError
from plimsoll.importers.source import Options, Source
from plimsoll.store.store import Store
from plimsoll.store.union import add_records
from plimsoll_dd import importer
from plimsoll_dd.output import copies

PLIMSOLL_CONTRACT = 1
TITLE = "Run dd with its own words, and keep what it prints."
EXAMPLES = "`plimsoll dd if=/dev/zero of=file bs=1M count=64 conv=fdatasync`"
USAGE_PIECES = ("OPERAND...",)
WORDS = (
    ("if=FILE, of=FILE", "What is read and written."),
    ("bs=BYTES, count=N", "How much; see dd(1) for all operands."),
)


def run(words: Sequence[str], open_store: Callable[[], Store], say: Callable[[str], None]) -> int:
    """Carry them out; returns the exit code. `say` writes to standard error."""
    if not words:
        raise UsageError("say what dd is to copy, such as if=/dev/zero of=file bs=1M count=64")
    environment = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(["dd", *words], stderr=subprocess.PIPE, text=True, env=environment, check=False)
    sys.stderr.write(done.stderr)
    if done.returncode == 0 and copies(done.stderr):
        imported = importer.read(Source("dd.txt", done.stderr.encode()), Options())
        with open_store() as store:
            add_records(store, [imported.session, *imported.runs], "plimsoll dd")
        say("kept in the store; `plimsoll show` has it")
    return done.returncode
