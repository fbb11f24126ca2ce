"""`plimsoll harbour`: says what it was told."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from plimsoll.store.store import Store

TITLE = "Speak with a harbour master."
EXAMPLES = "`plimsoll harbour --anchor`"
WORDS = (("--anchor", "Where to anchor."),)


def run(words: Sequence[str], open_store: Callable[[], Store], say: Callable[[str], None]) -> int:
    """The exit code; the store is opened, so that it can be."""
    with open_store():
        say(f"the harbour master heard {' '.join(words)}")
    return 0
