"""`plimsoll volume …`: emulated volumes as real block devices. The commands are the files of `plimsoll.cli.volume`."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import typer
import typer.main
from typer.core import TyperGroup

PACKAGE = "plimsoll.cli.volume"
EXAMPLES = (
    "`plimsoll volume create data --type gp2 --size 100GiB --fs ext4`, `plimsoll volume list`, "
    "`plimsoll volume delete data`."
)


class Commands(TyperGroup):
    """Finds its commands by their files, and loads the one that is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of the files; those that start with `_` are helpers."""
        del ctx
        package = importlib.import_module(PACKAGE)
        return sorted(info.name for info in pkgutil.iter_modules(package.__path__) if not info.name.startswith("_"))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that file, or None."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{PACKAGE}.{cmd_name}")
        alone = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode=None, add_completion=False)
        alone.command(
            cmd_name,
            epilog=module.EXAMPLES,
            no_args_is_help=getattr(module, "NEEDS_ARGUMENTS", False),
        )(module.command)
        command = typer.main.get_command(alone)
        command.name = cmd_name
        return command


group = typer.Typer(
    cls=Commands,
    help="Provisioned volumes as real block devices: create, list, stats, set, fault, delete.",
    epilog=EXAMPLES,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


@group.callback()
def _volume() -> None:
    """Options of all of them: none."""
