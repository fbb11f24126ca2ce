"""What no line of a page may break, and what is folded so that the first screen holds what is read first."""

from __future__ import annotations

import pytest

from plimsoll.model import Level
from plimsoll.report.document import Section, Warning
from plimsoll.report.renderers._whole import whole
from plimsoll.report.renderers.html import FEW_WARNINGS, More, laid_out


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("at most 5 % of it", ["5 %"]),
        ("21 min 48 s, then 38 s", ["21 min 48 s", "38 s"]),
        ("2.38 GiB/s or 3,000 IOPS", ["2.38 GiB/s", "3,000 IOPS"]),
        ("gp2-50GiB, gp2-1000GiB, a-b.", ["gp2-50GiB", "gp2-1000GiB", "a-b"]),
        ("prices of 2024-07 (eu-west-1)", ["2024-07", "eu-west-1"]),
        ("3 sessions, 5 men, a - b", []),
        ("a-name-of-more-letters-than-a-telephone-is-wide", []),
    ],
)
def test_numbers_stay_with_their_units_and_names_in_one_line(words: str, kept: list[str]) -> None:
    made = str(whole(words))
    assert [part.partition("</span>")[0] for part in made.split('<span class="u">')[1:]] == kept
    assert made.replace('<span class="u">', "").replace("</span>", "") == words


def test_markup_stays_harmless() -> None:
    assert str(whole("<b-c> 5 % &")) == '<span class="u">&lt;b-c&gt;</span> <span class="u">5 %</span> &amp;'


@pytest.mark.parametrize(("count", "folded"), [(1, 0), (FEW_WARNINGS + 1, 0), (FEW_WARNINGS + 2, 2)])
def test_cautions_beyond_the_first_few_are_folded(count: int, folded: int) -> None:
    warnings = tuple(Warning(Level.WARN, f"warning {i}") for i in range(count))
    [(_, blocks)] = laid_out([Section("warnings", "Cautions", warnings)])
    assert blocks[: count - folded] == list(warnings[: count - folded])
    assert [each for each in blocks if isinstance(each, More)] == ([More(warnings[-folded:])] if folded else [])
