"""`plimsoll import`: result files into the store."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from plimsoll.cli.options import Json

NEEDS_ARGUMENTS = True
EXAMPLES = "`plimsoll import results.plimsoll.gz`. A file is checked completely before anything is stored."


def command(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Result files of `plimsoll export`.")],
    json: Json = False,
) -> None:
    """Read result files into the store; what is already there stays as it is."""
    from plimsoll.cli.output import print_json, say
    from plimsoll.store import exchange
    from plimsoll.store.store import open_store

    summaries = {}
    with open_store() as store:
        for path in files:
            summary = exchange.import_results(store, path)
            summaries[str(path)] = asdict(summary)
            if not json:
                say(f"{path}: {summary}")
    if json:
        print_json(summaries)
