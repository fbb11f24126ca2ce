"""What a published folder promises: the same answers again, and what differs if not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.report.studies import pair

from plimsoll.errors import ResultFileError
from plimsoll.report import publication


def test_equal_evidence_gives_equal_answers() -> None:
    one, other = publication.answers(pair()), publication.answers(pair())
    assert publication.answers_text(one) == publication.answers_text(other)
    assert publication.differences(json.loads(publication.answers_text(one)), other) == []


def test_every_change_is_told() -> None:
    now = publication.answers(pair())
    before = json.loads(publication.answers_text(now))
    before["scores"][0]["value"] *= 1 + 1e-15
    before["verdicts"][1]["answer"] = "magic"
    del before["verdicts"][2]
    before["band"] = 0.2
    told = publication.differences(before, now)
    assert len(told) == 4
    assert "value was" in told[0]
    assert "answer was 'magic'" in told[1]
    assert "is only in the recomputation" in told[2]
    assert told[3] == "band was 0.2, is 0.1"


@pytest.mark.parametrize("hostile", [{}, {"scores": 1, "verdicts": {"a": [1]}}, {"scores": [None, 3, {"case": [1]}]}])
def test_strange_answers_differ_and_do_no_harm(hostile: dict[str, object]) -> None:
    assert publication.differences(hostile, publication.answers(pair()))


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "nonsense", "[" * 100_000, '{"format": "plimsoll-answers", "version": 9}']
)
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "answers.json").write_text(text)
    with pytest.raises(ResultFileError):
        publication.read_answers(tmp_path / "answers.json")


def test_the_page_links_what_lies_beside_it() -> None:
    page = publication.page(pair())
    assert page.count('href="results.plimsoll.gz"') == 1
    assert page.rstrip().endswith("</html>")


def test_the_readme_has_the_command() -> None:
    text = publication.readme(pair(), {"index.html": "0" * 64}, ["study.toml"])
    assert "plimsoll recompute results.plimsoll.gz" in text
    assert "plimsoll run study.toml" in text
    assert "| `index.html` | `" in text
