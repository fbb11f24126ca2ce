"""Several files as one session: runs in their order, found again by what they are made of."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.importers.importing import load, read_text
from tests.unit.importers.validity import assert_valid

from plimsoll.importers import joining
from plimsoll.importers.joining import join, joined_title, may_join
from plimsoll.importers.rereading import reread
from plimsoll.store.opening import open_store

HEAD = "test,target,unit,better,value,error\n"
PARTS = (
    read_text("table", f"{HEAD}z,gp2,s,lower,10,1\na,gp2,s,lower,5,0.1\n", "one.csv"),
    read_text("table", f"{HEAD}z,gp3,s,lower,20,1\na,gp3,s,lower,5.1,0.1\n", "two.csv"),
)


def test_runs_of_all_parts_are_one_session_in_their_order() -> None:
    whole = join(PARTS, "both")
    assert_valid(whole)
    assert [(run.plan.case, run.target.name, run.order) for run in whole.runs] == [
        ("z", "gp2", 0),
        ("a", "gp2", 1),
        ("z", "gp3", 2),
        ("a", "gp3", 3),
    ]
    assert [target["name"] for target in whole.session.study["targets"]] == ["gp2", "gp3"]
    assert whole.session.title == "both"
    assert not whole.session.interleaved


def test_the_same_parts_make_the_same_records_and_others_do_not() -> None:
    assert join(PARTS, "both") == join(PARTS, "both")
    assert join(PARTS, "both").session.id != join(PARTS[::-1], "both").session.id
    assert {run.id for run in join(PARTS, "both").runs}.isdisjoint(run.id for part in PARTS for run in part.runs)


def test_every_run_is_found_again_in_its_own_file() -> None:
    parts = (*PARTS, load("fio_logs", "avg_bw.1.log", "avg_clat.1.log"), load("fio_json", "fio3.json", target="named"))
    whole = join(parts, "all")
    assert reread(whole.session, whole.runs) == {run.id: run.scores for run in whole.runs}
    for part in parts:
        assert reread(part.session, part.runs) == {run.id: run.scores for run in part.runs}


def test_one_part_or_too_many_runs_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    assert may_join(PARTS)
    assert not may_join(PARTS[:1])
    assert not may_join([])
    monkeypatch.setattr(joining, "MAX_RUNS", 3)
    assert not may_join(PARTS)


def test_titles() -> None:
    assert joined_title(["a.csv", "b.csv"]) == "a.csv and b.csv"
    assert joined_title(["a.csv", "b.csv", "c.csv"]) == "a.csv and 2 more files"
    assert joined_title(["/data/gp2/a.csv", "/data/gp2/b.csv"]) == "gp2/a.csv and b.csv"
    assert joined_title(["../gp3/a.csv", "x", "y"]) == "gp3/a.csv and 2 more files"
    assert joined_title(["../a.csv", "b.csv"]) == "a.csv and b.csv"


def test_the_store_keeps_the_order_and_the_spreads(tmp_path: Path) -> None:
    whole = join(PARTS, "both")
    with open_store(str(tmp_path / "r.db")) as store:
        store.add_session(whole.session)
        for run in reversed(whole.runs):
            store.add_run(run)
        assert [run.id for run in store.runs([whole.session.id])] == [run.id for run in whole.runs]
        rows = store.score_rows([whole.session.id])
    assert [(row.case, row.stated.spread if row.stated else None) for row in rows] == [
        ("z", 1e9),
        ("a", 1e8),
        ("z", 1e9),
        ("a", 1e8),
    ]
