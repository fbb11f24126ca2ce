"""The options that say what a volume is, one for each of a table."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Any, get_type_hints

import typer

from plimsoll.parameter import Parameter, value_text


class GivenOptions(dict[str, str]):
    """The options of a volume that the user gave, as text."""

    def only(self, known: Collection[str]) -> dict[str, str]:
        """Those of one table."""
        return {name: value for name, value in self.items() if name in known}


def takes(
    options: Mapping[str, Parameter], unsaid: Collection[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give `command(given: GivenOptions, …)` an option for each of a table in place of its first parameter.

    The `unsaid` ones are taken, so that they can be refused with a reason, but not in the help text.
    """

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        own = get_type_hints(command, include_extras=True)
        rest = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=own[name])
            for name, parameter in list(inspect.signature(command).parameters.items())[1:]
        ]

        @functools.wraps(command)
        def wrapped(**given: Any) -> None:
            texts = {name: given.pop(name) for name in options}
            command(GivenOptions({name: text for name, text in texts.items() if text is not None}), **given)

        parameters = [*(_parameter(each, hidden=name in unsaid) for name, each in options.items()), *rest]
        wrapped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        wrapped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        del wrapped.__wrapped__
        return wrapped

    return decorated


def _parameter(option: Parameter, *, hidden: bool) -> inspect.Parameter:
    help = f"{option.help[0].upper()}{option.help[1:]}."
    if option.default:
        help += f"  [default: {value_text(option, option.default)}]"
    choices = option.choices
    declared = typer.Option(
        f"--{option.name.replace('_', '-')}",
        metavar="|".join(choices) or option.name.upper(),
        help=help,
        hidden=hidden,
        autocompletion=(lambda: list(choices)) if choices else None,
    )
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[str | None, declared]
    )
