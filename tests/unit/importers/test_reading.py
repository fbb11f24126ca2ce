"""Files, globs, archives and the choice of the format."""

from __future__ import annotations

import contextlib
import gzip
import io
import random
import tarfile
import zipfile
from pathlib import Path

import pytest
from tests.unit.importers.importing import HERE
from tests.unit.importers.mutations import mutate

from plimsoll.errors import ResultFileError, UnknownName, UsageError
from plimsoll.importers import archives, source
from plimsoll.importers.reading import Outcome, read_files
from plimsoll.importers.source import Options
from plimsoll.store.exchange import export, merge
from plimsoll.store.opening import open_store

FIO = HERE / "fio_json/fixtures/fio3.json"
TABLE = HERE / "table/fixtures/runs.csv"


def outcomes(*patterns: str | Path, options: Options | None = None, format_name: str | None = None) -> list[Outcome]:
    return list(read_files(list(patterns), options, format_name=format_name))


def test_a_glob_reads_all_files_and_goes_on_after_a_bad_one(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(FIO.read_bytes())
    (tmp_path / "b.csv").write_bytes(TABLE.read_bytes())
    (tmp_path / "c.txt").write_text("notes\n")
    (tmp_path / "d.log").write_text("")
    (tmp_path / "a.txt").write_bytes(FIO.read_bytes())
    found = {Path(each.place).name: each for each in outcomes(tmp_path / "*")}
    assert found["a.json"].format == "fio_json"
    assert found["b.csv"].format == "table"
    assert "fio_json (fio JSON)" in str(found["c.txt"].error)
    assert found["d.log"].skipped.endswith("is empty")
    assert found["a.txt"].imported is not None


def test_the_same_file_twice_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(FIO.read_bytes())
    (tmp_path / "b").mkdir()
    (tmp_path / "b/a.json").write_bytes(FIO.read_bytes())
    first, second = sorted(outcomes(tmp_path / "a.json", tmp_path / "b/a.json"), key=lambda each: bool(each.skipped))
    assert first.imported is not None
    assert "same bytes" in second.skipped


def test_logs_of_one_prefix_are_one_run() -> None:
    found = outcomes(HERE / "fio_logs/fixtures/avg_*")
    assert len(found) == 1
    assert found[0].imported is not None
    assert len(found[0].imported.runs[0].artefacts) == 4


def test_compressed_logs_of_one_prefix_are_one_run(tmp_path: Path) -> None:
    for name in ("avg_bw.1.log", "avg_clat.1.log"):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress((HERE / "fio_logs/fixtures" / name).read_bytes()))
    (only,) = outcomes(tmp_path / "*.gz")
    assert only.imported is not None
    assert {"read_mean", "throughput"} <= set(only.imported.runs[0].plan.metrics)


def test_archives_in_archives(tmp_path: Path) -> None:
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w:gz") as archive:
        archive.add(FIO, "../../etc/run1.json")
    with zipfile.ZipFile(tmp_path / "all.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("results/runs.csv", TABLE.read_bytes())
        packed.writestr("__MACOSX/._runs.csv", b"junk")
        packed.writestr("more.tgz", tar.getvalue())
    (tmp_path / "single.csv.gz").write_bytes(gzip.compress(b"test,metric,unit,better,value\nt,m,s,lower,1\n"))
    found = outcomes(tmp_path / "*")
    assert [each.format for each in found] == ["table", "fio_json", "table"]
    assert [each.imported.runs[0].artefacts[0].name for each in found if each.imported] == [
        "runs.csv",
        "run1.json",
        "single.csv",
    ]


def test_bombs_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_FILE_BYTES", 1000)
    monkeypatch.setattr(archives, "MAX_TOTAL_BYTES", 2500)
    monkeypatch.setattr(archives, "MAX_FILES", 5)
    monkeypatch.setattr(archives, "MAX_DEPTH", 2)
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(b"a" * 1_000_000))
    (tmp_path / "deep.gz").write_bytes(gzip.compress(gzip.compress(gzip.compress(b"a"))))
    with zipfile.ZipFile(tmp_path / "many.zip", "w") as packed:
        for index in range(7):
            packed.writestr(f"{index}.txt", b"x")
    reasons = {Path(each.place).name: str(each.error) for each in outcomes(tmp_path / "*") if each.error}
    assert "unpacks to more than 1,000 B" in reasons["bomb.gz"]
    assert "nested more than 2 deep" in reasons["deep.gz"]
    assert any("hold more than 5 files" in reason for reason in reasons.values())


def test_damaged_archives_are_named(tmp_path: Path) -> None:
    packed = gzip.compress(FIO.read_bytes())
    (tmp_path / "cut.gz").write_bytes(packed[: len(packed) // 2])
    (tmp_path / "bad.zip").write_bytes(b"PK\x03\x04" + b"\0" * 50)
    for each in outcomes(tmp_path / "*"):
        assert "damaged" in str(each.error)


def test_mutated_archives_never_break_the_reading() -> None:
    packed, tar = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a/b.txt", b"hello " * 200)
    with tarfile.open(fileobj=tar, mode="w") as archive:
        archive.add(TABLE, "x/y")
    files = [gzip.compress(b"hello " * 200), packed.getvalue(), tar.getvalue()]
    rng = random.Random(5)
    found = 0
    for _ in range(3000):
        with contextlib.suppress(ResultFileError):
            unpacked = archives.unpack("place", "name", mutate(rng.choice(files), files, rng), archives.Budget())
            found += sum(isinstance(each, source.Source) for _, each in unpacked)
    assert found


def test_a_file_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plimsoll.importers.reading.MAX_FILE_BYTES", 10)
    (tmp_path / "a.txt").write_text("x" * 11)
    assert "larger than 10 B" in str(outcomes(tmp_path / "a.txt")[0].error)
    assert source.MAX_FILE_BYTES > 10


def test_wrong_use_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no file"):
        outcomes(tmp_path / "none*")
    with pytest.raises(UsageError, match="is a folder"):
        outcomes(tmp_path)
    with pytest.raises(UnknownName, match="did you mean 'fio_json'"):
        outcomes(FIO, format_name="fio_jsn")
    with pytest.raises(UsageError, match="not a name for a target"):
        outcomes(FIO, options=Options(target="a b"))


def test_a_forced_format_is_used(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("nothing")
    (only,) = outcomes(tmp_path / "a.txt", format_name="ycsb")
    assert isinstance(only.error, ResultFileError)
    assert only.format == "ycsb"


def test_imports_are_stored_twice_without_doubling_and_merge_in_any_order(tmp_path: Path) -> None:
    imported = [each.imported for each in outcomes(FIO, TABLE, HERE / "phoronix/fixtures/composite.xml")]
    stores = [open_store(str(tmp_path / f"{index}.db")) for index in range(2)]
    for store, order in zip(stores, (imported, imported[::-1]), strict=True):
        for each in order:
            assert each is not None
            store.add_session(each.session)
            for run in each.runs:
                store.add_run(run)
    summary = merge(stores[0], [stores[1]])
    assert (summary.new_sessions, summary.new_runs) == (0, 0)
    ids = [each.session.id for each in imported if each]
    for index, store in enumerate(stores):
        export(store, ids, tmp_path / f"{index}.plimsoll.gz")
        store.close()
    assert (tmp_path / "0.plimsoll.gz").read_bytes() == (tmp_path / "1.plimsoll.gz").read_bytes()
