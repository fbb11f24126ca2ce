"""Finds the kinds of a package by looking at its files: one kind, one file, no list to edit."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType


def modules(package: str) -> list[ModuleType]:
    """All modules of `package` by name, imported. Names that start with `_` are helpers, not kinds."""
    parent = importlib.import_module(package)
    names = sorted(info.name for info in pkgutil.iter_modules(parent.__path__) if not info.name.startswith("_"))
    return [importlib.import_module(f"{package}.{name}") for name in names]
