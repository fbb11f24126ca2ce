"""Every number of every fixture in 15 spellings: read right, refused or told of; never silently different."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from tests.unit.importers.importing import read_text
from tests.unit.importers.spellings import SPELLINGS, Outcome, outcome, silently_different, spelled
from tests.unit.importers.test_conformance import EACH_FIXTURE, HANG_GUARD, MODULES, fixtures

from plimsoll.errors import ResultFileError
from plimsoll.importers.numbers import UnreadableNumber, number

OWN_WORDS = {("bonnie", "nothing"), ("elbencho", "nothing"), ("table", "nothing")}
"""Formats that leave a place empty for what was not measured."""

COMMAS = ("thousands comma", "thousands comma, millions", "decimal comma")
OTHER_MEANINGS = {("fio_text", "unit suffix"), ("phoronix", "nothing"), *(("phoronix", name) for name in COMMAS)}
"""fio itself writes 4021.3k for 4,021,300.

Without a RawString the Value stands for it; and a comma between the points of a graph makes two, which is told."""


@pytest.mark.slow
@HANG_GUARD
@EACH_FIXTURE
def test_no_number_is_silently_different(module: ModuleType, path: Path) -> None:
    known: dict[bytes, Outcome] = {}
    wrong = []
    for line, text, replaced in spelled(path.read_bytes()):
        for spelling in SPELLINGS:
            content = replaced(spelling.plain(text))
            if content not in known:
                known[content] = outcome(module, path.name, content)
            plain = known[content]
            found = outcome(module, path.name, replaced(spelling.spelled(spelling.plain(text))))
            if (module.NAME, spelling.name) in OTHER_MEANINGS:
                continue
            own_word = (module.NAME, spelling.name) in OWN_WORDS
            if what := silently_different(plain, found, own_word=own_word):
                wrong.append(f"line {line}: {text} as {spelling.name}: {what}")
            elif (
                found.refused
                and not plain.refused
                and f"line {line}" not in found.refused
                and ": row " not in found.refused
            ):
                wrong.append(f"line {line}: {text} as {spelling.name}: the refusal has another place: {found.refused}")
    assert not wrong, f"{len(wrong)} in all:\n" + "\n".join(wrong[:12])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7654321", 7654321),
        ("7,654,321", 7654321),
        ("7,654.5", 7654.5),
        ("7_654_321", 7654321),
        ("7'654'321.5", 7654321.5),
        ("7 654", 7654),
        ("7\u202f654\u202f321", 7654321),
        (" 1.5e3 ", 1500),
        ("+.5", 0.5),
        (None, None),
    ],
)
def test_what_can_mean_one_thing_only_is_read(text: str | None, value: float | None) -> None:
    assert number(text) == value


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("7,654", "'7,654' can be read in two ways"),
        ("7,65", "'7,65' is not a number"),
        ("7_65", "is not a number"),
        ("7'654_321", "is not a number"),
        ("0,654,321", "is not a number"),
        ("7.654.321", "is not a number"),
        ("-5", "'-5' is below zero"),
        ("0x1f", "is not a number"),
        ("inf", "'inf' is not a number"),
        ("nan", "'nan' is not a number"),
        ("12k", "is not a number"),
        ("٣", "is not a number"),
        ("", "nothing stands where a number belongs"),
        ("1e400", "is beyond"),
        ("9" * 400, "is beyond"),
        (True, "'True' is not a number"),
    ],
)
def test_anything_else_is_refused(text: object, why: str) -> None:
    with pytest.raises(UnreadableNumber, match=why):
        number(text)


def test_only_a_plain_value_of_no_kind_may_be_below_zero() -> None:
    assert number("-5", signed=True) == -5


@pytest.mark.parametrize(
    ("format_name", "text", "message"),
    [
        (
            "sysbench",
            "sysbench 1.0.20\nSQL statistics:\n    transactions:   7,654 (76.5 per sec.)\n",
            "file.txt: line 3: '7,654' can be read in two ways",
        ),
        (
            "ycsb",
            "[OVERALL], RunTime(ms), 1000\n[OVERALL], Throughput(ops/sec), 12.5x\n",
            "file.txt: line 2: '12.5x' is not a number that can be read in one way; correct it, or use the file as the "
            "tool",
        ),
    ],
)
def test_a_refusal_names_file_and_line(format_name: str, text: str, message: str) -> None:
    with pytest.raises(ResultFileError) as refusal:
        read_text(format_name, text)
    assert str(refusal.value).startswith(message)


def test_marks_of_thousands_are_read_whole() -> None:
    (run,) = read_text("ycsb", "[OVERALL], RunTime(ms), 1_000\n[OVERALL], Throughput(ops/sec), 7,654,321.0\n").runs
    assert run.scores[0].value == 7_654_321


@HANG_GUARD
@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.NAME)
@pytest.mark.parametrize("filling", ["a" * 100_000, "1 " * 50_000, "1 234" * 20_000, "1,2" * 30_000, "[1] " * 20_000])
def test_a_long_line_costs_no_more_than_its_length(module: ModuleType, filling: str) -> None:
    for path in fixtures(module)[:2]:
        outcome(module, path.name, path.read_bytes() + filling.encode() + b"\n" + path.read_bytes())
