"""`make test` and `make test-campaigns` together are all tests: each is run by one of them, once, and CI runs both."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest
from tests.conftest import NAMED, SHARED

ROOT = Path(__file__).parents[2]
ASKED_FOR = re.compile(r"^\t.*/pytest .*-m '([^']+)'$", re.MULTILINE)


def test_each_test_is_run_once() -> None:
    rules = re.split(r"^(?=\S+:)", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    asked = [
        words for rule in rules if rule.startswith(("test:", "test-campaigns:")) for words in ASKED_FOR.findall(rule)
    ]
    assert len(asked) == 4
    for alone, campaign in product((True, False), repeat=2):
        names = {"alone": alone, "campaign": campaign}
        assert [eval(words, names) for words in asked].count(True) == 1, names


def test_ci_runs_all() -> None:
    lines = [line.partition("#")[0].strip() for line in (ROOT / ".ci/run").read_text().splitlines()]
    assert {"make check", "make test", "make test-campaigns", "make fuzz"} <= set(lines)


@pytest.mark.parametrize("place", [place for places in (SHARED, *NAMED.values()) for place in places])
def test_what_is_listed_is_there(place: str) -> None:
    path, _, name = place.partition("::")
    assert (ROOT / path).exists()
    assert not name or f"def {name}(" in (ROOT / path).read_text()
