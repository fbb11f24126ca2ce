"""`plimsoll import --explain` as a user types it: nothing is stored, and what cannot be read is said."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.integration.run.conftest import Command
from tests.integration.run.conftest import plimsoll as plimsoll  # the fixture

FIXTURES = Path(__file__).parents[2] / "unit/importers"


def test_each_number_has_its_place_and_nothing_is_stored(plimsoll: Command, tmp_path: Path) -> None:
    shutil.copy(FIXTURES / "pgbench/fixtures/v15_progress.txt", tmp_path / "pg.txt")
    done = plimsoll("import", "pg.txt", "--explain", "--as", "db")
    assert "pg.txt: pgbench (pgbench output), by its content" in done.out
    assert "run 1 of 1: pgbench TPC-B (sort of) on db, ok" in done.out
    assert "4.343 ms" in done.out
    assert "line 16" in done.out
    assert "in no score" in done.out
    assert "no session" in plimsoll("show", check=2).err
    (row,) = plimsoll("import", "pg.txt", "--explain", "--json").json
    (mean,) = [each for each in row["runs"][0]["numbers"] if each["metric"] == "transaction_mean"]
    assert (mean["tokens"], mean["file_unit"], mean["where"]) == (["4.343"], "ms", "line 16")


def test_units_and_counted_scores_read_as_words(plimsoll: Command, tmp_path: Path) -> None:
    said = {}
    for name in ("ioping/fixtures/text_1.3.txt", "ioping/fixtures/raw_us.txt", "fio_logs/fixtures/avg_bw.1.log"):
        copy = Path(shutil.copy(FIXTURES / name, tmp_path))
        said[copy.name] = plimsoll("import", copy.name, "--explain").out
    assert "8.39 thousand per second" in said["text_1.3.txt"]
    assert "22 per second" in said["text_1.3.txt"]
    assert "computed from the histogram" in said["text_1.3.txt"]
    assert "counted" not in said["text_1.3.txt"]
    assert "9677 per second" in said["raw_us.txt"]
    assert "computed" not in said["raw_us.txt"]
    assert "in no score" not in said["raw_us.txt"]
    assert "counted from all lines" in said["avg_bw.1.log"]


def test_a_file_in_no_format_and_a_wrong_name(plimsoll: Command, tmp_path: Path) -> None:
    (tmp_path / "strange.txt").write_text("strange\n")
    done = plimsoll("import", "strange.txt", "--explain", check=2)
    assert "strange.txt is in no format that is known" in done.out
    assert "would not be imported: strange.txt" in done.err
    assert "did you mean 'pgbench'" in plimsoll("import", "strange.txt", "--explain", "--format", "pgbnch", check=2).err
    assert "there is no file" in plimsoll("import", "gone.txt", "--explain", check=2).err


def test_a_forced_format_is_said_to_be_one(plimsoll: Command, tmp_path: Path) -> None:
    shutil.copy(FIXTURES / "pgbench/fixtures/v15_progress.txt", tmp_path / "pg.txt")
    assert "(pgbench output), as you said" in plimsoll("import", "pg.txt", "--explain", "--format", "pgbench").out


def test_a_report_is_no_result_file(plimsoll: Command, tmp_path: Path) -> None:
    """Before: "in no format that is known", with the names of twenty-five."""
    (tmp_path / "report.html").write_text("<!DOCTYPE html>\n<html lang='en'><title>a – Plimsoll</title></html>\n")
    done = plimsoll("import", "report.html", check=2)
    assert "report.html is a page to read. A report of Plimsoll has no raw data: `plimsoll export` writes" in done.err
    assert "no format that is known" not in done.err
