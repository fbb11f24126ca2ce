"""`plimsoll merge`: the union of other stores and result files."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from plimsoll.cli.options import Json

NEEDS_ARGUMENTS = True
EXAMPLES = "`plimsoll merge laptop.plimsoll.gz server.plimsoll.gz`, `plimsoll merge /backup/results.db`."


def command(
    sources: Annotated[list[str], typer.Argument(metavar="FILE|STORE…", help="Result files, or stores (file or URL).")],
    json: Json = False,
) -> None:
    """Add everything from other stores and result files; in any order, twice, the result is the same."""
    from plimsoll.cli.output import print_json, say
    from plimsoll.store import exchange
    from plimsoll.store.store import open_store

    with open_store() as store:
        summary = exchange.merge(store, sources)
    if json:
        print_json(asdict(summary))
    else:
        say(str(summary))
