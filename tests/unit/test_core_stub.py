"""The stub of the compiled module names exactly what the module has, and documents it."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import plimsoll
from plimsoll import _core

STUB = ast.parse((Path(plimsoll.__file__).parent / "_core.pyi").read_text(encoding="utf-8"))


def stub_names(body: list[ast.stmt]) -> set[str]:
    names = {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)} - {"__init__"}
    names |= {node.target.id for node in body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)}
    return names


def public_names(thing: object) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


def parameters(node: ast.FunctionDef) -> list[str]:
    return [argument.arg for argument in node.args.args]


def test_stub_and_module_have_the_same_names() -> None:
    assert stub_names(STUB.body) == public_names(_core)


def test_stub_and_classes_have_the_same_methods() -> None:
    for node in STUB.body:
        if isinstance(node, ast.ClassDef):
            assert stub_names(node.body) == public_names(getattr(_core, node.name)), node.name


def test_stub_and_module_have_the_same_parameters() -> None:
    for node in STUB.body:
        if isinstance(node, ast.FunctionDef):
            assert parameters(node) == list(inspect.signature(getattr(_core, node.name)).parameters), node.name
        elif isinstance(node, ast.ClassDef):
            made = getattr(_core, node.name)
            for method in node.body:
                if isinstance(method, ast.FunctionDef):
                    real = made if method.name == "__init__" else getattr(made, method.name)
                    expected = list(inspect.signature(real).parameters)
                    # A class says of itself what it is made of, without the object that is not there yet.
                    assert parameters(method)[method.name == "__init__" :] == expected, (node.name, method.name)


def test_everything_in_the_stub_has_a_docstring() -> None:
    for node in ast.walk(STUB):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
            assert ast.get_docstring(node), getattr(node, "name", "module")
