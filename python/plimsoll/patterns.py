"""Names with wildcards that the shell left as they are, because they were quoted."""

from __future__ import annotations

import glob
import os


def matches(name: str) -> list[str]:
    """The paths that `*`, `?`, `[…]` and `**` in a name stand for, in order.

    The name itself where something is called so, and where nothing matches: whoever reads it says that it is missing.
    """
    if os.path.lexists(name):
        return [name]
    return sorted(glob.glob(name, recursive=True)) or [name]
