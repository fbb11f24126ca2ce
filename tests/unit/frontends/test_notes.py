"""Notes of front ends are said only where they are asked for."""

from __future__ import annotations

import os
from importlib import import_module

import pytest
import typer

from plimsoll import plugins
from plimsoll.cli import verbatim
from plimsoll.frontends import notes


def test_silence_is_the_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    for value, wanted in (("", []), ("0", []), ("1", ["x"])):
        monkeypatch.setenv(notes.VARIABLE, value)
        said.clear()
        notes.note(said.append, "x")
        assert said == wanted


@pytest.mark.parametrize("front_end", ["fio", "ping", "bonnie", "ycsb", "zcav", "writetest"])
def test_verbose_is_taken_before_any_front_end_sees_it(front_end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(notes.VARIABLE, "")
    seen: list[tuple[list[str], bool]] = []

    def run(words: list[str], *_: object) -> int:
        seen.append((words, notes.wanted()))
        return 0

    monkeypatch.setattr(import_module(f"plimsoll.frontends.{front_end}.app"), "run", run)
    context = typer.Context(typer.main.get_command(typer.Typer(callback=lambda: None)))
    for given in (["-x", notes.OPTION, "y"], ["-x", "y"]):
        context.args = given
        verbatim.hand_over(plugins.own("frontends", front_end), context)
        os.environ[notes.VARIABLE] = ""
    assert seen == [(["-x", "y"], True), (["-x", "y"], False)]
