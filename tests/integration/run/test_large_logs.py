"""Logs that are too large to be kept with their run: said where somebody looks, and nothing is claimed of them."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tests.integration.run.conftest import Command
from tests.pages import words

ROW = b"%d, 90000, 0, 4096, 0, 0\n"


def test_what_was_not_kept_is_said_and_not_said_to_be_checked(plimsoll: Command, tmp_path: Path) -> None:
    log = tmp_path / "big_lat.1.log"
    log.write_bytes(b"".join(ROW % number for number in range(1, 800_000)))
    assert log.stat().st_size > 16 * 2**20
    digest = hashlib.sha256(log.read_bytes()).hexdigest()
    assert "big_lat.1.log is too large to be kept with the run" in plimsoll("import", log.name).err
    for form in ("out.md", "out.html"):
        plimsoll("report", "-o", form)
        assert f"(SHA-256 {digest})" in words((tmp_path / form).read_text())
    shown = " ".join(plimsoll("show").out.split())
    assert f"Too large to be kept with its run: big_lat.1.log (SHA-256 {digest}). Keep the file" in shown
    plimsoll("export", "-o", "x.plimsoll.gz")
    found = plimsoll("recompute", "x.plimsoll.gz")
    assert "1 run made of logs too large to be kept: their scores are not checked" in found.err
    assert digest in found.err
    assert "regenerated from raw material" not in found.err
    assert "0 new runs" in plimsoll("import", log.name).err


def test_a_log_that_was_kept_is_checked(plimsoll: Command, tmp_path: Path) -> None:
    (tmp_path / "small_lat.1.log").write_bytes(b"".join(ROW % number for number in range(1, 1000)))
    plimsoll("import", "small_lat.1.log")
    assert "Too large" not in plimsoll("show").out
    plimsoll("export", "-o", "x.plimsoll.gz")
    found = plimsoll("recompute", "x.plimsoll.gz")
    assert "scores of runs: regenerated from raw material, equal to the last bit" in found.err
    assert "not checked" not in found.err
