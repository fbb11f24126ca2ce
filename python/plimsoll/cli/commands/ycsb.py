"""`plimsoll ycsb`: YCSB's own command line, property files and output, Plimsoll's drivers and store."""

from __future__ import annotations

import typer

EXAMPLES = (
    "`plimsoll ycsb load jdbc -P workloads/workloada -p db.url=jdbc:postgresql://host/ycsb -p db.user=me -threads 8` · "
    "`plimsoll ycsb run redis -P workloada -p redis.host=host -target 5000 -s` · docs/front-ends.md"
)
VERBATIM = True


def command(context: typer.Context) -> None:
    """Load and run YCSB's core workload with YCSB's options and properties, and print what YCSB prints."""
    from plimsoll.cli.output import say
    from plimsoll.frontends.ycsb.app import run
    from plimsoll.store.store import open_store

    code = run(context.args, open_store, say)
    if code:
        raise typer.Exit(code)
