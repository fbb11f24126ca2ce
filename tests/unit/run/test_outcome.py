"""What the core answers is read whole, or not at all."""

from __future__ import annotations

import json

import pytest

from plimsoll.errors import PlimsollError
from plimsoll.run.outcome import Made, Progress, answer

TOLD = {"phase": "measure", "elapsed_ns": 5, "done": 0.5, "interval": None}


def test_what_was_told_is_told_on() -> None:
    assert answer(Progress, json.dumps(TOLD)) == TOLD
    assert answer(list[Made], "[]") == []


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"done": "0.5"}, "done"),
        ({"elapsed_ns": 1.5}, "elapsed_ns"),
        ({"news": 1}, "news"),
        ({"interval": {}}, "start_ns"),
    ],
)
def test_a_field_that_is_wrong_unknown_or_missing_is_named(changes: dict[str, object], field: str) -> None:
    with pytest.raises(PlimsollError, match=rf"answer is no Progress: [\w.]*{field}: .*an internal error$"):
        answer(Progress, json.dumps(TOLD | changes))


def test_no_answer_is_not_read() -> None:
    with pytest.raises(PlimsollError, match="all of it: Invalid JSON"):
        answer(Progress, "")
