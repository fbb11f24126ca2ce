"""Damaged stores: never a traceback, never a wrong value for a good one, and what is whole can be saved."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.conftest import need, need_program, need_root
from tests.factories import make_study
from tests.integration.run import conftest
from tests.integration.run.conftest import Command
from tests.integration.store import postgres
from tests.integration.store.conftest import NewStore

from plimsoll.errors import PlimsollError, StoreError
from plimsoll.model import Run, RunStatus, Session
from plimsoll.store import exchange, histories, search
from plimsoll.store.checkup import Examination, first_damage
from plimsoll.store.connection import parse_location, writing
from plimsoll.store.opening import open_store
from plimsoll.store.records import told
from plimsoll.store.result_file import read_results
from plimsoll.store.scored import scored_runs
from plimsoll.store.store import Store
from plimsoll.store.union import merge_records

PAGE = 4096
SEEDS = 60

plimsoll = conftest.plimsoll

Studies = dict[str, tuple[Session, list[Run]]]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Studies]:
    """Three sessions in a store that nobody has open."""
    path = tmp_path_factory.mktemp("good") / "results.db"
    studies = {}
    with open_store(str(path)) as store:
        for seed in range(3):
            session, runs = make_study(("a", "b"), ("randread", "commit"), 3, seed=seed, title=f"study {seed}")
            store.add_session(session)
            for run in runs:
                store.add_run(run)
            studies[session.id] = (session, runs)
    assert not path.with_name("results.db-wal").exists()
    return path, studies


def flip(content: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 3, 30, 300))):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)


def lose_a_page(content: bytearray, rng: random.Random) -> None:
    page = rng.randrange(1, len(content) // PAGE) * PAGE
    content[page : page + PAGE] = bytes(PAGE) if rng.random() < 0.5 else rng.randbytes(PAGE)


def cut(content: bytearray, rng: random.Random) -> None:
    del content[rng.randrange(1, len(content) // PAGE) * PAGE + rng.choice((0, 100)) :]


def swap(content: bytearray, rng: random.Random) -> None:
    one, other = (rng.randrange(1, len(content) // PAGE) * PAGE for _ in range(2))
    pages = content[one : one + PAGE], content[other : other + PAGE]
    content[other : other + PAGE], content[one : one + PAGE] = pages


def spoil_text(content: bytearray, rng: random.Random) -> None:
    """Bytes that are no UTF-8 in the middle of what is text."""
    words = (b"randread", b'"workload"', b"study ", b"nvme", b"read_p99", b"running", b"done", b"synthetic")
    for word in rng.sample(words, 3):
        place = content.find(word, rng.randrange(len(content)))
        if place >= 0:
            content[place + 1] = 0xFF


DAMAGES: tuple[Callable[[bytearray, random.Random], None], ...] = (flip, lose_a_page, cut, swap, spoil_text)


def uses(store: Store, ids: list[str], folder: Path) -> Iterator[Callable[[], object]]:
    """What commands and pages ask of a store."""
    yield store.sessions
    yield store.last_session
    yield lambda: search.find_lines(store, search.Query(text="study"))
    yield lambda: search.run_counts(store)
    yield lambda: search.choices(store)
    yield lambda: histories.series(store)
    yield lambda: store.plans(ids)
    yield lambda: store.may_end(ids)
    yield lambda: [scored_runs(store, [each]) for each in store.sessions() if each.id in ids]
    for each in ids:
        yield lambda each=each: search.run_lines(store, each)
        yield lambda each=each: search.targets(store, each)
        yield lambda each=each: search.histogram_rows(store, each)
        yield lambda each=each: exchange.export(store, [each], folder / "one.plimsoll.gz")


@pytest.mark.parametrize("seed", range(SEEDS))
def test_damage_anywhere_is_told_and_no_value_is_wrong(
    good: tuple[Path, Studies], tmp_path: Path, new_store: NewStore, seed: int
) -> None:
    source, studies = good
    rng = random.Random(seed)
    content = bytearray(source.read_bytes())
    DAMAGES[seed % len(DAMAGES)](content, rng)
    path = tmp_path / "results.db"
    path.write_bytes(content)
    place = parse_location(str(path))
    stays = bytes(content)
    with Examination(place) as examination:
        saved = [each for each in examination.checkup.sessions if each.whole and each.record is not None]
        records = [record for each in saved for record in examination.records(each)]
    assert path.read_bytes() == stays
    rescued = new_store()
    merge_records(rescued, records, "rescue")
    assert_true(rescued.runs([each.id for each in saved]), studies)
    for each in saved:
        # Whole is whole: a run may be told to be changed, but none is missing.
        assert {run.id for run in rescued.runs([each.id])} == {run.id for run in studies[each.id][1]}
    try:
        store = open_store(str(path))
    except PlimsollError:
        return
    with store:
        for use in uses(store, list(studies), tmp_path):
            try:
                use()
            except PlimsollError:
                continue
            except Exception:
                # The command line turns what nobody foresaw into this sentence, where there is one.
                assert first_damage(place) != ""
        for each in studies:
            check_values(store, each, studies)


def check_values(store: Store, session_id: str, studies: Studies) -> None:
    try:
        assert_true(store.runs([session_id]), studies)
        rows = store.score_rows([session_id])
    except PlimsollError:
        return
    truth = {
        (run.plan.case, run.target.name, run.block, run.attempt, score.metric): score.value
        for run in studies[session_id][1]
        for score in run.scores
    }
    for row in rows:
        if row.status == RunStatus.OK and row.value is not None:
            assert row.value == truth[row.case, row.target, row.block, row.attempt, row.metric]


def assert_true(runs: list[Run], studies: Studies) -> None:
    """Whatever counts is what was measured."""
    truth = {run.id: run for _, stored in studies.values() for run in stored}
    for run in runs:
        if run.status is RunStatus.OK:
            measured = truth[run.id]
            assert {score.metric: score.value for score in run.scores}.items() <= {
                score.metric: score.value for score in measured.scores
            }.items()
            assert run.target.name == measured.target.name


@pytest.mark.parametrize("seed", range(0, SEEDS, 7))
def test_commands_say_it_in_a_sentence(
    good: tuple[Path, Studies],
    tmp_path: Path,
    plimsoll: Command,
    seed: int,
) -> None:
    source, studies = good
    content = bytearray(source.read_bytes())
    DAMAGES[seed % len(DAMAGES)](content, random.Random(seed))
    path = tmp_path / "results.db"
    path.write_bytes(content)
    first = next(iter(studies))
    for words in (["list", "sessions"], ["show", first], ["compare", first], ["store", "check"],
                  ["store", "rescue", str(tmp_path / "out.plimsoll.gz")]):  # fmt: skip
        answer = plimsoll(*words, check=None, PLIMSOLL_STORE=str(path))
        assert "internal error" not in answer.err, answer.err
        assert answer.code in (0, 1, 2, 3)


def test_one_damaged_run_leaves_the_other_sessions_whole(
    good: tuple[Path, Studies],
    tmp_path: Path,
    plimsoll: Command,
) -> None:
    source, studies = good
    path = tmp_path / "results.db"
    shutil.copy(source, path)
    broken, *others = studies
    victim = studies[broken][1][0]
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("UPDATE run SET reason = CAST(x'ff41' AS TEXT) WHERE id = ?", [victim.id])
        raw.commit()
    environment = {"PLIMSOLL_STORE": str(path)}
    answer = plimsoll("show", broken, check=2, **environment)
    assert "plimsoll store check" in answer.err
    plimsoll("show", others[0], **environment)
    answer = plimsoll("store", "check", check=1, **environment)
    assert f"run {victim.id} cannot be read: " in answer.err
    assert "2 of 3 sessions can be read whole, 35 runs in all" in answer.err
    answer = plimsoll("store", "rescue", str(tmp_path / "new.db"), check=1, **environment)
    assert "rescued 2 of 3 sessions with 24 runs" in answer.err
    assert "left out, --parts takes what can be read of it" in answer.err
    with open_store(str(tmp_path / "new.db")) as store:
        assert {each.id for each in store.sessions()} == set(others)
        assert store.runs(others) == sorted(
            (run for each in others for run in studies[each][1]), key=lambda run: (run.started_ns, run.order, run.id)
        )
    plimsoll("store", "rescue", "--parts", str(tmp_path / "files") + "/", check=1, **environment)
    runs = [told(each) for each in read_results(tmp_path / "files" / f"{broken}.plimsoll.gz") if isinstance(each, Run)]
    assert sorted(runs, key=lambda run: run.id) == sorted(studies[broken][1][1:], key=lambda run: run.id)
    assert "already exists" in plimsoll("store", "rescue", str(tmp_path / "new.db"), check=2, **environment).err


def test_a_good_store_is_good(store: Store, store_url: str) -> None:
    """In both databases; runs from before checksums are counted."""
    session, runs = make_study(("a",), ("randread",), 3)
    store.add_session(session)
    for run in runs:
        store.add_run(run)
    with Examination(parse_location(store_url)) as examination:
        assert examination.checkup.good
        assert [len(each.readable) for each in examination.checkup.sessions] == [3]
    with writing(store.engine) as connection:
        connection.exec_driver_sql(f"UPDATE run SET checksum = NULL WHERE id = '{runs[0].id}'")
        connection.exec_driver_sql(f"UPDATE run SET facts = '{{' WHERE id = '{runs[1].id}'")
        connection.exec_driver_sql(f"UPDATE score SET value = 1 WHERE run_id = '{runs[2].id}'")
    with Examination(parse_location(store_url)) as examination:
        (checked,) = examination.checkup.sessions
        assert (checked.unsealed, checked.changed, len(checked.readable)) == (1, [runs[2].id], 2)
        assert len(checked.damages) == 1
        assert runs[1].id in checked.damages[0]


def test_a_file_that_is_no_store_cannot_be_rescued(tmp_path: Path, plimsoll: Command) -> None:
    path = tmp_path / "results.db"
    path.write_bytes(os.urandom(40_000))
    answer = plimsoll("store", "check", check=1, PLIMSOLL_STORE=str(path))
    assert "file is not a database" in answer.err
    answer = plimsoll("store", "rescue", str(tmp_path / "out.db"), check=2, PLIMSOLL_STORE=str(path))
    assert "nothing was written" in answer.err
    assert not (tmp_path / "out.db").exists()


@pytest.mark.parametrize("name", ["a missing file", "a folder", "a device", "another program's", "a newer one"])
def test_what_is_not_damaged_is_not_called_damaged(
    good: tuple[Path, Studies], tmp_path: Path, plimsoll: Command, name: str
) -> None:
    path = tmp_path / "results.db"
    if name == "a folder":
        path.mkdir()
    elif name == "a device":
        path = Path("/dev/null")
    elif name == "another program's":
        with closing(sqlite3.connect(path)) as raw:
            raw.execute("CREATE TABLE theirs (a)")
    elif name == "a newer one":
        shutil.copy(good[0], path)
        with closing(sqlite3.connect(path)) as raw:
            raw.execute("UPDATE plimsoll_version SET version_num = '9999'")
            raw.commit()
    _is_refused(plimsoll, str(path), tmp_path, {
        "a missing file": "there is no store at",
        "a folder": "is a folder",
        "a device": "is a device",
        "another program's": "holds tables of another program (theirs)",
        "a newer one": "Install the newest Plimsoll",
    }[name])  # fmt: skip


def test_a_database_on_a_server_that_is_none_or_empty_is_not_called_damaged(
    postgres_server: postgres.PostgresServer, tmp_path: Path, plimsoll: Command
) -> None:
    url = postgres_server.new_database()
    _is_refused(plimsoll, url, tmp_path, "there is no store at")
    _is_refused(plimsoll, f"{url}_none", tmp_path, "does not exist; create the database first")


def _is_refused(plimsoll: Command, place: str, folder: Path, sentence: str) -> None:
    out = folder / "out.db"
    for words in (["check"], ["rescue", str(out)]):
        answer = plimsoll("store", *words, check=2, PLIMSOLL_STORE=place)
        assert sentence in answer.err
        said = answer.err.replace(place, "")
        assert "damaged" not in said
        assert "rescue" not in said
        assert len(answer.err.splitlines()) == 1
    assert not out.exists()


def test_what_cannot_be_rescued_is_not_offered_a_rescue(
    good: tuple[Path, Studies], tmp_path: Path, plimsoll: Command
) -> None:
    path = tmp_path / "results.db"
    path.write_bytes(os.urandom(40_000))
    answer = plimsoll("store", "check", check=1, PLIMSOLL_STORE=str(path))
    assert "nothing of it can be saved" in answer.err
    shutil.copy(good[0], path)
    with closing(sqlite3.connect(path)) as raw:
        for session in good[1]:
            one = raw.execute("SELECT min(id) FROM run WHERE session_id = ?", [session]).fetchone()
            raw.execute("UPDATE run SET reason = CAST(x'ff41' AS TEXT) WHERE id = ?", one)
        raw.commit()
    answer = plimsoll("store", "check", check=1, PLIMSOLL_STORE=str(path))
    assert "0 of 3 sessions can be read whole" in answer.err
    assert "rescue --parts OUT" in answer.err


@pytest.fixture(params=["read-only mount", "immutable", "another user"])
def read_only(request: pytest.FixtureRequest, good: tuple[Path, Studies], tmp_path: Path) -> Iterator[list[str]]:
    """A store that cannot be written, and the words before a command that is to read it."""
    need_root()
    folder = tmp_path / "medium"
    folder.mkdir()
    path = folder / "results.db"
    as_nobody = []
    if request.param == "read-only mount":
        need_program("mount")
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(folder)], check=True)
    shutil.copy(good[0], path)
    if request.param == "read-only mount":
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
    elif request.param == "immutable":
        chattr = need_program("chattr")
        done = subprocess.run([chattr, "+i", str(path)], capture_output=True)
        need(done.returncode == 0, "a file system with immutable files")
    else:
        path.chmod(0o444)
        folder.chmod(0o555)
        for each in (tmp_path, *tmp_path.parents[:-2]):
            if each.is_dir() and each.stat().st_uid == 0 and not each.stat().st_mode & 0o001:
                each.chmod(each.stat().st_mode | 0o011)
        as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    yield as_nobody
    if request.param == "read-only mount":
        subprocess.run(["umount", str(folder)], check=True)
    elif request.param == "immutable":
        subprocess.run(["chattr", "-i", str(path)], check=True)


def test_a_store_that_cannot_be_written_can_be_read(
    read_only: list[str], good: tuple[Path, Studies], tmp_path: Path
) -> None:
    _, studies = good
    path = tmp_path / "medium" / "results.db"
    before = sorted(each.name for each in path.parent.iterdir())
    code = (
        "import sys\n"
        "from plimsoll.store.opening import open_store\n"
        "from plimsoll.errors import StoreError\n"
        "with open_store(sys.argv[1]) as store:\n"
        "    ids = [each.id for each in store.sessions()]\n"
        "    print(len(store.runs(ids)), len(store.score_rows(ids)), len(store.altered(ids)))\n"
        "    try:\n"
        "        store.finish_session(ids[0], store.sessions()[0].state, 1)\n"
        "    except StoreError as error:\n"
        "        print(error)\n"
    )
    environment = os.environ | {"PLIMSOLL_HOME": "/nowhere/at/all" if read_only else str(tmp_path / "home")}
    python = shutil.which("python3", path=str(Path(os.sys.executable).parent)) or os.sys.executable
    done = subprocess.run([*read_only, python, "-c", code, str(path)], capture_output=True, text=True, env=environment)
    counts, *rest = done.stdout.splitlines()
    runs = [run for _, stored in studies.values() for run in stored]
    assert counts == f"{len(runs)} {sum(len(run.scores) for run in runs)} 0", done.stderr
    assert "no permission to write" in rest[0]
    assert sorted(each.name for each in path.parent.iterdir()) == before


def test_what_a_killed_writer_left_in_its_log_is_read_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a copy in memory: the log cannot be brought into a file that cannot be written."""
    session, runs = make_study(("a",), ("randread",), 2)
    with open_store(str(tmp_path / "live.db")) as store:
        store.add_session(session)
        for run in runs:
            store.add_run(run)
        folder = tmp_path / "copied"
        folder.mkdir()
        for end in ("", "-wal"):
            shutil.copy(tmp_path / f"live.db{end}", folder / f"results.db{end}")
    monkeypatch.setattr("plimsoll.store.read_only._address", lambda *_: "file:/nowhere?mode=ro")
    monkeypatch.setattr("plimsoll.store.opening.is_read_only", lambda _: True)
    with open_store(str(folder / "results.db")) as store:
        assert store.runs([session.id]) == runs
        with pytest.raises(StoreError, match="no permission to write"):
            store.add_run(runs[0])
