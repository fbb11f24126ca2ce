"""`plimsoll export`: sessions as one result file, or the study that repeats one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plimsoll.cli.options import Sessions

EXAMPLES = (
    "`plimsoll export 3f9c -o run.plimsoll.gz`, `plimsoll export --study again.toml`, "
    "`plimsoll export --all -o s3://bucket/laptop.plimsoll.gz`, `plimsoll export --all --parquet tables/`, "
    "`plimsoll export --grafana plimsoll.json`."
)


def command(
    sessions: Sessions = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="The result file or its address. Default: ID.plimsoll.gz."),
    ] = None,
    study: Annotated[
        Path | None, typer.Option("--study", metavar="FILE", help="Write the study file that repeats the session.")
    ] = None,
    parquet: Annotated[
        Path | None, typer.Option("--parquet", metavar="DIR", help="Write tables for DuckDB, pandas and Spark.")
    ] = None,
    grafana: Annotated[
        Path | None,
        typer.Option(
            "--grafana", metavar="FILE", help="Write a dashboard over /metrics of `plimsoll serve`; no session."
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every session of the store.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
) -> None:
    """Write sessions with all raw data into one file. `plimsoll import` and `plimsoll merge` read it."""
    import tomli_w

    from plimsoll.api.finding import find_sessions
    from plimsoll.cli.output import refuse_to_replace, say
    from plimsoll.errors import UsageError
    from plimsoll.outgoing import open_output
    from plimsoll.remote import sent
    from plimsoll.stats.parts import without_extensions
    from plimsoll.store import exchange
    from plimsoll.store.names import short_id
    from plimsoll.store.opening import open_store

    if grafana is not None:
        if sessions or output or study or parquet or every:
            raise UsageError("--grafana writes a dashboard and no session: leave out all but --force")
        _dashboard(grafana, force=force)
        return
    with open_store() as store:
        found = store.sessions() if every else find_sessions(store, sessions)
        if not found:
            raise UsageError("the store holds no session yet; `plimsoll run` makes the first one")
        name = output
        if not (name or study or parquet):
            name = f"{short_id(found[0].id)}.plimsoll.gz"
        for written in (name, study):
            refuse_to_replace(written, force)
        if study is not None:
            if len(found) != 1:
                raise UsageError("a study file repeats one session; name one")
            with open_output(study) as file:
                file.write(tomli_w.dumps(without_extensions(found[0].study)))
            say(f"study: {study}; repeat it with `plimsoll run {study}`")
        ids = [session.id for session in found]
        if parquet is not None:
            from plimsoll.store.tables import write_tables

            say(f"tables: {', '.join(map(str, write_tables(store, ids, parquet, replace=force)))}")
        if name is not None:
            with sent(name) as path:
                exchange.export(store, ids, path)
            say(f"{len(found)} session{'s' if len(found) > 1 else ''}: {name}")


def _dashboard(path: Path, *, force: bool) -> None:
    """The dashboard, which Grafana imports as a file."""
    import json

    from plimsoll.cli.output import refuse_to_replace, say
    from plimsoll.outgoing import open_output
    from plimsoll.web.grafana import dashboard

    refuse_to_replace(path, force)
    with open_output(path) as file:
        json.dump(dashboard(), file, indent=2)
        file.write("\n")
    say(f"dashboard: {path}; in Grafana: Dashboards, New, Import")
