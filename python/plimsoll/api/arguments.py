"""What callers of the library pass is what the signature says, or an error of `plimsoll.errors` says what to pass."""

from __future__ import annotations

import inspect
import math
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, wraps
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, Union, Unpack, get_args, get_origin, get_type_hints

from plimsoll.errors import UnknownName, UsageError

P = ParamSpec("P")
R = TypeVar("R")
_SHOWN = 60
_WORDS: Mapping[Any, str] = {
    str: "text", int: "a whole number", float: "a number", bool: "True or False", Path: "a path", PathLike: "a path",
    Mapping: "a table by name", Callable: "a function",
}  # fmt: skip


def checked(*readers: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A call of the library whose arguments are looked at before anything else is done.

    `readers` names parameters that have a reader of their own, which says more than their types do.
    """

    def decorate(call: Callable[P, R]) -> Callable[P, R]:
        @wraps(call)
        def made(*args: P.args, **kwargs: P.kwargs) -> R:
            _check(call, readers, args, kwargs)
            return call(*args, **kwargs)

        return made

    return decorate


def _check(call: Callable[..., Any], readers: Sequence[str], args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Raise UsageError for an argument that is none of its types, UnknownName for one that there is not."""
    signature, name, hints = inspect.signature(call), f"plimsoll.{call.__qualname__}", _hints(call)
    if unknown := [each for each in kwargs if each not in hints]:
        raise UnknownName("argument", unknown[0], hints, name)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise UsageError(f"{name}: {error}; `help({name})` says what it takes") from None
    for argument, value in bound.arguments.items():
        each = signature.parameters[argument]
        # What a call takes by any name is declared in one record.
        given = value.items() if each.kind is each.VAR_KEYWORD else [(argument, value)]
        if each.kind is each.VAR_POSITIONAL:
            given = [(argument, one) for one in value]
        for what, one in given:
            _check_one(f"{name}: {what}", one, object if what in readers else hints.get(what, object))


def _check_one(what: str, value: object, hint: Any) -> None:
    if has_null(value):
        raise UsageError(f"{what} = {shown(value)}: a NUL is in it, which no name and no path can have")
    if not _fits(value, hint):
        raise UsageError(f"{what} = {shown(value)}: give {' or '.join(dict.fromkeys(_words(hint)))}")
    # Names of files may be any bytes, which Python keeps as halves of characters.
    if hint is not object and Path not in get_args(hint) and any(map(_is_broken, _texts(value))):
        raise UsageError(f"{what} = {shown(value)}: it has half of a character in it; give text that UTF-8 can hold")


@cache
def _hints(call: Callable[..., Any]) -> dict[str, Any]:
    """The types of what it takes; what a call gives back may be of a library that is not loaded."""
    given = {name: hint for name, hint in call.__annotations__.items() if name != "return"}
    found = get_type_hints(types.SimpleNamespace(__annotations__=given), call.__globals__)
    for name, hint in list(found.items()):
        if get_origin(hint) is Unpack:
            found |= get_type_hints(get_args(found.pop(name))[0])
    return found


def shown(value: object) -> str:
    """A value as Python writes it, in few characters."""
    try:
        text = repr(value)
    except Exception:
        text = object.__repr__(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def has_null(value: object) -> bool:
    """Whether text with a NUL is in it, also inside a list or a table."""
    return any("\0" in text for text in _texts(value))


def _is_broken(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _texts(value: object) -> Iterator[str]:
    """Text and paths, also inside lists and tables."""
    if isinstance(value, str | Path):
        yield str(value)
    elif isinstance(value, Mapping):
        for key, inside in value.items():
            yield from _texts(key)
            yield from _texts(inside)
    elif isinstance(value, list | tuple):
        for inside in value:
            yield from _texts(inside)


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a type, as far as a caller can see it: a whole number is a number, True is none."""
    origin, inner = get_origin(hint) or hint, get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_fits(value, each) for each in inner)
    if origin in (Any, object):
        return True
    if origin in (None, types.NoneType):
        return value is None
    if origin in _SIMPLE:
        return _SIMPLE[origin](value)
    return _holds(value, origin, inner)


def _holds(value: Any, origin: Any, inner: Sequence[Any]) -> bool:
    """The same of what holds others, and of classes."""
    if origin is tuple:
        return isinstance(value, tuple | list) and len(value) == len(inner) and all(map(_fits, value, inner))
    if origin is Mapping:
        return isinstance(value, Mapping) and all(_fits(key, inner[0]) for key in value)
    if origin is Sequence:
        # Text is a sequence of letters, which nobody means.
        return isinstance(value, Sequence) and not isinstance(value, str | bytes) and all(
            _fits(each, inner[0]) for each in value
        )  # fmt: skip
    if getattr(origin, "_is_protocol", False):
        return all(callable(getattr(value, name, None)) for name in vars(origin) if not name.startswith("_"))
    return isinstance(value, origin)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


_SIMPLE: Mapping[Any, Callable[[Any], bool]] = {
    int: lambda value: isinstance(value, Integral) and not isinstance(value, bool),
    float: _is_number,
    Path: lambda value: isinstance(value, PathLike),
    PathLike: lambda value: isinstance(value, PathLike),
    Callable: callable,
}


def _words(hint: Any) -> list[str]:
    """What may be given, in words."""
    origin, inner = get_origin(hint) or hint, get_args(hint)
    if origin in (Union, types.UnionType):
        return [word for each in inner for word in _words(each)]
    if origin in (None, types.NoneType):
        return []
    if origin is tuple:
        return ["a pair such as (1, 64)"]
    if origin is Sequence:
        return [f"a list of these: {', '.join(dict.fromkeys(_words(inner[0])))}"]
    if getattr(origin, "_is_protocol", False):
        return [f"an object with {', '.join(f'{name}()' for name in vars(origin) if not name.startswith('_'))}"]
    return [_WORDS.get(origin, f"a {origin.__name__}")]
