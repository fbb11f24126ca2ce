"""`plimsoll list`: what there is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from plimsoll.cli.options import Csv, Json

EXAMPLES = (
    "`plimsoll list tests`, `plimsoll list sessions --json`, `plimsoll list sessions tag:baseline`, "
    "`plimsoll list instances m5`, `plimsoll list prices gp3`."
)

Rows = list[dict[str, Any]]


def command(
    what: Annotated[
        str,
        typer.Argument(
            metavar="tests|suites|studies|parameters|engines|drivers|guards|formats|volumes|instances|prices|coverage|sessions|"
            "plugins",
            help="What to list.",
        ),
    ] = "tests",
    name: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]",
            help="Filter by name, such as m5 or gp3; sessions by words in title, tags, note, "
            "host, tests or targets, or with one tag (tag:NAME).",
        ),
    ] = None,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """List tests, suites, engines, volumes, prices, sessions and more."""
    from plimsoll.cli.listing import print_list
    from plimsoll.cli.output import print_csv, print_json, say
    from plimsoll.errors import UnknownName

    if what not in LISTS:
        raise UnknownName("list", what, LISTS)
    words = " ".join(name or ())
    if what == "sessions":
        rows = _sessions(words)
    else:
        rows = [row for row in LISTS[what]() if words.lower() in str(next(iter(row.values()))).lower()]
    if words and not rows:
        where = "" if what == "sessions" else " in the name"
        say(f"no {what} with {words!r}{where}; `plimsoll list {what}` shows all")
    if json:
        print_json(rows)
    elif csv:
        print_csv(rows)
    else:
        first = FIRST.get(what, ())
        rows = [{key: row[key] for key in dict.fromkeys([*first, *row])} for row in rows]
        print_list(rows, right=("depth", "GiB", "IOPS", "vCPU", "$/h", "$", "valid", "runs"), first=len(first) or 2)


def _tests() -> Rows:
    from plimsoll.profile import profiles

    return [
        {
            "test": each.name,
            "modes": ", ".join(each.modes),
            "question": each.question,
            "metrics": ", ".join(each.metrics),
        }
        for each in profiles().values()
    ]


def _suites() -> Rows:
    from plimsoll.profile import suites

    return [
        {"suite": each.name, "question": each.question, "tests": ", ".join(entry.label for entry in each.entries)}
        for each in suites().values()
    ]


def _studies() -> Rows:
    from plimsoll.run.studies import studies

    return [{"study": name, "question": each.question, "after": each.source} for name, each in studies().items()]


def _parameters() -> Rows:
    from plimsoll.parameter import value_text
    from plimsoll.parameters import all_workloads

    return [
        {
            "parameter": each.name,
            "default": value_text(each, each.default),
            "meaning": each.help,
            "values": ", ".join(each.choices) or each.room,
        }
        for table in all_workloads().values()
        for each in table
    ]


def _engines() -> Rows:
    from plimsoll.run.workers.local import engines

    return [
        {
            "engine": name,
            "depth": "any" if each.max_depth is None else each.max_depth,
            "direct": "yes" if each.direct else "no",
            "trim": "yes" if each.trim else "no",
            "here": "yes" if each.available else f"no: {each.reason}",
            "description": each.description,
        }
        for name, each in engines().items()
    ]


def _drivers() -> Rows:
    from plimsoll.drivers import drivers

    return [
        {
            "driver": name,
            "address": each.url,
            "tests": ", ".join(each.workloads),
            "TLS": "yes" if each.tls else "no",
            "here": "yes" if each.reason is None else f"no: {each.reason}",
            "description": each.description,
        }
        for name, each in drivers().items()
    ]


def _guards() -> Rows:
    from plimsoll import plugins

    return [{"guard": each.name, "title": each.module.TITLE} for each in plugins.found("guards")]


def _formats() -> Rows:
    from plimsoll.importers.reading import formats

    return [
        {"format": name, "title": each.module.TITLE, "tools": ", ".join(each.module.TOOLS)}
        for name, each in formats().items()
    ]


def _plugins() -> Rows:
    """Ours, those of other packages, and what is left out; here that is an answer and no message."""
    from plimsoll import __version__, plugins

    return [
        {
            "plug-in": each.name,
            "kind": group,
            "from": f"plimsoll {__version__}" if each.origin == plugins.OURS else each.origin,
            "module": each.place,
            "state": f"left out: {each.reason}" if isinstance(each, plugins.Refused) else "in use",
        }
        for group in plugins.GROUPS
        for each in plugins.installed(group)
    ]


def _sessions(words: str = "") -> Rows:
    from plimsoll.cli.output import when
    from plimsoll.store import search
    from plimsoll.store.liveness import state_now
    from plimsoll.store.names import short_id
    from plimsoll.store.opening import open_store

    with open_store() as store:
        sessions = store.sessions()
        if words:
            wanted = search.matching(store, search.Query(text=words))
            sessions = [each for each in sessions if each.id in wanted]
        counts = search.run_counts(store)
        return [
            {
                "session": short_id(each.id),
                "started": when(each.started_ns),
                "state": state_now(each).value,
                "valid": valid,
                "runs": made,
                "targets": ", ".join(each.target_names),
                "title": each.title,
                "tags": ", ".join(each.tags),
                "note": each.note,
            }
            for each in sessions
            for valid, made in [counts.get(each.id, (0, 0))]
        ]


def _volumes() -> Rows:
    from plimsoll.cli import catalog_lists

    return catalog_lists.volumes()


def _instances() -> Rows:
    from plimsoll.cli import catalog_lists

    return catalog_lists.instances()


def _prices() -> Rows:
    from plimsoll.cli import catalog_lists

    return catalog_lists.prices()


def _coverage() -> Rows:
    from plimsoll.cli import catalog_lists

    return catalog_lists.coverage()


FIRST = {
    "tests": ("test", "question"),
    "parameters": ("parameter", "default", "meaning"),
    "engines": ("engine", "depth", "here", "description"),
    "drivers": ("driver", "address", "here", "tests"),
    "volumes": ("volume", "period", "GiB", "IOPS", "throughput", "burst"),
    "instances": ("instance", "vCPU", "GiB", "volume IOPS", "volume MB/s", "$/h", "own disks"),
    "prices": ("item", "region", "$", "per", "as of", "source"),
    "coverage": ("family", "provider", "state", "prices", "as of", "machines", "missing"),
    "sessions": ("session", "started", "title", "state", "valid", "runs", "targets", "tags"),
    "plugins": ("plug-in", "kind", "state"),
}
"""The columns that a narrow window shows first; `--json` and `--csv` give every one as it is."""

LISTS: dict[str, Callable[[], Rows]] = {
    "tests": _tests,
    "suites": _suites,
    "studies": _studies,
    "parameters": _parameters,
    "engines": _engines,
    "drivers": _drivers,
    "guards": _guards,
    "formats": _formats,
    "volumes": _volumes,
    "instances": _instances,
    "prices": _prices,
    "coverage": _coverage,
    "sessions": _sessions,
    "plugins": _plugins,
}
