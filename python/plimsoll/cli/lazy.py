"""The commands as a group that loads a command when it is used, so that `plimsoll --help` need not build them all."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Iterator, MutableMapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from plimsoll.cli import commands as package

ALIASES = {"bonnie++": "bonnie", "ioping": "ping"}
"""Names of the originals, which people type; not listed."""

_VERBATIM = {
    "ignore_unknown_options": True,
    "allow_extra_args": True,
    "allow_interspersed_args": False,
    "help_option_names": ["--help"],
}
"""For commands that take another tool's words as they are."""
_USUAL = {"help_option_names": ["-h", "--help"]}


class Commands(MutableMapping[str, Any]):
    """The commands by name, each built when it is asked for. One file in `cli/commands` is one command."""

    def __init__(self) -> None:
        names = (info.name for info in pkgutil.iter_modules(package.__path__) if not info.name.startswith("_"))
        self._modules = {name.rstrip("_"): name for name in sorted(names)}
        self._built: dict[str, Any] = {}

    def module(self, name: str) -> ModuleType:
        """The file of a command. Raises KeyError."""
        return import_module(f"{package.__name__}.{self._modules[ALIASES.get(name, name)]}")

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            self._built[name] = _build(name, self.module(name))
        return self._built[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._modules.setdefault(name, name)
        self._built[name] = command

    def __delitem__(self, name: str) -> None:
        del self._modules[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)

    def __contains__(self, name: object) -> bool:
        return name in self._modules or name in ALIASES


class _Verbatim(TyperCommand):
    """A command that takes another tool's words; its help tells those that its file lists as `WORDS`."""

    words: Sequence[tuple[str, str]] = ()
    usage_pieces: Sequence[str] = ()

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The other tool's words, where its file lists them."""
        return list(self.usage_pieces) or super().collect_usage_pieces(ctx)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """The other tool's options, then our own."""
        if self.words:
            with formatter.section("Words"):
                formatter.write_dl(self.words)
        super().format_options(ctx, formatter)


def _build(name: str, module: ModuleType) -> Any:
    if hasattr(module, "group"):
        command: Any = get_command(module.group)
        command.name = name
        return command
    verbatim = getattr(module, "VERBATIM", False)
    single = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    single.command(
        name,
        cls=_Verbatim if verbatim else TyperCommand,
        epilog=getattr(module, "EXAMPLES", None),
        no_args_is_help=getattr(module, "NEEDS_ARGUMENTS", False),
        context_settings=_VERBATIM if verbatim else _USUAL,
    )(module.command)
    command = get_command(single)
    if isinstance(command, _Verbatim):
        command.words, command.usage_pieces = getattr(module, "WORDS", ()), getattr(module, "USAGE_PIECES", ())
    return command


class LazyGroup(TyperGroup):
    """A group whose commands are files that are read when needed; the list of commands needs their docstrings only."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands: Any = Commands()

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Name and first sentence of each command."""
        rows = [(name, _summary(self.commands.module(name))) for name in self.commands]
        limit = formatter.width - 6 - max(len(name) for name, _ in rows)
        with formatter.section("Commands"):
            formatter.write_dl([(name, _shortened(text, limit)) for name, text in rows])


def _summary(module: ModuleType) -> str:
    text = module.group.info.help if hasattr(module, "group") else inspect.getdoc(module.command)
    return " ".join(str(text or "").split("\n\n")[0].split()).removesuffix(".")


def _shortened(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return f"{text[: limit - 3].rsplit(' ', 1)[0].rstrip(';,')}..."
