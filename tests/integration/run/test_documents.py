"""What README and the tasks say is what happens: commands are run, options exist, the example is real output."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from tests import guides
from tests.integration.run.conftest import Command

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text()
BLOCKS = guides.blocks(ROOT / "README.md")
TASKS = (ROOT / "docs/tasks.md").read_text()
INLINE = [words for words in re.findall(r"`(plimsoll [^`]+)`", README + TASKS) if "COMMAND" not in words]


@pytest.mark.parametrize("block", BLOCKS)
def test_commands_of_the_readme_work(block: str, plimsoll: Command) -> None:
    for line in block.strip().splitlines():
        program, *words = shlex.split(line)
        if program == "make":
            # The whole of `make run` takes minutes: CI runs it on its own; here it must at least be a target.
            assert subprocess.run(["make", "-n", *words], cwd=ROOT, capture_output=True, check=True).stdout
        else:
            assert program == ".venv/bin/plimsoll"
            plimsoll(*words)


@pytest.fixture(scope="module")
def helps() -> dict[tuple[str, ...], str]:
    """The help of each command that was asked for: many lines name the same few."""
    return {}


@pytest.mark.parametrize("words", INLINE)
def test_options_exist(words: str, plimsoll: Command, helps: dict[tuple[str, ...], str]) -> None:
    def help_of(*command: str) -> str:
        return helps.get(command) or helps.setdefault(command, plimsoll(*command, "--help").out)

    for part in words.split(", then "):
        _, command, *rest = shlex.split(part.strip("`"))
        text = help_of(command)
        if "COMMAND [ARGS]" in text:
            text = help_of(command, *rest[:1])
        for word in rest:
            if word.startswith("-"):
                assert re.search(rf"(^|\s|,){re.escape(word)}\b", text, re.MULTILINE), f"{command} has no {word}"


@pytest.mark.parametrize("group", ["", "baseline", "cloud", "data", "session", "store", "volume"])
def test_each_command_is_said_in_one_line(group: str, plimsoll: Command) -> None:
    shown = plimsoll(*group.split(), "--help", COLUMNS="80").out
    commands = re.findall(r"^  ([a-z]+)  +(\S.*)$", shown.partition("\nCommands:\n")[2], re.MULTILINE)
    assert len(commands) >= 2
    assert [name for name, text in commands if text.endswith("...")] == [], "its first sentence is too long"


def test_the_example_is_output_of_the_command_above_it() -> None:
    example = re.search(r"<!-- example: begin -->\n```text\n(.*?)```\n<!-- example: end -->", README, re.DOTALL)
    assert example, "`make readme` writes it"
    assert "alone" in example[1]
    assert "×" in example[1]


def test_the_picture_is_there() -> None:
    for name in re.findall(r"!\[[^]]*\]\(([^)]+)\)", README):
        assert (ROOT / name).read_bytes().startswith(b"\x89PNG")


def test_links_lead_somewhere() -> None:
    for document in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        for link in re.findall(r"\]\((?!http|#)([^)#]+)", document.read_text()):
            assert (document.parent / link).exists(), f"{document.name}: {link}"
