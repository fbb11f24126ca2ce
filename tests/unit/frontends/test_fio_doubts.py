"""What the guards say of a run stands in the result, in the formats that have room for it."""

from __future__ import annotations

import json

from plimsoll.frontends.fio.app import _results
from plimsoll.frontends.fio.command_line import parse


def lines(form: str, *doubts: str) -> list[str]:
    asked = parse(["--name=t", "--size=1m", f"--output-format={form}"])
    return _results([], asked, 0, 0, doubts)


def test_a_doubt_is_a_line_of_the_text_and_a_key_of_the_document() -> None:
    assert lines("normal", "a", "b")[-2:] == ["plimsoll: invalid: a", "plimsoll: invalid: b"]
    assert json.loads(lines("json", "a")[0])["plimsoll"] == {"invalid": ["a"]}
    assert "plimsoll" not in json.loads(lines("json")[0])
    assert not [line for line in lines("normal") if line.startswith("plimsoll")]
    # There is no room in a line of fields.
    assert lines("terse", "a") == []
