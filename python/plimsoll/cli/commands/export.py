"""`plimsoll export`: sessions as one result file, or the study that repeats one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plimsoll.cli.options import Sessions

EXAMPLES = "`plimsoll export 3f9c -o run.plimsoll.gz`, `plimsoll export --study again.toml`."


def command(
    sessions: Sessions = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="The result file. Default: ID.plimsoll.gz.")
    ] = None,
    study: Annotated[
        Path | None, typer.Option("--study", metavar="FILE", help="Write the study file that repeats the session.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every session of the store.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Write sessions with all their raw material into one file that `plimsoll import` and `merge` read."""
    import tomli_w

    from plimsoll.cli.evidence import find_sessions
    from plimsoll.cli.output import say
    from plimsoll.errors import UsageError
    from plimsoll.store import exchange
    from plimsoll.store.store import open_store, short_id

    with open_store() as store:
        found = store.sessions() if every else find_sessions(store, sessions)
        path = output or (None if study else Path(f"{short_id(found[0].id)}.plimsoll.gz"))
        for written in (path, study):
            if written is not None and written.exists() and not force:
                raise UsageError(f"{written} is there already; choose another name, or replace it with --force")
        if study is not None:
            if len(found) > 1:
                raise UsageError("a study file repeats one session; name one")
            study.write_text(tomli_w.dumps(found[0].study), encoding="utf-8")
            say(f"study: {study}; repeat it with `plimsoll run {study}`")
        if path is not None:
            exchange.export(store, [session.id for session in found], path)
            say(f"{len(found)} session{'s' if len(found) > 1 else ''}: {path}")
