"""`plimsoll list`: what there is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from plimsoll.cli.options import Csv, Json

EXAMPLES = "`plimsoll list tests`, `plimsoll list sessions --json`."

Rows = list[dict[str, Any]]


def command(
    what: Annotated[
        str,
        typer.Argument(metavar="tests|suites|parameters|engines|guards|formats|sessions", help="What to list."),
    ] = "tests",
    json: Json = False,
    csv: Csv = False,
) -> None:
    """List tests, suites, parameters, engines, guards, import formats or sessions."""
    from plimsoll.cli.output import print_csv, print_json, print_table
    from plimsoll.errors import UnknownName

    if what not in LISTS:
        raise UnknownName("list", what, LISTS)
    rows = LISTS[what]()
    if json:
        print_json(rows)
    elif csv:
        print_csv(rows)
    else:
        print_table(rows, right=("depth",))


def _tests() -> Rows:
    from plimsoll.profile import profiles

    return [
        {"test": each.name, "question": each.question, "metrics": ", ".join(each.metrics)}
        for each in profiles().values()
    ]


def _suites() -> Rows:
    from plimsoll.profile import suites

    return [
        {"suite": each.name, "question": each.question, "tests": ", ".join(entry.label for entry in each.entries)}
        for each in suites().values()
    ]


def _parameters() -> Rows:
    from plimsoll.parameters import WORKLOADS, value_text

    return [
        {
            "parameter": each.name,
            "default": value_text(each, each.default),
            "meaning": each.help,
            "values": ", ".join(each.choices),
        }
        for table in WORKLOADS.values()
        for each in table
    ]


def _engines() -> Rows:
    from plimsoll.run.workers.local import engines

    return [
        {
            "engine": name,
            "depth": "any" if each["max_depth"] is None else each["max_depth"],
            "direct": "yes" if each["direct"] else "no",
            "trim": "yes" if each["trim"] else "no",
            "here": "yes" if each["available"] else f"no: {each['reason']}",
            "description": each["description"],
        }
        for name, each in engines().items()
    ]


def _guards() -> Rows:
    from plimsoll import kinds

    return [{"guard": each.NAME, "title": each.TITLE} for each in kinds.modules("plimsoll.run.guards")]


def _formats() -> Rows:
    from plimsoll.importers.reading import formats

    return [{"format": name, "title": each.TITLE, "tools": ", ".join(each.TOOLS)} for name, each in formats().items()]


def _sessions() -> Rows:
    from plimsoll.store.store import open_store, short_id

    with open_store() as store:
        return [
            {
                "session": short_id(each.id),
                "started": _when(each.started_ns),
                "state": str(each.state.value),
                "targets": ", ".join(each.target_names),
                "title": each.title,
            }
            for each in store.sessions()
        ]


def _when(started_ns: int) -> str:
    from datetime import datetime

    # Files of other tools do not always say when they were made.
    return f"{datetime.fromtimestamp(started_ns / 1e9):%Y-%m-%d %H:%M}" if started_ns else "unknown"


LISTS: dict[str, Callable[[], Rows]] = {
    "tests": _tests,
    "suites": _suites,
    "parameters": _parameters,
    "engines": _engines,
    "guards": _guards,
    "formats": _formats,
    "sessions": _sessions,
}
