"""Commands below a command, such as `plimsoll volume create`: one file in a folder is one of them."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import typer
import typer.main
from typer.core import TyperGroup


class _Commands(TyperGroup):
    """Finds its commands by their files, and loads the one that is called."""

    package = ""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of the files; those that start with `_` are helpers."""
        del ctx
        found = importlib.import_module(self.package)
        return sorted(info.name for info in pkgutil.iter_modules(found.__path__) if not info.name.startswith("_"))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that file, or None."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{self.package}.{cmd_name}")
        alone = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode=None, add_completion=False)
        alone.command(
            cmd_name,
            epilog=module.EXAMPLES,
            no_args_is_help=getattr(module, "NEEDS_ARGUMENTS", False),
        )(module.command)
        command = typer.main.get_command(alone)
        command.name = cmd_name
        return command


def command_group(package: str, about: str, examples: str) -> typer.Typer:
    """The group whose commands are the files of `package`."""
    group = typer.Typer(
        cls=type("Commands", (_Commands,), {"package": package}),
        help=about,
        epilog=examples,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
    )

    @group.callback()
    def _none() -> None:
        """Options of all of them: none."""

    return group
