"""What may befall a command: one file each, with `NAME`, `MEANING`, `SCENARIOS`, `TOUCHES` and `fault(turn)`.

`fault` is a context manager around the command. It prepares before and mends after, and yields what is to happen at
some moment of the command's life, or None.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from types import ModuleType


def faults() -> dict[str, ModuleType]:
    """All by name."""
    modules = (import_module(f"{__name__}.{each.name}") for each in pkgutil.iter_modules(__path__))
    return {module.NAME: module for module in modules if hasattr(module, "NAME")}
