"""Bad input: a clear error before anything is written, and exit code 2."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import need_root
from tests.integration.run.conftest import PLIMSOLL, SHORT, Command, leftovers

from plimsoll.model import Session
from plimsoll.store.opening import open_store


def sessions() -> list[Session]:
    with open_store() as store:
        return store.sessions()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["randred"], "did you mean 'randread'"),
        (["quik"], "did you mean 'quick'"),
        (["--mode", "standart"], "did you mean 'standard'"),
        (["--set", "deth=3"], "did you mean 'depth'"),
        (["--set", "depth"], "PARAMETER=VALUE"),
        (["--set", "depth=0"], "0 is out of bounds; use 1 to 16384"),
        (["--set", "engine=iouring"], "did you mean 'io_uring'"),
        (["--set", "runtime=soon"], "10s"),
        (["--set", "block_size=1000"], "multiples of"),
        (["--set", "size=1k"], "less than one block"),
        (["randread", "--set", "engine=psync"], "depth=1"),
        (["--set", "engine=mmap", "--set", "depth=1"], "direct=no"),
        (["seqwrite", "--set", "engine=falloc", "--set", "depth=1"], "moves no data"),
        (["randread", "--set", "engine=ftruncate", "--set", "depth=1"], "moves no data"),
        (["randread", "--set", "verify=yes"], "a mode that writes"),
        (["randread", "--set", "distribution=zipf:1"], "not 1"),
        (["--set", "size=999T"], "free"),
        (["--set", "threads=5000"], "1 to 1024"),
        (["--set", "distribution=zipf:nan"], "finite"),
        (["--time", "0"], "above zero"),
        (["--time", "1ms"], "too short"),
        (["--band", "0"], "band"),
        (["--baseline", "b"], "no target named"),
        (["nothing.toml"], "no study file"),
        (["--blocks", "50"], "1 to 20"),
        (["randread", "--server", "redis"], "belongs to other tests: ycsb"),
        (["--dry-run", "--resume"], "leave out --resume"),
    ],
)
def test_impossible_requests(plimsoll: Command, disk: Path, words: list[str], said: str) -> None:
    answer = plimsoll("run", *words, "--on", f"here={disk}", check=2)
    assert said in answer.err
    assert leftovers(disk) == []
    assert sessions() == []


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("clints", "3", "no parameter named 'clints' in {where}; did you mean 'clients'?"),
        ("script", "tpcb", "no parameter named 'script' in {where}; it belongs to other tests: tpcb"),
        ("clients", "0", "{where}: clients: 0 is out of bounds; use 1 to 1000000"),
        ("fields", "1001", "{where}: fields: 1001 is out of bounds; use 1 to 1000"),
        ("runtime", "0s", "{where}: runtime: 0 s is out of bounds; use 1 ns to 78840 h"),
        ("request", "zipfan", "{where}: request: no request distribution named 'zipfan'; did you mean 'zipfian'?"),
        ("insert_order", "hash", "no value for insert_order named 'hash' in {where}; did you mean 'hashed'?"),
        ("scan_length_min", "2000", ": scan_length_min 2000 is above scan_length_max 1000"),
        ("measure", "load", ": a load (measure=load) cannot reuse data"),
        ("insert_start", "1G", ": there are no records"),
    ],
)
def test_database_parameters_are_refused_alike_from_everywhere(
    plimsoll: Command, disk: Path, tmp_path: Path, name: str, value: str, said: str
) -> None:
    """By `run`, by `plan`, of a target and in a study file: one line, before anything is written."""
    given = f'{name} = "{value}"\n'
    (tmp_path / "target.toml").write_text(
        f'[[tests]]\ntest = "ycsb-a"\n[[targets]]\nname = "x"\nwhere = "{disk}"\nserver = "sqlite"\n{given}'
    )
    (tmp_path / "test.toml").write_text(
        f'[[tests]]\ntest = "ycsb-a"\nserver = "sqlite"\n{given}[[targets]]\nname = "x"\nwhere = "{disk}"\n'
    )
    words = ("ycsb-a", "--on", f"x={disk}", "--server", "sqlite", "--set", f"{name}={value}")
    asked = {
        "ycsb-a on x": [("run", *words), ("plan", *words)],
        "target x": [("run", "target.toml"), ("plan", "target.toml")],
        "test.toml, test ycsb-a": [("run", "test.toml"), ("plan", "test.toml")],
    }
    for where, commands in asked.items():
        for command in commands:
            answer = plimsoll(*command, check=2)
            assert said.format(where=where) in answer.err, command
            assert len(answer.err.splitlines()) == 1, answer.err
    assert leftovers(disk) == []
    assert sessions() == []


@pytest.mark.parametrize(
    ("property", "said"),
    [
        ("zeropadding=200", "zero_padding: 200 is out of bounds; use 1 to 100"),
        ("minscanlength=2000", "property minscanlength=2000: it must be at most maxscanlength=1000"),
        ("requestdistribution=zipfan", "did you mean 'zipfian'?"),
    ],
)
def test_the_front_end_of_ycsb_refuses_as_other_commands_do(
    plimsoll: Command, disk: Path, property: str, said: str
) -> None:
    words = ("ycsb", "run", "rocksdb", "-P", "workloada", "-p", f"rocksdb.dir={disk}/data", "-p", property)
    answer = plimsoll(*words, check=2)
    assert said in answer.err
    assert len(answer.err.splitlines()) == 1
    assert leftovers(disk) == []


def test_a_dry_run_is_a_plan_and_writes_nothing(plimsoll: Command, disk: Path) -> None:
    words = ("randread", "--on", f"here={disk}", "--set", "size=16MiB")
    assert plimsoll("run", *words, "--dry-run").out == plimsoll("plan", *words).out
    assert leftovers(disk) == []
    assert sessions() == []


def test_places_that_do_not_work(plimsoll: Command, disk: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for where, said in ((tmp_path / "nowhere", "nowhere"), (tmp_path / "file", "file"), (Path("/proc"), "/proc")):
        assert said in plimsoll("run", "ping", "--on", f"x={where}", check=2).err
    assert "two targets are named" in plimsoll("run", "--on", f"a={disk}", "--on", f"a={disk},depth=1", check=2).err
    same = plimsoll("run", "ping", "--on", f"a={disk}", "--on", f"b={disk}/.", check=2)
    assert "--same-place" in same.err


def test_a_study_file_with_faults(plimsoll: Command, tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    for text, said in (
        ("title = [", "cannot read"),
        ('titel = "x"', "did you mean 'title'"),
        ("[[tests]]\ndepth = 3", 'test = "NAME"'),
        ('[[targets]]\nname = "a"', "where"),
        ("[targets]\na = 3", "every [[targets]] table"),
        ("tests = 3", "not a study"),
    ):
        study.write_text(text)
        assert said in plimsoll("run", study, check=2).err


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of 32 MiB in memory."""
    need_root()
    path = tmp_path / "small"
    path.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", path], check=True)
    yield path
    subprocess.run(["umount", "-l", path], check=True)


