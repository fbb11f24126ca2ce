"""Tables of docs/data/figures.toml, as docs/speed.md and the pages of the tests show them."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent.parent / "docs"
TEST_COLUMNS = {"ratio": "ratio to the original", "cpu": "ratio of CPU time", "pairs": "pairs of runs"}
EVERY_ROW = "every row"
_BLOCK = re.compile(r"<!-- figures: (\w+) -->\n.*?<!-- end -->", re.DOTALL)


@cache
def figures() -> Mapping[str, Any]:
    """The file; decimals stay as they were typed, for 0.90 says more than 0.9."""
    return tomllib.loads((DOCS / "data" / "figures.toml").read_text(encoding="utf-8"), parse_float=Decimal)


def speed_page() -> str:
    """docs/speed.md with the current figures between its marks."""
    page = (DOCS / "speed.md").read_text(encoding="utf-8")
    return _BLOCK.sub(
        lambda block: "\n".join([f"<!-- figures: {block[1]} -->", *_block(block[1]), "<!-- end -->"]), page
    )


def _block(name: str) -> Iterator[str]:
    if name == "places":
        yield from (f"- {key}: {about}" for key, about in figures()["places"].items() if key in _shown())
    else:
        one = figures()["tables"][name]
        yield from lines(one["rows"], one["columns"], one.get("goals", {}))


def _shown() -> set[str]:
    return {row["at"] for table in figures()["tables"].values() for row in table["rows"]}


def of_test(name: str) -> Iterator[str]:
    """What was measured of a test beside its original; nothing where nothing was."""
    if name not in figures()["tests"]:
        return
    rows = figures()["tests"][name]["rows"]
    yield "Medians of interleaved runs; in brackets the lowest and the highest ratio of a pair.\n"
    yield from lines(rows, TEST_COLUMNS, {})
    yield ""
    yield from (f"{place}: {figures()['places'][place]}." for place in sorted({row["at"] for row in rows}))
    yield ""


def lines(
    rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str], goals: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    """The last of each row and place as Markdown, those columns that hold anything, and whether goals are met."""
    last = {(row["row"], row["at"]): row for row in rows}
    columns = {key: title for key, title in columns.items() if any(key in row for row in last.values())}
    yield _joined(["", *columns.values(), *(["goal"] if goals else []), "when, where"])
    yield "|" + "---|" * (len(columns) + 2 + bool(goals))
    for row in last.values():
        wanted = goals.get(row["row"], goals.get(EVERY_ROW, {}))
        judged = [_judged(row, wanted, columns) or "–"] if goals else []
        yield _joined([row["row"], *(_text(row.get(key)) for key in columns), *judged, f"{row['date']}, {row['at']}"])


def _joined(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _text(figure: Any) -> str:
    match figure:
        case None:
            return "–"
        case str():
            return figure
        case [low, high]:
            return f"{low:,}…{high:,}"
        case [median, low, high]:
            return f"{median:,} ({low:,}…{high:,})"
        case _:
            return f"{figure:,}"


def _judged(row: Mapping[str, Any], goals: Mapping[str, str], columns: Mapping[str, str]) -> str:
    """`IOPS ≥ 2: met; p50, p99 ≤ 1: **missed**`; of the only column without its name."""
    found = defaultdict(list)
    for key, goal in goals.items():
        if key in row:
            told, least, largest = _bounds(goal)
            figure = row[key] if isinstance(row[key], list) else [row[key]]
            met = all(least <= each <= largest for each in (figure if len(figure) == 2 else figure[:1]))
            found[told, "met" if met else "**missed**"].append(columns[key].partition(",")[0])
    named = len(columns) > 1
    return "; ".join(f"{', '.join(names) + ' ' if named else ''}{told}: {met}" for (told, met), names in found.items())


def _bounds(goal: str) -> tuple[str, Decimal, Decimal]:
    """A goal as it is printed, the least and the largest that meets it. Raises ValueError if it is none."""
    endless = Decimal("inf")
    match goal.split():
        case [">=", bound]:
            return f"≥ {Decimal(bound):,}", Decimal(bound), endless
        case ["<=", bound]:
            return f"≤ {Decimal(bound):,}", -endless, Decimal(bound)
        case [low, "..", high]:
            return f"{Decimal(low):,}…{Decimal(high):,}", Decimal(low), Decimal(high)
    raise ValueError(f"docs/data/figures.toml: {goal!r} is no goal; write `>= 1`, `<= 1` or `1 .. 2`")
