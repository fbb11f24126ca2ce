"""Reading takes time in proportion to the length of a file, whatever stands in it; driven by the folder of formats."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from types import ModuleType

import pytest
from tests.costs import grows_too_fast
from tests.unit.importers.test_conformance import EACH_FORMAT, HANG_GUARD, fixtures

from plimsoll.errors import ResultFileError
from plimsoll.importers.numbers import FIELD
from plimsoll.importers.source import Options, Source

pytestmark = pytest.mark.slow

LINE = 2_000_000
FILLINGS = (" ", "\t", "7", "7 ", "7,", "x ", "( ", "[", ": ", "= ", '"')
MOST_PATTERNS = 3
"""How many patterns that read a number may be tried everywhere: each takes half a second for 8 MB."""
_SPOT = re.compile(r"(?<=\S)(?=\s)|(?=\d)|(?<=\W)(?=\w)|$")


def seconds(module: ModuleType, content: str) -> float:
    """Processor time of reading, whether it is read or refused."""
    begun = time.process_time()
    with suppress(ResultFileError):
        module.read(Source("hostile.txt", content.encode()), Options())
    return time.process_time() - begun


def example(module: ModuleType) -> str:
    return min((path.read_text(errors="replace") for path in fixtures(module)), key=len)


def lines(module: ModuleType) -> list[str]:
    """One line of each kind that the fixtures have: those that differ in digits alone are one."""
    found: dict[str, str] = {}
    for path in fixtures(module):
        for line in path.read_text(errors="replace").splitlines() if path.stat().st_size < 300_000 else ():
            if len(line) < 400:
                found.setdefault(re.sub(r"\d+", "0", line)[:60], line)
    return list(found.values())


def stretched(module: ModuleType) -> Iterator[tuple[str, str, str]]:
    """Lines of the format, cut where something long may be put: before, what is repeated, behind."""
    for line in lines(module)[:80]:
        for spot in islice((match.start() for match in _SPOT.finditer(line)), 14):
            for filling in (" ", "7", "x\t"):
                yield line[:spot], filling, line[spot:]


@HANG_GUARD
@EACH_FORMAT
@pytest.mark.parametrize("filling", [*FILLINGS, "its own text"])
def test_twice_the_line_takes_twice_the_time(module: ModuleType, filling: str) -> None:
    text = example(module)
    what = text.replace("\n", " ") if filling == "its own text" else filling

    def cost(size: int) -> float:
        line = what * (size // len(what))
        return max(seconds(module, f"{text}\n{line}\n"), seconds(module, f"{line}\n{text}"))

    assert not grows_too_fast(cost, LINE // 16)


@HANG_GUARD
@EACH_FORMAT
def test_twice_the_blank_lines_take_twice_the_time(module: ModuleType) -> None:
    """A pattern that begins with any white space at the beginning of a line looks through all of them from each."""
    text = example(module)
    assert not grows_too_fast(lambda size: seconds(module, "\n" * size + text + "\n" * size), LINE // 200)


@HANG_GUARD
@EACH_FORMAT
def test_whatever_of_a_line_is_long_takes_time_in_proportion(module: ModuleType) -> None:
    text = example(module)
    slow = [
        (before, filling)
        for before, filling, behind in stretched(module)
        if grows_too_fast(
            lambda size, begin=before, what=filling, end=behind: seconds(  # type: ignore[misc]
                module, f"{text}\n{begin}{what * (size // len(what))}{end}\n{text}"
            ),
            5000,
        )
    ]
    assert slow == []


@EACH_FORMAT
@pytest.mark.parametrize("filling", [" ", "7 ", "x "])
def test_a_long_line_costs_no_more_than_a_few_patterns(module: ModuleType, filling: str) -> None:
    """Trying every pattern of a format at every place of 20 MB took 6 to 16 s."""
    line = filling * (LINE // 2 // len(filling))
    pattern = re.compile(rf"(?<!\S){FIELD} is nowhere")

    def once() -> float:
        begun = time.process_time()
        pattern.search(line)
        return time.process_time() - begun

    content = f"{example(module)}\n{line}\n"
    ratios = (seconds(module, content) / once() for _ in range(5))
    assert any(ratio < MOST_PATTERNS for ratio in ratios)