def test_a_file_larger_than_the_free_space(plimsoll: Command, small: Path) -> None:
    answer = plimsoll("run", "ping", "--on", f"small={small}", "--set", "size=1G", check=2)
    assert "free" in answer.err
    assert leftovers(small) == []


def test_a_store_on_a_full_disk(plimsoll: Command, disk: Path, small: Path) -> None:
    filler = small / "filler"
    with filler.open("wb") as file:
        try:
            while True:
                file.write(b"x" * 2**20)
        except OSError:
            pass
    answer = plimsoll("run", "ping", "--on", f"here={disk}", check=2, PLIMSOLL_STORE=str(small / "results.db"))
    assert "results.db" in answer.err
    assert leftovers(disk) == []


def test_damaged_files_and_stores(plimsoll: Command, tmp_path: Path) -> None:
    (tmp_path / "bad.plimsoll.gz").write_bytes(b"no gzip at all")
    assert "bad.plimsoll.gz" in plimsoll("import", "bad.plimsoll.gz", check=2).err
    (tmp_path / "bad.db").write_bytes(b"no database" * 100)
    assert "bad.db" in plimsoll("list", "sessions", check=2, PLIMSOLL_STORE=str(tmp_path / "bad.db")).err


def test_asking_for_what_is_not_there(plimsoll: Command) -> None:
    assert "no session" in plimsoll("show", check=2).err
    assert "did you mean" in plimsoll("list", "test", check=2).err
    assert plimsoll("show", "abcdef", check=2).err
    assert "was interrupted" in plimsoll("run", "--resume", check=2).err


def test_titles_do_not_drive_the_terminal(plimsoll: Command, disk: Path) -> None:
    escape = "\x1b[31mred\x07"
    plimsoll("run", "ping", "--on", f"here={disk}", *SHORT, "--blocks", "1", "--title", escape)
    for words in (["list", "sessions"], ["list", "sessions", "--csv"], ["show"], ["show", "nothing"]):
        answer = plimsoll(*words, check=None)
        assert "\x1b" not in answer.out + answer.err
        assert "\x07" not in answer.out + answer.err


def test_a_session_goes_on_when_nobody_reads_its_messages(plimsoll: Command, disk: Path) -> None:
    words = " ".join(["run", "ping", "--on", f"here={disk}", *SHORT, "--blocks", "1"])
    piped = f"{PLIMSOLL} {words} 2>&1 | :; exit ${{PIPESTATUS[0]}}"
    assert subprocess.run(["bash", "-c", piped], timeout=120).returncode == 0
    (session,) = plimsoll("list", "sessions", "--json").json
    assert session["state"] == "done"


def test_a_full_standard_output_and_a_reader_that_leaves() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([PLIMSOLL, "list", "tests"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert "No space left" in done.stderr
    # The reader leaves after a line, before the first one, and before the help.
    for pipe in ("list parameters | head -1", "list parameters | :", "list parameters --help | :"):
        piped = subprocess.run(
            ["bash", "-c", f"{PLIMSOLL} {pipe}; echo ${{PIPESTATUS[0]}}"], capture_output=True, text=True
        )
        assert (piped.stdout.splitlines()[-1], piped.stderr) == ("0", ""), pipe
