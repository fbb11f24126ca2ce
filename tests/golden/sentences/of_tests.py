"""What was said in the unit tests that hold guards and load lines to data of known truth: each is a situation."""

from __future__ import annotations

import importlib
import inspect
import itertools
from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType
from typing import Any
from unittest.mock import patch

from tests.golden.sentences.speech import GUARDS, Situation, of_blocks

from plimsoll.model import Finding
from plimsoll.report.document import Sentence
from plimsoll.report.sections import load_line

GUARD_TESTS = ("tests.unit.guards.test_guards", "tests.unit.guards.test_database_guards")
LOAD_LINE_TESTS = ("tests.unit.report.test_load_line_search",)


def _of_finding(found: Finding | None) -> list[str]:
    return [] if found is None else [found.message, found.advice]


def _of_sentences(found: list[Sentence]) -> list[str]:
    return [each.text for each in found]


def _recorded(
    test: Callable[[], None], modules: list[ModuleType], name: str, lines: Callable[[Any], list[str]]
) -> list[str]:
    """What the functions `name` of these modules answered while the test ran, which asserts what it should be."""
    said: list[str] = []

    def recording(original: Callable[..., Any]) -> Callable[..., Any]:
        def record(*args: Any, **more: Any) -> Any:
            answer = original(*args, **more)
            said.extend(lines(answer))
            return answer

        return record

    patches = [patch.object(module, name, recording(getattr(module, name))) for module in modules]
    for each in patches:
        each.start()
    try:
        test()
    finally:
        for each in patches:
            each.stop()
    return said


def _tests(name: str) -> Iterator[tuple[str, Callable[[], None]]]:
    """The tests of a module that need nothing but what `parametrize` gives them."""
    for test, function in vars(importlib.import_module(name)).items():
        if test.startswith("test_") and inspect.isfunction(function):
            for number, given in enumerate(_given(function)):
                if given.keys() == inspect.signature(function).parameters.keys():
                    yield f"{test} {number}", partial(function, **given)


def _given(function: Callable[..., None]) -> Iterator[dict[str, Any]]:
    """The arguments of each case of a test."""
    marks = [mark for mark in getattr(function, "pytestmark", []) if mark.name == "parametrize"]
    for chosen in itertools.product(*(mark.args[1] for mark in marks)):
        given: dict[str, Any] = {}
        for mark, values in zip(marks, chosen, strict=True):
            names = (
                [each.strip() for each in mark.args[0].split(",")] if isinstance(mark.args[0], str) else mark.args[0]
            )
            given.update(zip(names, values if len(names) > 1 else [values], strict=True))
        yield given


def _situations() -> Iterator[Situation]:
    for module in GUARD_TESTS:
        for name, test in _tests(module):
            speak = partial(_recorded, test, list(GUARDS.values()), "check", _of_finding)
            yield Situation("guard tests", name, speak)
    for module in LOAD_LINE_TESTS:
        for name, test in _tests(module):
            yield Situation("load line tests", name, partial(_recorded, test, [load_line], "told", _of_sentences))
            drawn = partial(_recorded, test, [load_line], "build", of_blocks)
            yield Situation("load line tests", f"{name}, drawn", drawn)


SITUATIONS = list(_situations())
