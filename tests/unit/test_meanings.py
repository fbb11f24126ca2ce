"""Hints come from what a word means, or from a slip; what only looks alike is no hint."""

from __future__ import annotations

import pytest

from plimsoll.cli.hints import improve
from plimsoll.drivers import servers
from plimsoll.importers.reading import formats
from plimsoll.meanings import nearest
from plimsoll.parameters import WORKLOADS, read_values

IO = [parameter.name for parameter in WORKLOADS["io"]]


@pytest.mark.parametrize(
    ("word", "names", "meant"),
    [
        ("mysql", servers(), ["mariadb"]),
        ("postgres", servers(), ["postgresql"]),
        ("iodepth", IO, ["depth"]),
        ("bs", IO, ["block_size"]),
        ("numjobs", IO, ["threads"]),
        ("duration", IO, ["runtime"]),
        ("rw", IO, ["mode"]),
        ("ioengine", IO, ["engine"]),
        ("Block-Size", IO, ["block_size"]),
        ("benchmark", ["report", "run", "export"], ["run"]),
        ("fio", formats(), ["fio_json", "fio_logs", "fio_terse", "fio_text"]),
        ("randred", ["randread", "randwrite"], ["randread"]),
        ("jbdc", ["jdbc", "basic"], ["jdbc"]),
        ("gp5", ["gp2", "gp3", "io2"], ["gp2", "gp3"]),
    ],
)
def test_what_is_meant_is_found(word: str, names: list[str], meant: list[str]) -> None:
    assert nearest(word, names) == meant


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("mysql", ["sqlite", "nginx"]),
        ("rate", ["size", "cache"]),
        ("xyzzy", IO),
        ("rbd", ["rados", "read"]),
        ("", IO),
        ("of", ["on", "if"]),
    ],
)
def test_what_only_looks_alike_is_none(word: str, names: list[str]) -> None:
    assert nearest(word, names) == []


@pytest.mark.parametrize(("said", "server"), [("mysql", "mariadb"), ("postgres", "postgresql"), ("MariaDB", "mariadb")])
def test_a_server_goes_by_its_other_names(said: str, server: str) -> None:
    assert read_values("tpcb", {"server": said}, "here")["server"] == server


class Parameter:
    def __init__(self, *opts: str) -> None:
        self.opts = opts


class Context:
    class command:  # noqa: N801
        params = (Parameter("--mode"), Parameter("--set"), Parameter("--format"))

        @staticmethod
        def list_commands(_: object) -> list[str]:
            return ["import", "list", "run"]


class Refusal:
    """As the parser's errors are."""

    def __init__(self, message: str, option: str | None = None) -> None:
        self.ctx, self.message = Context(), message
        if option is not None:
            self.option_name, self.possibilities = option, ["--mode"]


def test_the_parser_s_own_hints_are_replaced() -> None:
    for option, meant in (("--type", ["--format"]), ("--iodepth", []), ("--xyzzy", []), ("--mod", ["--mode"])):
        refusal = Refusal("No such option", option)
        improve(refusal)
        assert refusal.possibilities == meant
        assert ("--set depth=" in refusal.message) == (option == "--iodepth")
    refusal = Refusal("No such command 'bench'.")
    improve(refusal)
    assert refusal.message == "No such command 'bench'. Did you mean 'run'?"
    refusal = Refusal("No such command 'xyzzy'. Did you mean 'list'?")
    improve(refusal)
    assert refusal.message == "No such command 'xyzzy'."
