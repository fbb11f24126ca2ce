"""`plimsoll merge`: the union of other stores and result files."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from plimsoll.cli.options import Json

NEEDS_ARGUMENTS = True
EXAMPLES = (
    "`plimsoll merge laptop.plimsoll.gz server.plimsoll.gz`, `plimsoll merge /backup/results.db`, "
    "`plimsoll merge 's3://bucket/*.plimsoll.gz'`."
)


def command(
    sources: Annotated[
        list[str], typer.Argument(metavar="FILE|STORE…", help="Result files or their addresses, or stores.")
    ],
    json: Json = False,
) -> None:
    """Add everything from other stores and result files. Order and repetition make no difference."""
    from plimsoll.cli.output import print_json, say
    from plimsoll.remote import fetched, is_remote
    from plimsoll.store import exchange
    from plimsoll.store.opening import open_store

    with open_store() as store, fetched(sources) as found:
        # A store may be the URL of a database, which is no path.
        summary = exchange.merge(store, [path if is_remote(name) else name for name, path in found])
    if json:
        print_json(asdict(summary))
    else:
        say(str(summary))
