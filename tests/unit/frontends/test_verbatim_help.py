"""The help of commands that take another tool's words names every word they take."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from plimsoll.frontends.bonnie import command as bonnie
from plimsoll.frontends.bonnie import options as bonnie_options
from plimsoll.frontends.fio import command as fio
from plimsoll.frontends.fio import command_line
from plimsoll.frontends.ping import command as ping
from plimsoll.frontends.ping import options as ping_options

LETTERS = {
    "bonnie": (bonnie.WORDS, [*bonnie_options.WITH_VALUE, *bonnie_options.SWITCHES]),
    "ping": (ping.WORDS, [*ping_options.SWITCHES, *ping_options.VALUES]),
}
NAMES = {
    "fio": (fio.WORDS, [*command_line.WITH_VALUE, *command_line.WITHOUT_VALUE]),
    "ping": (ping.WORDS, [*ping_options.LONG, *ping_options.OWN]),
}


def told(words: Sequence[tuple[str, str]]) -> set[str]:
    """Letters and names of options in the first column."""
    return {found for text, _ in words for found in re.findall(r"(?<![\w-])--?([\w-]+)", text)}


@pytest.mark.parametrize("command", sorted(LETTERS))
def test_every_letter_is_told(command: str) -> None:
    words, letters = LETTERS[command]
    assert set(letters) == {each for each in told(words) if len(each) == 1}


@pytest.mark.parametrize("command", sorted(NAMES))
def test_every_name_is_told(command: str) -> None:
    words, names = NAMES[command]
    assert set(names) <= told(words)
