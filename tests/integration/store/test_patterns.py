"""Wildcards that the shell left alone, in every command that takes files."""

from __future__ import annotations

from pathlib import Path

from tests.factories import make_study
from tests.integration.run import conftest
from tests.integration.run.conftest import Command

from plimsoll.patterns import matches
from plimsoll.store.exchange import export
from plimsoll.store.opening import open_store

plimsoll = conftest.plimsoll


def test_a_quoted_pattern_names_the_same_files_for_import_merge_and_push(tmp_path: Path, plimsoll: Command) -> None:
    names = []
    for seed in range(2):
        session, runs = make_study(("a", "b"), ("randread",), 3, seed=seed, title=f"study {seed}")
        with open_store(str(tmp_path / "from.db")) as store:
            store.add_session(session)
            for run in runs:
                store.add_run(run)
            names.append(tmp_path / f"{seed}.plimsoll.gz")
            export(store, [session.id], names[-1])
    pattern = str(tmp_path / "*.plimsoll.gz")
    for command in ("import", "merge"):
        place = str(tmp_path / f"{command}.db")
        plimsoll(command, pattern, PLIMSOLL_STORE=place)
        with open_store(place) as store:
            assert {each.title for each in store.sessions()} == {"study 0", "study 1"}
    bucket = tmp_path / "bucket"
    plimsoll("push", f"file://{bucket}", pattern)
    assert sorted(each.name for each in bucket.iterdir()) == [each.name for each in names]


def test_a_pattern_without_a_match_is_named_as_it_was_typed(tmp_path: Path, plimsoll: Command) -> None:
    pattern = str(tmp_path / "*.plimsoll.gz")
    for command in ("import", "merge"):
        assert pattern in plimsoll(command, pattern, check=2, PLIMSOLL_STORE=str(tmp_path / "own.db")).err


def test_a_file_whose_name_looks_like_a_pattern_is_itself(tmp_path: Path) -> None:
    for name in ("run[1].json", "run1.json"):
        (tmp_path / name).touch()
    assert matches(str(tmp_path / "run[1].json")) == [str(tmp_path / "run[1].json")]
    assert matches(str(tmp_path / "run[!2].json")) == [str(tmp_path / "run1.json")]
    assert matches("postgresql://user@host/database") == ["postgresql://user@host/database"]
