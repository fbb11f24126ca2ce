"""Tables on terminals in which their words have no room beside each other."""

from __future__ import annotations

import pytest

from plimsoll.report.document import Column, Document, Section, Table, Tone, phrase
from plimsoll.report.renderers.terminal import render

WORDS = (
    ("random reads", "3,000/s", "495/s of 256 KiB (124 MiB/s)", "volume throughput", "delivers"),
    ("sequential reads", "125 MiB/s (500/s)", "2,970/s", "volume IOPS", "falls short"),
)
TITLES = ("Load", "Paid for", "Got", "Limited by", "Answer")


def shown(width: int) -> str:
    columns = tuple(Column(title.lower(), title, "right" if title in TITLES[1:3] else "left") for title in TITLES)
    rows = tuple((*map(phrase, words[:4]), phrase(words[4], Tone.SAME)) for words in WORDS)
    table = Table("Paid for and got", columns, rows)
    return render(Document("verify", "gp3", (Section("s", "Verdict", (table,), short=True),), lambda: table), width)


@pytest.mark.parametrize("width", [24, 30, 40, 50])
def test_no_cell_is_lost_and_no_word_broken(width: int) -> None:
    told = " ".join(shown(width).split())
    for row in WORDS:
        assert f"{row[0]} Paid for: {row[1]} Got: {row[2]} Limited by: {row[3]} Answer: {row[4]}" in told


def test_where_there_is_room_it_stays_a_table() -> None:
    assert "Paid for:" not in shown(66)
    assert "Load" in shown(66)
