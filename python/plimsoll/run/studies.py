"""The studies that come with Plimsoll: published experiments as files, `studies/*.toml`.

A file is a study file (`run/study.py`) with three texts more: `question`, `source` and `reading`. Its table `quick`
says what `--quick-sizes` changes: tests that replace the list, options by target, and any other key of a study. One
with a table `load_line` (`run/load_study.py`) is a search for the load line of its one test.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from plimsoll.errors import UnknownName, UsageError
from plimsoll.model import Target
from plimsoll.notices import tell
from plimsoll.profile import Entry
from plimsoll.run import renting
from plimsoll.run.rented_targets import rented_study
from plimsoll.run.renting import renting_of
from plimsoll.run.study import Study, from_file, from_table, from_words
from plimsoll.stats.load_line.request import KEY, Request, request_from

PROVIDER = "provider"
_TEXTS = ("question", "source", "reading")


@dataclass(frozen=True)
class Published:
    """One study file."""

    name: str
    question: str
    source: str
    reading: str
    """How to read the result, and what differs from the original."""
    table: Mapping[str, Any]
    quick: Mapping[str, Any]

    @property
    def title(self) -> str:
        """Title of its sessions."""
        return str(self.table["title"])

    @property
    def is_load_line(self) -> bool:
        """Whether it searches a load line: `plimsoll knee NAME`."""
        return KEY in self.table

    def study(self, *, quick: bool = False) -> Study:
        """The study, in full or with quick sizes; of a load line, what is measured at each load."""
        table = self._quick() if quick else self.table
        return from_table({key: value for key, value in table.items() if key != KEY}, f"study {self.name}")

    def request(self, *, quick: bool = False) -> Request | None:
        """What is searched, of a load line."""
        return request_from(self._quick() if quick else self.table, f"study {self.name}")

    def _quick(self) -> dict[str, Any]:
        changed = {key: value for key, value in self.quick.items() if key != "targets"}
        options: Mapping[str, Mapping[str, Any]] = self.quick.get("targets", {})
        names = [each["name"] for each in self.table["targets"]]
        for name in options:
            if name not in names:
                raise UnknownName("target", name, names, f"study {self.name}, quick")
        targets = [{**each, **options.get(each["name"], {})} for each in self.table["targets"]]
        return {**self.table, **changed, "targets": targets, "title": f"{self.title}, quick sizes"}


@cache
def studies() -> Mapping[str, Published]:
    """All studies by name."""
    found = {}
    for entry in sorted(files("plimsoll").joinpath("studies").iterdir(), key=lambda item: item.name):
        if entry.name.endswith(".toml"):
            name = entry.name.removesuffix(".toml")
            table = tomllib.loads(entry.read_text(encoding="utf-8"))
            texts = {key: str(table.pop(key)) for key in _TEXTS}
            quick = table.pop("quick")
            found[name] = Published(name=name, **texts, table=table, quick=quick)
    return found


def chosen(
    words: Sequence[str | Entry],
    on: Sequence[str | Target],
    shared: Mapping[str, Any],
    given: Mapping[str, Any],
    again: Study | None = None,
) -> Study:
    """The study that is meant: tests and suites, the name of a study, or its file; its values yield to those `given`.

    `shared` are parameters for all tests, `given["rent"]` is a table as in a study file, `given["provider"]` rents what
    would be emulated, and `again` is what is meant where no test is named. Raises UsageError.
    """
    given = dict(given)
    rent = given.pop(renting.KEY, {})
    if provider := given.pop(PROVIDER, None):
        study, told = rented_study(chosen(words, on, shared, given, again), provider)
        for notice in told:
            tell(notice)
        return replace(study, rent=renting_of({**study.rent.to_table(), **rent}))
    whole = [word for word in words if isinstance(word, str) and (word.endswith(".toml") or word in studies())]
    if not whole and (words or again is None):
        return replace(from_words(words, on, rent=renting_of(rent), **given), shared=dict(shared))
    if len(words) > 1:
        raise UsageError(f"{whole[0]} is a whole study; give it alone, without other tests")
    if not whole and again is not None:
        base = again
    elif whole[0] in studies():
        base = published(whole[0], quick=given.pop("quick_sizes", False))
    else:
        base = from_file(Path(whole[0]))
    if on:
        given["targets"] = from_words([], on).targets
    rented = renting_of({**base.rent.to_table(), **rent})
    return replace(base, shared={**base.shared, **shared}, rent=rented, **given)


def load_line_among(words: Sequence[object]) -> str | None:
    """The name of the study that was asked for, if it is a search for a load line."""
    found = studies().get(words[0]) if len(words) == 1 and isinstance(words[0], str) else None
    return found.name if found and found.is_load_line else None


def published(name: str, *, quick: bool = False) -> Study:
    """The study of that name; raises UnknownName."""
    if name not in studies():
        raise UnknownName("study", name, studies())
    return studies()[name].study(quick=quick)
