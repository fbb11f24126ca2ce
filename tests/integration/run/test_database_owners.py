"""Tables of others in a database that is measured, and what loads have left in it, as a user meets them."""

from __future__ import annotations

import os
import pty
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from tests.conftest import need_module
from tests.integration.run.conftest import PLIMSOLL, Command
from tests.integration.run.test_databases import QUICK, need_server
from tests.integration.run.test_databases import place as place  # the fixture

from plimsoll.run.private_server import running
from plimsoll.targets.held import held

SMALL = (*QUICK, "--set", "records=300")


def invoices(path: Path) -> str:
    """A table of another shape; its name for `--destroy`."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE usertable (invoice INT)")
        connection.executemany("INSERT INTO usertable VALUES (?)", [(number,) for number in range(777)])
    return f"{path}/usertable"


def rows(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        count: int = connection.execute("SELECT count(*) FROM usertable").fetchone()[0]
        return count


def test_the_refusal_says_what_to_type_and_that_is_enough(plimsoll: Command, tmp_path: Path) -> None:
    name = invoices(tmp_path / "a.db")
    run = ("run", "ycsb-a", "--on", f"a=sqlite:{tmp_path / 'a.db'}", *SMALL)
    for words in ((), ("--set", "data=recreate"), ("--set", "data=create"), ("--destroy", name)):
        refused = plimsoll(*run, *words, check=3)
        assert f"--destroy '{name}'" in refused.err
        assert rows(tmp_path / "a.db") == 777
    plimsoll(*run, "--set", "data=recreate", "--destroy", name)
    assert rows(tmp_path / "a.db") == 300
    plimsoll(*run, "--set", "data=recreate")


def test_the_name_of_a_table_alone_is_not_enough_for_two_databases(plimsoll: Command, tmp_path: Path) -> None:
    for file in ("a.db", "b.db"):
        invoices(tmp_path / file)
    one = ("run", "ycsb-a", "--on", f"a=sqlite:{tmp_path / 'a.db'}")
    two = ("--on", f"b=sqlite:{tmp_path / 'b.db'}")
    wanted = (*SMALL, "--set", "data=recreate", "--destroy", "usertable")
    assert "could mean data in any of these" in plimsoll(*one, *two, *wanted, check=2).err
    assert (rows(tmp_path / "a.db"), rows(tmp_path / "b.db")) == (777, 777)
    wanted = (*wanted[:-1], f"{tmp_path / 'a.db'}/usertable")
    plimsoll(*one, *two, *wanted, check=None)
    assert (rows(tmp_path / "a.db"), rows(tmp_path / "b.db")) == (300, 777)
    plimsoll("run", "ycsb-a", *two, *wanted[:-1], "usertable")
    assert rows(tmp_path / "b.db") == 300


def test_a_table_of_the_version_before_is_told_apart_in_one_sentence(plimsoll: Command, place: Path) -> None:
    need_server("postgresql")
    need_module("psycopg")
    import psycopg

    with held(place) as folder, running("postgresql", folder, "server", "none", {}) as server:
        secret = server.password_env or ""
        target = f"old={server.url},password_env={secret}"
        plimsoll("run", "ycsb-a", "--on", target, *SMALL)
        with psycopg.connect(server.url, password=os.environ[secret], autocommit=True) as connection:
            connection.execute("COMMENT ON TABLE usertable IS NULL")
            refused = plimsoll("run", "ycsb-a", "--on", target, *SMALL, check=3)
            assert "by Plimsoll 0.1" in refused.err
            assert "data=keep" in refused.err
            plimsoll("run", "ycsb-c", "--on", target, *SMALL)
            plimsoll("run", "ycsb-a", "--on", target, *SMALL, "--set", "data=keep")
            assert connection.execute("SELECT count(*) FROM usertable").fetchone() == (300,)
            name = refused.err.split("--destroy '")[1].split("'")[0]
            plimsoll("run", "ycsb-a", "--on", target, *SMALL, "--set", "data=recreate", "--destroy", name)
        listed = plimsoll("data", "list", "--json").json
        assert [left["name"] for left in listed[0]["left"]] == ["usertable"]
        assert listed[0]["left"][0]["bytes"] > 0
        plimsoll("data", "drop", f"{server.url},password_env={secret}", "--yes")
        assert plimsoll("data", "list", "--json").json[0]["left"] == []
    away = plimsoll("data", "list", "--json").json
    assert "connect" in away[0]["problem"] or "refused" in away[0]["problem"]
    shutil.rmtree(place / "server")


def test_what_a_load_left_is_dropped_when_somebody_agrees(plimsoll: Command, tmp_path: Path) -> None:
    where = f"sqlite:{tmp_path / 'y.db'}"
    assert "no session in the store" in plimsoll("data", "list").err
    plimsoll("ycsb", "load", "jdbc", "-P", "workloada", "-p", f"db.url=jdbc:{where}", "-p", "recordcount=50")
    assert "usertable" in plimsoll("data", "list").out
    assert "--yes" in plimsoll("data", "drop", where, check=2).err
    assert "did you mean" in plimsoll("data", "drop", where, "usertabel", "--yes", check=2).err
    for answer, left in (("n", 50), ("y", None)):
        main, side = pty.openpty()
        with subprocess.Popen([PLIMSOLL, "data", "drop", where], stdin=side, stderr=subprocess.PIPE) as asking:
            os.write(main, f"{answer}\n".encode())
            _, err = asking.communicate(timeout=60)
        os.close(main)
        os.close(side)
        assert b"Drop this in" in err
        if left is not None:
            assert rows(tmp_path / "y.db") == left
    assert plimsoll("data", "drop", where, "--json").json == []
    assert "no data of a load" in plimsoll("data", "list", where).err


@pytest.mark.parametrize("words", [("list", "/tmp"), ("drop", "nonsense", "--yes"), ("list", "sqlite:/x.db,depth=3")])
def test_bad_words_are_told(plimsoll: Command, words: tuple[str, ...]) -> None:
    assert plimsoll("data", *words, check=2).err


def test_no_database_is_made_by_asking(plimsoll: Command, tmp_path: Path) -> None:
    plimsoll("data", "list", f"sqlite:{tmp_path / 'none.db'}", f"rocksdb:{tmp_path / 'none'}")
    assert not (tmp_path / "none.db").exists()
    assert not (tmp_path / "none").exists()
