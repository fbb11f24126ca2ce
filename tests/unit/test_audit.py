"""`make audit` finds what there is, and never says "clean" of what it could not look at."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def audit(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("audit", ROOT / "tools/audit.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "audit", module)
    spec.loader.exec_module(module)
    return module


def program(folder: Path, name: str, said: str, code: int = 0, complaint: str = "") -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{complaint}' >&2\ncat <<'END'\n{said}\nEND\nexit {code}\n")
    path.chmod(0o755)


def cargo_audit(folder: Path, said: str, code: int, complaint: str = "") -> None:
    """`cargo audit`, and the program that cargo would call."""
    program(folder, "cargo-audit", "")
    program(folder, "cargo", said, code, complaint)


def found(*issues: str) -> str:
    each = [{"package": {"name": "x", "version": "1.0"}, "advisory": {"id": one, "title": "bad"}} for one in issues]
    return json.dumps({"lockfile": {"dependency-count": 5}, "vulnerabilities": {"list": each}})


def test_advisories_of_crates(audit: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert audit.crates_advisories().code == audit.NOT_CHECKED
    assert "cargo-audit is not installed" in str(audit.crates_advisories())
    cargo_audit(tmp_path, "", 1, "error: could not fetch advisory database")
    assert audit.crates_advisories().code == audit.NOT_CHECKED
    assert "NOT CHECKED: Cargo.lock: error: could not fetch" in str(audit.crates_advisories())
    cargo_audit(tmp_path, found("RUSTSEC-2026-0001"), 1)
    assert audit.crates_advisories().code == audit.FOUND
    assert "x 1.0: RUSTSEC-2026-0001" in str(audit.crates_advisories())
    cargo_audit(tmp_path, found(), 0)
    assert audit.crates_advisories().code == audit.CLEAN
    assert str(audit.crates_advisories()) == "clean (10 looked at)"


def test_advisories_of_python_packages(audit: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    program(tmp_path, "pip-audit", "", 1, "Connection refused: https://secret@registry.invalid/x")
    assert audit.python_advisories().code == audit.NOT_CHECKED
    assert "registry" not in str(audit.python_advisories())
    one = {"name": "x", "version": "1", "vulns": [{"id": "PYSEC-1"}]}
    program(tmp_path, "pip-audit", json.dumps({"dependencies": [one]}), 1)
    assert audit.python_advisories().code == audit.FOUND
    skipped = {"name": "y", "skip_reason": "not on the index"}
    program(tmp_path, "pip-audit", json.dumps({"dependencies": [{**one, "vulns": []}, skipped]}))
    assert audit.python_advisories().code == audit.NOT_CHECKED
    program(tmp_path, "pip-audit", json.dumps({"dependencies": [{**one, "vulns": []}]}))
    assert audit.python_advisories().code == audit.CLEAN


@pytest.mark.parametrize(
    ("expression", "free"),
    [
        ("MIT", True),
        ("MIT OR GPL-3.0-only", True),
        ("MIT AND GPL-3.0-only", False),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("Unlicense/MIT", True),
        ("AGPL-3.0-or-later", False),
        ("", False),
        ("__import__('os')", False),
    ],
)
def test_licences(audit: ModuleType, expression: str, free: bool) -> None:
    assert audit.is_free(expression) is free


def entry(value: str, licence: str = "MIT") -> dict[str, object]:
    return {"download_info": {"archive_info": {"hashes": {"sha256": value}}}, "metadata": {"license": licence}}


def test_archives(audit: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "HASHES", tmp_path / "hashes")
    monkeypatch.setattr(audit, "_offered", lambda: ({"x==1": entry("aa"), "y==2": entry("bb")}, ""))
    assert audit.archives().code == audit.NOT_CHECKED
    audit.write_hashes()
    assert audit.archives().code == audit.CLEAN
    monkeypatch.setattr(audit, "_offered", lambda: ({"x==1": entry("aa"), "y==2": entry("cc")}, ""))
    assert audit.archives().code == audit.FOUND
    assert "y==2 is another archive" in str(audit.archives())
    # Those of another platform are added, and the first ones stay.
    audit.write_hashes()
    assert "y==2 bb cc" in (tmp_path / "hashes").read_text()
    monkeypatch.setattr(audit, "_offered", lambda: (None, "no index"))
    assert (audit.archives().code, str(audit.archives())) == (audit.NOT_CHECKED, "NOT CHECKED: no index")
    assert audit.python_licences().code == audit.NOT_CHECKED


def test_every_pinned_version_has_its_archive() -> None:
    pinned = [line.lower() for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line]
    rows = (ROOT / "constraints.sha256").read_text().splitlines()[1:]
    known = {line.split()[0].replace("-", "_") for line in rows}
    assert [line for line in pinned if line.replace("-", "_") not in known] == []
    assert all(len(value) == 64 for row in rows for value in row.split()[1:])


def test_a_licence_that_pips_report_leaves_out_is_that_of_the_package_here(
    audit: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pip before 24 does not know the field `License-Expression`."""
    here = importlib.metadata.distribution("ruff")
    told = {"name": "ruff", "version": here.version}
    monkeypatch.setattr(audit, "_offered", lambda: ({"ruff": {"metadata": told}}, ""))
    assert audit.python_licences().code == audit.CLEAN
    told["version"] = "0.0.1"
    assert audit.python_licences().code == audit.FOUND
