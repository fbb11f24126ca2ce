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

from plimsoll import plugins
from plimsoll.cli import commands as package
from plimsoll.cli.verbatim import hand_over

_VERBATIM = {
    "ignore_unknown_options": True,
    "allow_extra_args": True,
    "allow_interspersed_args": False,
    "help_option_names": ["--help"],
}
"""For commands that take another tool's words as they are."""
_USUAL = {"help_option_names": ["-h", "--help"]}


class Commands(MutableMapping[str, Any]):
    """The commands by name, each built when it is asked for.

    One file in `cli/commands` is one command, and so is one front end. Those of other packages come last: who asks for
    one of ours need not look for them.
    """

    def __init__(self) -> None:
        names = (info.name for info in pkgutil.iter_modules(package.__path__) if not info.name.startswith("_"))
        self._modules = {name.rstrip("_"): name for name in sorted(names)}
        self._own = sorted([*self._modules, *plugins.own_names("frontends")])
        self._built: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            if name in self._modules:
                self._built[name] = _build(name, import_module(f"{package.__name__}.{self._modules[name]}"))
            elif front_end := self.front_end(name):
                self._built[name] = _build_front_end(name, front_end)
        return self._built[name]

    def front_end(self, name: str) -> plugins.Plugin | None:
        """The front end of a name, or of one that its original has."""
        if name in plugins.own_names("frontends"):
            return plugins.own("frontends", name)
        known = plugins.found("frontends")
        return next((each for each in known if name in (each.name, *getattr(each.module, "ALIASES", ()))), None)

    def summary(self, name: str) -> str:
        """The first sentence of its help. Names of the originals, which people type, are not listed."""
        if name not in self._modules:
            return str(self[name].help).removesuffix(".")
        return _summary(import_module(f"{package.__name__}.{self._modules[name]}"))

    def __setitem__(self, name: str, command: Any) -> None:
        self._own.append(name)
        self._built[name] = command

    def __delitem__(self, name: str) -> None:
        self._own.remove(name)

    def __iter__(self) -> Iterator[str]:
        return iter([*self._own, *(each.name for each in plugins.of_others("frontends"))])

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, name: object) -> bool:
        return name in self._own or self.front_end(str(name)) is not None


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
    single = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    single.command(
        name,
        epilog=getattr(module, "EXAMPLES", None),
        no_args_is_help=getattr(module, "NEEDS_ARGUMENTS", False),
        context_settings=_USUAL,
    )(module.command)
    return get_command(single)


def _build_front_end(name: str, front_end: plugins.Plugin) -> Any:
    module = front_end.module

    def command(context: typer.Context) -> None:
        hand_over(front_end, context)

    single = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    examples = getattr(module, "EXAMPLES", None)
    single.command(name, cls=_Verbatim, help=module.TITLE, epilog=examples, context_settings=_VERBATIM)(command)
    built: Any = get_command(single)
    built.words, built.usage_pieces = getattr(module, "WORDS", ()), getattr(module, "USAGE_PIECES", ())
    return built


class LazyGroup(TyperGroup):
    """A group whose commands are files that are read when needed; the list of commands needs their docstrings only."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands: Any = Commands()

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Name and first sentence of each command."""
        rows = [(name, self.commands.summary(name)) for name in self.commands]
        limit = formatter.width - 6 - max(len(name) for name, _ in rows)
        with formatter.section("Commands"):
            formatter.write_dl([(name, _shortened(text, limit)) for name, text in rows])


def _summary(module: ModuleType) -> str:
    text = module.group.info.help if hasattr(module, "group") else inspect.getdoc(module.command)
    return " ".join(str(text or "").split("\n\n")[0].split()).removesuffix(".")


def _shortened(text: str, limit: int) -> str:
    """The first sentence; as much of it as fits where it is too long."""
    first = text.split(". ")[0]
    return first if len(first) <= limit else f"{first[: limit - 3].rsplit(' ', 1)[0].rstrip(';,')}..."
