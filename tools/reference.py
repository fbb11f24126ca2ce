"""Writes docs/reference from the code, and what was measured into docs/speed.md; `--check` only compares."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import figures
import typer.main

from plimsoll import plugins
from plimsoll.catalog.options import SHAPE_OPTIONS
from plimsoll.cli import catalog_lists
from plimsoll.cli.main import EXIT_CODES, app
from plimsoll.drivers import drivers, embedded
from plimsoll.errors import UsageError
from plimsoll.frontends.ycsb.bindings import BINDINGS
from plimsoll.parameter import Parameter, value_text
from plimsoll.parameters import WORKLOADS
from plimsoll.profile import Profile, profiles, suites
from plimsoll.run import originals
from plimsoll.run.studies import studies
from plimsoll.run.workers.local import engines
from plimsoll.store.tables import TABLES
from plimsoll.targets.volume import FILE_SYSTEM, TARGET_OPTIONS

FOLDER = Path(__file__).parent.parent / "docs" / "reference"
NOTICE = "<!-- Made by `make docs` from the code; do not edit. -->\n"


def row(*cells: object) -> str:
    """One row of a Markdown table."""
    return "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def table(*names: str) -> Iterator[str]:
    """The head of a Markdown table."""
    yield row(*names)
    yield "|" + "---|" * len(names)


def commands() -> Iterator[str]:
    """Every command with its options."""
    group: Any = typer.main.get_command(app)
    context = group.make_context("plimsoll", [], resilient_parsing=True)
    yield f"# Commands\n\n{EXIT_CODES}\n"
    yield from commands_of(group, context)


def commands_of(group: Any, context: Any) -> Iterator[str]:
    """The commands of a group, and of the groups in it."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        own = command.make_context(name, [], parent=context, resilient_parsing=True)
        if hasattr(command, "list_commands"):
            yield from commands_of(command, own)
            continue
        yield f"## {own.command_path}\n\n{command.help}\n"
        if command.epilog:
            yield f"{command.epilog}\n"
        yield from table("option", "meaning")
        yield from (row(f"`{name}`", about) for name, about in getattr(command, "words", ()))
        for parameter in command.get_params(own):
            if getattr(parameter, "hidden", False):
                continue
            words = parameter.get_help_record(own) or (parameter.make_metavar(own), getattr(parameter, "help", ""))
            yield row(f"`{words[0]}`", words[1])
        yield ""


def tests() -> Iterator[str]:
    """Every test with its page, and every suite."""
    yield "# Tests\n"
    yield from table("test", "question", "modes")
    for profile in profiles().values():
        modes = ", ".join(f"`{profile.name}:{mode}`" for mode in profile.modes)
        yield row(f"[{profile.name}](tests/{profile.name}.md)", profile.question, modes)
    yield "\n# Suites\n"
    for suite in suites().values():
        yield f"## {suite.name}: {suite.title}\n\n**{suite.question}**\n"
        if defaults := ", ".join(f"{name} {value}" for name, value in suite.defaults.items()):
            yield f"Where a test does not say otherwise: {defaults}.\n"
        yield from (f"- `{entry.label}`" for entry in suite.entries)
        yield ""


def test_page(profile: Profile) -> Iterator[str]:
    """All that is known of one test."""
    yield f"# {profile.name}: {profile.title}\n\n**{profile.question}**\n\n{profile.definition}\n"
    yield f"Source: {profile.source}.\n\n## How to read it\n\n{profile.reading}\n"
    yield f"Judged: {', '.join(f'`{metric}`' for metric in profile.metrics)}; the first decides when to stop.\n"
    if profile.made_equal:
        yield f"## How it matches the original\n\n{profile.made_equal}\n"
    if program := original_of(profile):
        yield (
            "## Compared with the original\n\n"
            f"`--on new=DIR --on old=DIR,implementation=original` runs {program} in its place, interleaved with it.\n"
        )
        yield from figures.of_test(profile.name)
        if profile.beside:
            yield f"{profile.beside}\n"
    if profile.cannot_say:
        yield f"## What it does not measure\n\n{profile.cannot_say}\n"
    if profile.unverified:
        yield f"Not verified: {profile.unverified}\n"
    yield "## Modes and parameters\n"
    if profile.modes:
        yield from table("mode", "what differs", "parameters")
        yield row(f"`{profile.name}`", "classic: the definition as it is", "")
        for name, mode in profile.modes.items():
            yield row(f"`{profile.name}:{name}`", mode.meaning, values_text(mode.parameters))
        yield ""
    yield from table("parameter", "value", "with `--quick-sizes`")
    for name in {**profile.parameters, **profile.quick_sizes}:
        default = next(each for each in WORKLOADS[profile.workload] if each.name == name)
        value = profile.parameters.get(name, value_text(default, default.default))
        yield row(f"`{name}`", value, profile.quick_sizes.get(name, ""))
    yield f"\nAll others: workload `{profile.workload}` in [parameters](../parameters.md)."


