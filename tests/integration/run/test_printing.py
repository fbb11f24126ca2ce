"""`report -o NAME.pdf`: the page as a browser prints it, whole or not at all."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import need_program
from tests.integration.run.conftest import SHORT, Command, disk, plimsoll

__all__ = ["disk", "plimsoll"]


def test_a_report_is_printed(disk: Path, plimsoll: Command) -> None:
    need_program("chromium")
    plimsoll("run", "ping", *SHORT, "--blocks", "1", cwd=disk)
    assert "report: report.pdf" in plimsoll("report", "-o", "report.pdf", cwd=disk).err
    content = (disk / "report.pdf").read_bytes()
    assert content.startswith(b"%PDF")
    assert b"%%EOF" in content[-64:]
    assert "already" in plimsoll("report", "-o", "report.pdf", cwd=disk, check=2).err


def test_a_browser_that_fails_leaves_nothing(disk: Path, plimsoll: Command, tmp_path: Path) -> None:
    plimsoll("run", "ping", *SHORT, "--blocks", "1", cwd=disk)
    broken = tmp_path / "bin" / "chromium"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho 'no display at all' >&2\nexit 7\n")
    broken.chmod(0o755)
    told = plimsoll("report", "-o", "report.pdf", cwd=disk, check=2, PATH=f"{broken.parent}:/usr/bin:/bin").err
    assert "no display at all" in told
    assert "-o report.html" in told
    assert not list(disk.glob("*report*"))
