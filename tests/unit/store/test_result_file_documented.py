"""docs/result-file.md names everything that a result file holds."""

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from plimsoll.model import (
    Artefact,
    Finding,
    Interval,
    IntervalOperations,
    Level,
    Plan,
    Run,
    RunStatus,
    Score,
    Session,
    SessionState,
    Target,
)
from plimsoll.store import codec, result_file
from plimsoll.store.result_file import DEFAULT_LIMITS

TEXT = (Path(__file__).parents[3] / "docs" / "result-file.md").read_text()
SECTIONS = {part.split("\n", 1)[0].strip(): part for part in re.split(r"^#+ ", TEXT, flags=re.MULTILINE)}
RECORDS: dict[type[BaseModel], str] = {
    result_file._Header: "Header",
    result_file._End: "End",
    Session: "Session",
    Run: "Run",
    Target: "Target",
    Plan: "Plan",
    Score: "Score",
    Interval: "Interval",
    IntervalOperations: "Interval",
    Finding: "Finding",
    Artefact: "Artefact",
}


def documented(section: str) -> set[str]:
    """The names in the first column of a section's table."""
    rows = re.findall(r"^\| (`.+?) \|", SECTIONS[section], flags=re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_every_field_is_documented(record: type[BaseModel]) -> None:
    named = set(re.findall(r"`(\w+)`", SECTIONS[RECORDS[record]]))
    assert set(record.model_fields) <= named


@pytest.mark.parametrize("record", [each for each in RECORDS if each is not IntervalOperations])
def test_nothing_else_is_documented(record: type[BaseModel]) -> None:
    assert documented(RECORDS[record]) == set(record.model_fields)


@pytest.mark.parametrize(("choices", "section"), [(SessionState, "Session"), (RunStatus, "Run"), (Level, "Finding")])
def test_every_choice_is_documented(choices: type[RunStatus], section: str) -> None:
    assert {f"`{choice.value}`" for choice in choices} <= set(re.findall(r"`\w+`", SECTIONS[section]))


def test_versions_and_limits_are_the_real_ones() -> None:
    assert f"version of this format: {result_file.VERSION}." in TEXT
    assert result_file.FORMAT in TEXT
    limits = " ".join(SECTIONS["Reading a file from a stranger"].split())
    assert f"{DEFAULT_LIMITS.total_bytes // 2**30} GiB" in limits
    assert f"{DEFAULT_LIMITS.line_bytes // 2**20} MiB" in limits
    assert f"{DEFAULT_LIMITS.line_values // 10**6} million values" in limits
    assert f"{DEFAULT_LIMITS.records // 10**6} million records" in limits
    assert f"more than {codec.MAX_DEPTH} levels" in limits
