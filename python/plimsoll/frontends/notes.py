"""Notes of front ends: what a user may want to know of an option that cannot change the result.

Programs that start the originals take any text on standard error for a failure. So these sentences are only said where
they are asked for: with `--verbose` behind the command's name, or with `PLIMSOLL_VERBOSE=1` in the environment.
"""

from __future__ import annotations

import os
from collections.abc import Callable

OPTION = "--verbose"
"""No original has an option of this name."""
VARIABLE = "PLIMSOLL_VERBOSE"


def wanted() -> bool:
    """Whether notes are asked for."""
    return os.environ.get(VARIABLE, "") not in ("", "0")


def note(say: Callable[[str], None], sentence: str) -> None:
    """Say a sentence that no result depends on, if somebody wants to hear it."""
    if wanted():
        say(sentence)
