"""What `make assure-wheel` says of its parts, and that what it types is there; the proof itself takes minutes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tools.wheel import importing
from tools.wheel.__main__ import PROOF, lines_of_the_guide, proven


def fails() -> str:
    raise AssertionError("no compiler was expected")


def test_all_parts_are_carried_out_and_summed_up(capsys: pytest.CaptureFixture[str]) -> None:
    assert proven([("auditwheel", fails), ("Debian 13", lambda: "installed, measured")]) == 1
    said = capsys.readouterr()
    assert "auditwheel: no compiler was expected" in said.err
    summary = said.out.split("\n\n")[1].splitlines()
    assert [line.split() for line in summary] == [
        ["auditwheel", "failed", "see", "above"],
        ["Debian", "13", "proven", "installed,", "measured"],
        ["1", "of", "2", "proven;", "failed:", "auditwheel"],
    ]


def test_nothing_failed_where_all_is_proven(capsys: pytest.CaptureFixture[str]) -> None:
    assert proven([("Debian 12", lambda: "measured")]) == 0
    said = capsys.readouterr()
    assert said.out.endswith("1 of 1 proven\n")
    assert "failed" not in said.out + said.err


def test_the_guide_has_a_line_for_each_way() -> None:
    assert [line.split()[0] for line in lines_of_the_guide()] == ["pip", "pipx", "uvx"]


def test_the_proof_is_a_script() -> None:
    subprocess.run(["sh", "-n"], input=PROOF, text=True, check=True)


def test_files_that_another_python_reads_otherwise_are_named(tmp_path: Path) -> None:
    importing.laid_out(tmp_path)
    script = importing.SCRIPT.replace(f"cd /{importing.FOLDER}", "cd " + str(tmp_path / importing.FOLDER))
    script = script.replace("plimsoll import", f"{sys.executable} -m plimsoll import")
    subprocess.run(["sh", "-euc", script], check=True, env={**os.environ, "PLIMSOLL_HOME": str(tmp_path / "home")})
    importing.check(tmp_path)
    rows = json.loads((tmp_path / "explained.json").read_text())
    read = next(row for row in rows if row["runs"] and row["runs"][0]["numbers"])
    read["runs"][0]["numbers"][0]["value"] += 1
    (tmp_path / "explained.json").write_text(json.dumps(rows))
    with pytest.raises(AssertionError, match=f"read in another way than here: {re.escape(read['file'])}$"):
        importing.check(tmp_path)
