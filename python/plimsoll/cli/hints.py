"""What the command-line parser refuses, with what was meant: its own hints go by the look of a word alone."""

from __future__ import annotations

import re
from typing import Any

from plimsoll.meanings import nearest

_COMMAND = re.compile(r"No such command '([^']{1,80})'")


def improve(error: Any) -> None:
    """Put what may have been meant into an error of the parser, in place of what it found."""
    context = getattr(error, "ctx", None)
    if context is None:
        return
    option = getattr(error, "option_name", None)
    if option is not None and hasattr(error, "possibilities"):
        options = [each for parameter in context.command.params for each in parameter.opts if each.startswith("--")]
        meant = nearest(option.lstrip("-"), [each.removeprefix("--") for each in options])
        error.possibilities = [f"--{each}" for each in meant]
        if not meant and "--set" in options and (parameter := _parameter(option)):
            error.message = f"No such option: {option}; to set a parameter of a test, write --set {parameter}=…"
    elif match := _COMMAND.match(getattr(error, "message", "")):
        meant = nearest(match[1], context.command.list_commands(context))
        hint = f" Did you mean {' or '.join(map(repr, meant))}?" if meant else ""
        error.message = f"No such command {match[1]!r}.{hint}"


def _parameter(option: str) -> str:
    """A parameter of some test that an option may stand for."""
    from plimsoll.parameters import WORKLOADS

    name = option.lstrip("-").partition("=")[0]
    # Of block I/O first, whose names people know from fio.
    for parameters in (WORKLOADS["io"], [each for table in WORKLOADS.values() for each in table]):
        if meant := nearest(name, {each.name for each in parameters}):
            return meant[0]
    return ""
