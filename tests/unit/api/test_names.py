"""The names of the library: a promise that docs/python.md makes, and an import that takes no time."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import plimsoll

PROMISED = [
    "Advice", "Cancelled", "CloudError", "Comparison", "Histogram", "ImportedFile", "LoadLine", "NothingMeasured",
    "PlimsollError", "Progress", "ResultFileError", "Session", "Simulation", "StoreError", "TargetError",
    "UnknownName", "UnsafeTarget", "UsageError", "Verdict", "Verification", "__version__",
    "advise", "compare", "import_files", "knee", "load",
    "resume", "run", "simulate", "verify",
]  # fmt: skip
"""Never shorter: what is here is used by programs of others."""


BY_NAME = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)


def test_the_promised_names_are_there() -> None:
    assert plimsoll.__all__ == PROMISED
    assert set(PROMISED) <= set(dir(plimsoll))
    for name in PROMISED:
        assert getattr(plimsoll, name) is not None


def test_the_first_parameters_keep_their_order() -> None:
    first = {
        plimsoll.run: ["tests", "targets"],
        plimsoll.knee: ["test", "targets"],
        plimsoll.load: ["name"],
        plimsoll.resume: ["session"],
        plimsoll.simulate: ["volume", "load"],
        plimsoll.verify: ["target", "paid"],
        plimsoll.import_files: ["files"],
        plimsoll.compare: ["sessions"],
        plimsoll.advise: ["files"],
    }
    for function, names in first.items():
        parameters = inspect.signature(function).parameters.values()
        assert [each.name for each in parameters if each.kind not in BY_NAME] == names
        assert all(each.annotation is not inspect.Parameter.empty for each in parameters)
        assert inspect.getdoc(function)


def test_importing_it_loads_nothing_heavy() -> None:
    code = "import sys, plimsoll; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "pydantic", "sqlalchemy", "rich", "typer", "pandas", "altair", "httpx"} & set(loaded)


@pytest.mark.parametrize(
    "code",
    [
        "import plimsoll; assert callable(plimsoll.run); import plimsoll.run.study as s; s.Study",
        "import plimsoll.run.study as s; s.Study; import plimsoll; assert callable(plimsoll.run)",
        "from plimsoll.run.study import Study; from plimsoll import run; assert callable(run)",
        "from plimsoll import *; assert callable(run) and callable(load) and Session",
    ],
)
def test_run_is_a_function_and_a_package(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_wrong_name_has_the_nearest() -> None:
    with pytest.raises(AttributeError, match="did you mean compare"):
        plimsoll.compar  # noqa: B018
    with pytest.raises(AttributeError) as raised:
        plimsoll.zebra  # noqa: B018
    assert "did you mean" not in str(raised.value)
    assert not hasattr(plimsoll, "_nothing")
