"""`plimsoll import`: results into the store, our own and those of other tools."""

from __future__ import annotations

from typing import Annotated

import typer

from plimsoll.cli.options import Json

NEEDS_ARGUMENTS = True
EXAMPLES = (
    "`plimsoll import results.plimsoll.gz`, `plimsoll import fio.json --as gp3`, `plimsoll import 'old/*.csv'`, "
    "`plimsoll import 's3://bucket/*.plimsoll.gz'`. "
    "`plimsoll import fio.json --explain` shows where each number comes from, and stores nothing. "
    "Several files in one command are one session, in their order. "
    "Raw files are kept with the runs, except logs of more than 16 MiB in total, which may have any size."
)


def command(
    files: Annotated[list[str], typer.Argument(metavar="FILE…", help="Files, globs, archives or addresses.")],
    target: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="Name of the target of these results.")
    ] = None,
    format_name: Annotated[
        str | None, typer.Option("--format", metavar="FORMAT", help="Read as this format; `plimsoll list formats`.")
    ] = None,
    each: Annotated[bool, typer.Option("--each", help="A session of its own for each file, not one for all.")] = False,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Store nothing; show each number, where it stands in the file, and what is left out."
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Add results of Plimsoll, fio, YCSB, pgbench and other tools. `plimsoll list formats` names them."""
    from plimsoll.api.importing import imported
    from plimsoll.cli.output import print_json, say
    from plimsoll.cli.transfer import reading
    from plimsoll.errors import ResultFileError
    from plimsoll.store.opening import open_store

    if explain:
        _explain(files, target, format_name, json=json)
        return
    with open_store() as store:
        found = imported(store, files, target, format_name, each=each, watch=reading)
    if json:
        print_json([row.row() for row in found])
    for row in found:
        for sentence in row.says:
            say(f"{row.file}: {sentence}")
    if failed := [row.file for row in found if row.failed]:
        raise ResultFileError(
            f"not imported: {', '.join(failed)}; the reasons are above; the other files are in the store"
        )


def _explain(files: list[str], target: str | None, format_name: str | None, *, json: bool) -> None:
    """What would be imported, and why."""
    from dataclasses import asdict

    from plimsoll.cli.explained import print_explained
    from plimsoll.cli.output import console, print_json
    from plimsoll.errors import ResultFileError
    from plimsoll.importers.explaining import explain
    from plimsoll.importers.source import Options
    from plimsoll.remote import fetched

    with fetched(files) as found:
        names = {str(path): name for name, path in found}
        explained = [each.named(names) for each in explain(list(names), Options(target=target), format_name)]
    if json:
        print_json([asdict(each) for each in explained])
    else:
        for each in explained:
            print_explained(each, console())
    if failed := [each.file for each in explained if each.failed]:
        raise ResultFileError(f"would not be imported: {', '.join(failed)}; the reasons are above")
