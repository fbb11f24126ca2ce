"""Plimsoll: storage and database tests with answers that hold.

    import plimsoll

    session = plimsoll.run("randread", {"nvme": "/mnt/a", "gp3": "/mnt/b"}, mode="standard")
    for verdict in session.verdicts:
        print(verdict)

docs/python.md explains it, and says what stays as it is. Nothing is loaded until it is used.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plimsoll.api.advising import Advice, advise
    from plimsoll.api.comparison import Comparison, compare
    from plimsoll.api.histograms import Histogram
    from plimsoll.api.importing import ImportedFile, import_files
    from plimsoll.api.load_lines import LoadLine
    from plimsoll.api.loading import load
    from plimsoll.api.measuring import knee, resume, run
    from plimsoll.api.sessions import Session
    from plimsoll.api.simulating import Simulation, simulate
    from plimsoll.api.verdicts import Verdict
    from plimsoll.api.verifying import Verification, verify
    from plimsoll.api.watching import Progress
    from plimsoll.errors import (
        Cancelled,
        CloudError,
        NothingMeasured,
        PlimsollError,
        ResultFileError,
        StoreError,
        TargetError,
        UnknownName,
        UnsafeTarget,
        UsageError,
    )

    __version__: str

__all__ = [
    "Advice",
    "Cancelled",
    "CloudError",
    "Comparison",
    "Histogram",
    "ImportedFile",
    "LoadLine",
    "NothingMeasured",
    "PlimsollError",
    "Progress",
    "ResultFileError",
    "Session",
    "Simulation",
    "StoreError",
    "TargetError",
    "UnknownName",
    "UnsafeTarget",
    "UsageError",
    "Verdict",
    "Verification",
    "__version__",
    "advise",
    "compare",
    "import_files",
    "knee",
    "load",
    "resume",
    "run",
    "simulate",
    "verify",
]

_PLACES = {
    **dict.fromkeys(("resume", "knee"), "api.measuring"),
    **dict.fromkeys(("advise", "Advice"), "api.advising"),
    **dict.fromkeys(("compare", "Comparison"), "api.comparison"),
    **dict.fromkeys(("import_files", "ImportedFile"), "api.importing"),
    **dict.fromkeys(("simulate", "Simulation"), "api.simulating"),
    **dict.fromkeys(("verify", "Verification"), "api.verifying"),
    "load": "api.loading",
    "Session": "api.sessions",
    "Histogram": "api.histograms",
    "LoadLine": "api.load_lines",
    "Verdict": "api.verdicts",
    "Progress": "api.watching",
    **dict.fromkeys(
        (
            "Cancelled", "CloudError", "NothingMeasured", "PlimsollError", "ResultFileError", "StoreError",
            "TargetError", "UnknownName", "UnsafeTarget", "UsageError",
        ),
        "errors",
    ),
}  # fmt: skip
"""Where each name is defined; `run` is the package that can be called, below."""


def __getattr__(name: str) -> Any:
    """A name of the library, loaded when it is used: `import plimsoll` takes no time."""
    if name == "__version__":
        # Reading package metadata takes longer than starting up.
        from importlib.metadata import version

        return version("plimsoll")
    if name in _PLACES:
        return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
    if not name.startswith("_"):
        try:
            return import_module(f"{__name__}.{name}")
        except ModuleNotFoundError:
            pass
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{_meant(name)}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _meant(name: str) -> str:
    from plimsoll.meanings import nearest

    near = nearest(name, __all__)
    return f"; did you mean {' or '.join(near)}?" if near else ""


class _Library(ModuleType):
    """This module. `plimsoll.run` is a function and a package: whoever asks for the attribute gets the package, which
    can be called, so that `import plimsoll.run.study` and `plimsoll.run(…)` both mean what they say.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "run" and isinstance(value, ModuleType):
            value.__class__ = _CallablePackage
        super().__setattr__(name, value)


class _CallablePackage(ModuleType):
    """The package `plimsoll.run`, called as the function of the library."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.__wrapped__(*args, **options)

    @property
    def __wrapped__(self) -> Any:
        """For `help` and `inspect.signature`."""
        return import_module(f"{__name__}.api.measuring").run


sys.modules[__name__].__class__ = _Library
