"""The options that say what a volume is, one for each option of a shape."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Any, get_type_hints

import typer

from plimsoll.catalog.shape import SHAPE_OPTIONS


class ShapeOptions:
    """What the user said of the shape."""

    def __init__(self, values: Mapping[str, str | None]) -> None:
        self._values = values

    def given(self) -> dict[str, str]:
        """The options that were given, as text."""
        return {name: value for name, value in self._values.items() if value is not None}


def takes_shape(command: Callable[..., None], unsaid: Collection[str] = ()) -> Callable[..., None]:
    """Give `command(shape: ShapeOptions, …)` an option per option of a shape in place of its first parameter.

    The `unsaid` ones are taken, so that they can be refused with a reason, but not in the help text.
    """
    own = get_type_hints(command, include_extras=True)
    rest = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=own[name])
        for name, parameter in list(inspect.signature(command).parameters.items())[1:]
    ]
    shape = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[
                str | None,
                typer.Option(
                    f"--{name.replace('_', '-')}", metavar=name.upper(), help=_sentence(help), hidden=name in unsaid
                ),
            ],
        )
        for name, help in SHAPE_OPTIONS.items()
    ]

    @functools.wraps(command)
    def wrapped(**given: Any) -> None:
        command(ShapeOptions({name: given.pop(name) for name in SHAPE_OPTIONS}), **given)

    parameters = [*shape, *rest]
    wrapped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    del wrapped.__wrapped__
    return wrapped


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
