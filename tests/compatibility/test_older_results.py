"""Stores and result files that earlier commits wrote open, recompute and merge, and say what they said then."""

from __future__ import annotations

import gzip
import json
import shutil
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from tests.compatibility.make import folders
from tests.compatibility.plan_hashes import plan_hashes
from tests.compatibility.told import told

from plimsoll.model import Run
from plimsoll.store import exchange
from plimsoll.store.codec import canonical_record
from plimsoll.store.opening import open_store
from plimsoll.store.result_file import read_results
from plimsoll.store.store import Store

FOLDERS = folders()
NEARLY = 1e-9
"""Processors differ in the last bits of logarithms."""


@pytest.fixture(params=FOLDERS, ids=lambda folder: folder.name)
def folder(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


def expected(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gzip.decompress((folder / "told.json.gz").read_bytes()))
    return found


def unpacked(folder: Path, place: Path) -> Store:
    """The store of a folder, as a copy."""
    with gzip.open(folder / "store.db.gz") as packed, place.open("wb") as file:
        shutil.copyfileobj(packed, file)
    return open_store(str(place))


def contents(store: Store) -> list[str]:
    """Every session and every run, as they are stored."""
    sessions = sorted(store.sessions(), key=lambda each: each.id)
    runs = (run for each in sessions for run in store.raw_runs(each.id))
    return [canonical_record(each) for each in (*sessions, *runs)]


def assert_same(found: Any, wanted: Any, where: str = "") -> None:
    """Equal, but for the last bits of floats."""
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys(), where
        for name, value in wanted.items():
            assert_same(found[name], value, f"{where}: {name}")
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), where
        for number, value in enumerate(wanted):
            assert_same(found[number], value, f"{where}: {number}")
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=NEARLY, abs=0), where
    else:
        assert found == wanted, where


def test_there_are_some_of_everything() -> None:
    """A folder that lost half of its sessions would pass all that follows."""
    titles = {each["title"] for folder in FOLDERS for name, each in expected(folder).items() if name != "together"}
    assert {"two targets", "extended", "gp2 against gp3", "on a worker", "interrupted"} <= titles
    sessions = [each for folder in FOLDERS for name, each in expected(folder).items() if name != "together"]
    assert any(each["changed"] for each in sessions)
    assert any(each["extensions"] for each in sessions)
    assert any(each["tags"] and each["note"] for each in sessions)
    assert {status for each in sessions for status in each["statuses"]} >= {"ok", "invalid"}


def test_the_store_says_what_it_said(folder: Path, tmp_path: Path) -> None:
    with unpacked(folder, tmp_path / "store.db") as store:
        assert_same(told(store), expected(folder), folder.name)


def test_the_result_file_says_so_too(folder: Path, tmp_path: Path) -> None:
    """It was written before a score in the store was changed, so nothing in it is."""
    with open_store(str(tmp_path / "new.db")) as store:
        exchange.import_results(store, folder / "results.plimsoll.gz")
        found, wanted = told(store), expected(folder)
    changed = {name for name, each in wanted.items() if name == "together" or each["changed"]}
    assert changed
    for name in wanted:
        if name not in changed:
            assert_same(found[name], wanted[name], name)
    assert not any(each["changed"] for name, each in found.items() if name != "together")


def test_merging_them_in_any_order_is_the_same(folder: Path, tmp_path: Path) -> None:
    """The session that was extended stays as it became; nothing is there twice."""
    first = None
    sources = [folder / "earlier.plimsoll.gz", folder / "results.plimsoll.gz"]
    for number, order in enumerate(permutations(sources)):
        with open_store(str(tmp_path / f"{number}.db")) as store:
            for source in order:
                exchange.import_results(store, source)
            assert exchange.merge(store, sources).new_runs == 0
            found = contents(store)
            (extended,) = (each for each in store.sessions() if each.title == "extended")
        first = first or found
        assert found == first
        assert len(extended.study["extensions"]) == 1


def test_a_store_and_a_file_of_which_one_was_changed_do_not_merge(folder: Path, tmp_path: Path) -> None:
    with unpacked(folder, tmp_path / "store.db") as store:
        before = contents(store)
        with pytest.raises(exchange.ResultFileError, match="known with other content"):
            exchange.import_results(store, folder / "results.plimsoll.gz")
        assert contents(store) == before
        exchange.import_results(store, folder / "earlier.plimsoll.gz")
        assert contents(store) == before


def test_what_is_exported_again_is_what_was_read(folder: Path, tmp_path: Path) -> None:
    with open_store(str(tmp_path / "new.db")) as store:
        exchange.import_results(store, folder / "results.plimsoll.gz")
        exchange.export(store, [each.id for each in store.sessions()], tmp_path / "again.plimsoll.gz")
    assert list(read_results(tmp_path / "again.plimsoll.gz")) == list(read_results(folder / "results.plimsoll.gz"))
    assert any(isinstance(each, Run) for each in read_results(folder / "results.plimsoll.gz"))


def test_plans_have_the_hashes_that_they_had(folder: Path) -> None:
    """A hash that changes makes every earlier run of that test incomparable; a new test has no earlier runs."""
    wanted, found = json.loads((folder / "plan-hashes.json").read_text()), plan_hashes()
    assert {name: found.get(name) for name in wanted} == wanted
