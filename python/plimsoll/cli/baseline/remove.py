"""`plimsoll baseline remove`: forget a name."""

from __future__ import annotations

from typing import Annotated

import typer

NEEDS_ARGUMENTS = True
EXAMPLES = "`plimsoll baseline remove before-upgrade`"


def command(name: Annotated[str, typer.Argument(metavar="NAME")]) -> None:
    """Forget the name of a baseline; its session stays."""
    from plimsoll.cli.output import say
    from plimsoll.store.baselines import remove_baseline
    from plimsoll.store.opening import open_store

    with open_store() as store:
        remove_baseline(store, name.strip().lower())
    say(f"baseline {name.strip().lower()} is forgotten; its session stays")