def original_of(profile: Profile) -> str:
    """The program that runs with `implementation=original`; none where there is none."""
    try:
        return originals.named(profile).PROGRAM
    except UsageError:
        return ""


def values_text(values: Mapping[str, Any]) -> str:
    """`durable=timed, direct=yes`, as typed."""
    texts = {name: {True: "yes", False: "no"}.get(value, value) for name, value in values.items()}
    return ", ".join(f"`{name}={value}`" for name, value in texts.items())


def parameters() -> Iterator[str]:
    """The table of parameters per workload."""
    yield "# Parameters\n\nIn profiles, suites and studies, as options of a target, and with `--set`.\n"
    for workload, listed in WORKLOADS.items():
        yield f"## Workload {workload}\n"
        yield from table("parameter", "default", "meaning", "values")
        for each in listed:
            yield row(f"`{each.name}`", value_text(each, each.default), each.help, ", ".join(each.choices) or each.room)
        yield ""


def engine_page() -> Iterator[str]:
    """The engines; what is available depends on the machine and is left out."""
    yield "# Engines\n"
    yield from table("engine", "depth per thread", "direct I/O", "trim", "what it is")
    for name, each in engines().items():
        depth = each.max_depth or "any"
        yield row(f"`{name}`", depth, "yes" if each.direct else "no", "yes" if each.trim else "no", each.description)


def databases_page() -> Iterator[str]:
    """The drivers, the private servers, and the bindings of YCSB."""
    yield "# Databases\n\n## Drivers\n\nThe target of a database test is an address, without a password; `password_env`"
    yield "names the environment variable that holds it.\n"
    yield from table("driver", "address", "tests", "TLS", "what it is")
    for name, each in drivers().items():
        tls = "yes" if each.tls else "no"
        yield row(
            f"`{name}`",
            f"`{each.url or name + '://'}`",
            ", ".join(each.workloads),
            tls,
            each.description,
        )
    yield "\n## Private servers\n"
    yield "`--server NAME` with a directory or a volume as target: the data lie there, the server listens on loopback,"
    yield "runs as its own user where Plimsoll is root, and is gone with the session. `server_settings` win over what"
    yield "stands here.\n"
    yield from table("server", "program (Debian)", "durability")
    for module in plugins.modules("plimsoll.run.servers"):
        name = module.__name__.rpartition(".")[2]
        yield row(f"`{name}`", f"{module.PROGRAM} ({module.PACKAGE})", " ".join(str(module.__doc__).split()))
    names = ", ".join(f"`{name}`" for name in embedded())
    yield f"\nWithout a process of their own, in the client's threads: {names}. `session_settings` of SQLite are its"
    yield "pragmas, such as `cache_size=-65536`; those of RocksDB its options, such as `write_buffer_size=67108864`,"
    yield "`sync` and `disableWAL`. What durability sets (at an address nothing is set):\n"
    yield from table("database", *next(each.choices for each in WORKLOADS["ycsb"] if each.name == "durability"))
    for name, levels in ((name, drivers()[name].durability) for name in embedded()):
        settings = (" ".join(f"{key}={value}" for key, value in levels[each].items()) for each in levels)
        if levels:
            yield row(f"`{name}`", *settings)
    yield "\n## Bindings of `plimsoll ycsb`\n"
    yield f"{', '.join(f'`{name}`' for name in BINDINGS)}, or an address; see [front ends](../front-ends.md#ycsb)."


