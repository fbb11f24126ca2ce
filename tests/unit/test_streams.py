"""Whatever measures a session tells other programs what it does, by the same two options."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from typer.testing import CliRunner

import plimsoll.cli
from plimsoll.cli.main import app
from plimsoll.errors import TargetError, UsageError

COMMANDS = Path(plimsoll.cli.__file__).parent


def measuring() -> dict[str, ast.Module]:
    """The files of commands that show how a session goes on."""
    found = {}
    for path in sorted(COMMANDS.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = [each.func for each in ast.walk(tree) if isinstance(each, ast.Call)]
        if any(isinstance(each, ast.Name) and each.id == "observer" for each in calls):
            found[path.stem] = tree
    return found


def test_every_command_that_measures_has_both_options() -> None:
    found = measuring()
    assert set(found) >= {"advise", "extend", "knee", "replay", "run", "selftest", "verify"}
    for name, tree in found.items():
        (command,) = (each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == "command")
        options = {argument.arg for argument in command.args.args}
        assert {"log_json", "otlp"} <= options, name


def refused(*words: str) -> str:
    done = CliRunner().invoke(app, ["advise", *words])
    assert isinstance(done.exception, UsageError | TargetError)
    return str(done.exception)


@pytest.mark.parametrize(("option", "value"), [("--log-json", "events.jsonl"), ("--otlp", "http://127.0.0.1:1")])
def test_an_advice_without_a_proof_has_no_events(tmp_path: Path, option: str, value: str) -> None:
    told = refused(str(tmp_path / "load.json"), option, value)
    assert told.startswith(f"{option} tells what is measured, and only --prove measures; add --prove")


def test_a_log_that_cannot_be_is_refused_before_the_load_is_read(tmp_path: Path) -> None:
    load = str(tmp_path / "load.json")
    assert "load.json" not in refused(load, "--prove", "--log-json", str(tmp_path))
    assert "load.json" in refused(load, "--prove", "--log-json", str(tmp_path / "events.jsonl"))
