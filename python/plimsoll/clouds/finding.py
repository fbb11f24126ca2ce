"""The providers that can rent: each is a folder of `providers/`, found by the program."""

from __future__ import annotations

import importlib
from typing import cast

from plimsoll import extras, plugins
from plimsoll.clouds.provider import Cloud
from plimsoll.errors import UnknownName

_PACKAGE = "plimsoll.clouds.providers"


def names() -> list[str]:
    """Their names, which are the schemes of their targets; none of them is imported."""
    return plugins.names(_PACKAGE)


def cloud(name: str) -> Cloud:
    """A provider by its name. Raises UnknownName, or UsageError where its extra is not installed."""
    if name not in names():
        raise UnknownName("provider", name, names())
    try:
        return cast(Cloud, importlib.import_module(f"{_PACKAGE}.{name}").CLOUD)
    except ImportError as error:
        raise extras.explained(error) from error