def guards() -> Iterator[str]:
    """Why each guard is there."""
    yield "# Guards\n\nEvery run passes these checks before it counts. `warn` travels with the number, `invalid` means"
    yield "that the block is repeated once and then reported as invalid; no run is dropped in silence.\n"
    for guard in plugins.modules("plimsoll.run.guards"):
        yield f"## {guard.NAME}: {guard.TITLE}\n\n{guard.WHY}\n"


def parquet_tables() -> Iterator[str]:
    """Every column of the Parquet tables."""
    yield "# Tables\n\n`plimsoll export --parquet DIR` writes these Parquet files (zstd, one row group per session).\n"
    yield "Units are in the names; values are in base units; what was not measured is absent, never zero.\n"
    for name, columns in TABLES.items():
        yield f"## {name}.parquet\n"
        yield from table("column", "type", "meaning")
        for column, (kind, about) in columns.items():
            yield row(f"`{column}`", kind, about)
        yield ""


def volumes() -> Iterator[str]:
    """How a volume is written, and what there is."""
    yield "# Volumes\n\nOptions of a volume: of `plimsoll volume create`, of `vol:` targets, of a target's `as=`,"
    yield "of `plimsoll simulate --volume` and of `plimsoll verify --as`.\n"
    yield from option_table(SHAPE_OPTIONS.values())
    yield "\nA volume that is served, by `plimsoll volume create` or as a `vol:` target, has these as well;"
    yield f"`memory` only as a target, and then `fs` is {FILE_SYSTEM} unless it is said.\n"
    yield from option_table(TARGET_OPTIONS.values())
    yield "\n## Types\n\nLimits in the periods in which they held; instance types: `plimsoll list instances`.\n"
    listed = catalog_lists.volumes()
    yield from table(*listed[0])
    yield from (row(*each.values()) for each in listed)


def option_table(options: Iterable[Parameter]) -> Iterator[str]:
    """Options with their meaning, defaults and values."""
    yield from table("option", "meaning", "default", "values")
    for each in options:
        default = value_text(each, each.default) if each.default else ""
        yield row(f"`{each.name}`", each.help, default, ", ".join(each.choices) or each.room)


def study_page() -> Iterator[str]:
    """The published experiments."""
    yield "# Studies\n\n`plimsoll run NAME`, or `plimsoll run NAME --quick-sizes` for a trial of some minutes.\n"
    for each in studies().values():
        kind = " A search for the load line: `plimsoll knee` takes it, too." if each.is_load_line else ""
        yield f"## {each.name}: {each.title}\n\n**{each.question}**\n\nAfter {each.source}.{kind}\n\n{each.reading}\n"


def pages() -> Mapping[str, str]:
    """File name and text of every page."""
    makers = {
        "commands.md": commands,
        "tests.md": tests,
        "parameters.md": parameters,
        "engines.md": engine_page,
        "databases.md": databases_page,
        "guards.md": guards,
        "tables.md": parquet_tables,
        "volumes.md": volumes,
        "studies.md": study_page,
    }
    found = {name: list(make()) for name, make in makers.items()}
    found |= {f"tests/{profile.name}.md": list(test_page(profile)) for profile in profiles().values()}
    made = {name: NOTICE + "\n".join(lines).rstrip() + "\n" for name, lines in found.items()}
    return {**made, "../speed.md": figures.speed_page()}


def main() -> int:
    """Write the pages, or compare them with what is there."""
    (FOLDER / "tests").mkdir(parents=True, exist_ok=True)
    made = pages()
    stale = [f"tests/{path.name}" for path in (FOLDER / "tests").iterdir() if f"tests/{path.name}" not in made]
    if "--check" not in sys.argv:
        for name in stale:
            (FOLDER / name).unlink()
    for name, text in made.items():
        path = FOLDER / name
        if not path.exists() or path.read_text() != text:
            stale.append(name)
            if "--check" not in sys.argv:
                path.write_text(text)
    if "--check" in sys.argv and stale:
        print(f"these pages of docs/reference are not what `make docs` makes: {', '.join(stale)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
