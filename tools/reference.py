"""Writes docs/reference from the code; `--check` only compares."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import typer.main

from plimsoll import kinds
from plimsoll.cli.main import EXIT_CODES, app
from plimsoll.parameter import value_text
from plimsoll.parameters import WORKLOADS
from plimsoll.profile import profiles, suites
from plimsoll.run.workers.local import engines

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
        for parameter in command.get_params(own):
            words = parameter.get_help_record(own) or (parameter.make_metavar(own), getattr(parameter, "help", ""))
            yield row(f"`{words[0]}`", words[1])
        yield ""


def tests() -> Iterator[str]:
    """Every test and suite."""
    yield "# Tests\n"
    for profile in profiles().values():
        yield f"## {profile.name}: {profile.title}\n\n**{profile.question}**\n"
        yield f"{profile.definition}\n\nAfter: {profile.source}.\n\n{profile.reading}\n"
        yield f"Judged: {', '.join(f'`{metric}`' for metric in profile.metrics)}; the first decides when to stop.\n"
        yield from table("parameter", "value")
        for name, value in profile.parameters.items():
            yield row(f"`{name}`", value)
        yield ""
    yield "# Suites\n"
    for suite in suites().values():
        yield f"## {suite.name}: {suite.title}\n\n**{suite.question}**\n"
        defaults = ", ".join(f"{name} {value}" for name, value in suite.defaults.items())
        yield f"Where a test does not say otherwise: {defaults}.\n"
        yield from (f"- `{entry.label}`" for entry in suite.entries)
        yield ""


def parameters() -> Iterator[str]:
    """The table of parameters per workload."""
    yield "# Parameters\n\nIn profiles, suites and studies, as options of a target, and with `--set`.\n"
    for workload, listed in WORKLOADS.items():
        yield f"## Workload {workload}\n"
        yield from table("parameter", "default", "meaning", "values")
        for each in listed:
            yield row(f"`{each.name}`", value_text(each, each.default), each.help, ", ".join(each.choices))
        yield ""


def engine_page() -> Iterator[str]:
    """The engines; what is available depends on the machine and is left out."""
    yield "# Engines\n"
    yield from table("engine", "depth per thread", "direct I/O", "trim", "what it is")
    for name, each in engines().items():
        depth = each["max_depth"] or "any"
        yield row(
            f"`{name}`", depth, "yes" if each["direct"] else "no", "yes" if each["trim"] else "no", each["description"]
        )


def guards() -> Iterator[str]:
    """Why each guard is there."""
    yield "# Guards\n\nEvery run passes these checks before it counts. `warn` travels with the number, `invalid` means"
    yield "that the block is repeated once and then reported as invalid; no run is dropped in silence.\n"
    for guard in kinds.modules("plimsoll.run.guards"):
        yield f"## {guard.NAME}: {guard.TITLE}\n\n{guard.WHY}\n"


def pages() -> Mapping[str, str]:
    """File name and text of every page."""
    makers = {
        "commands.md": commands,
        "tests.md": tests,
        "parameters.md": parameters,
        "engines.md": engine_page,
        "guards.md": guards,
    }
    return {name: NOTICE + "\n".join(make()).rstrip() + "\n" for name, make in makers.items()}


def main() -> int:
    """Write the pages, or compare them with what is there."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    stale = []
    for name, text in pages().items():
        path = FOLDER / name
        if not path.exists() or path.read_text() != text:
            stale.append(name)
            if "--check" not in sys.argv:
                path.write_text(text)
    if "--check" in sys.argv and stale:
        print(f"docs/reference is not what the code says: {', '.join(stale)}; run `make docs`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
