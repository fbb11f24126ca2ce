"""The one reader of the data files: CSV with a head of `# key: text` lines that name sources and licences."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources

Row = Mapping[str, str]


@cache
def _lines(package: str, name: str) -> tuple[str, ...]:
    return tuple(resources.files(package).joinpath("data", f"{name}.csv").read_text(encoding="utf-8").splitlines())


def rows(package: str, name: str) -> Iterator[Row]:
    """The rows of `data/NAME.csv` of a package, by column name; an empty cell is an empty text."""
    yield from csv.DictReader(line for line in _lines(package, name) if not line.startswith("#"))


def names(package: str, prefix: str) -> list[str]:
    """Names of the tables of a package that begin with `prefix`, without their ending."""
    files = resources.files(package).joinpath("data").iterdir()
    return sorted(each.name.removesuffix(".csv") for each in files if each.name.startswith(prefix))


def head(package: str, name: str) -> tuple[str, ...]:
    """What the file says about itself: what it holds, sources, licence, columns."""
    return tuple(line.removeprefix("#").strip() for line in _lines(package, name) if line.startswith("#"))


def number(text: str) -> float | None:
    """A cell with a number; None where the cell is empty."""
    return float(text) if text else None


def whole(text: str) -> int | None:
    """A cell with a whole number; None where the cell is empty."""
    return int(float(text)) if text else None
