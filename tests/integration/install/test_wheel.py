"""A wheel works where there is no compiler and no source: installed into an empty environment, from another folder."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
from tests.conftest import need_module, need_program
from tests.integration.install.local_index import local_index
from tools.wheel import plugin
from tools.wheel.__main__ import typed

ROOT = Path(__file__).parents[3]
DATA = (".toml", ".html", ".css", ".js", ".mako", ".csv", ".typed")


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel; the libraries come from the one that runs the tests, without a network."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    pip = [sys.executable, "-m", "pip", "--python", folder / "bin" / "python", "install", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--quiet", "--disable-pip-version-check", wheel], check=True)
    libraries = (
        folder / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages" / "libraries.pth"
    )
    libraries.write_text(sysconfig.get_paths()["purelib"] + "\n")
    return folder


def run(environment: Path, *words: str | Path, folder: Path | None = None) -> str:
    """`plimsoll …` with nothing of this source, and no compiler, in sight."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [environment / "bin" / "plimsoll", *words],
        cwd=folder or environment,
        env={**clean, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_one_wheel_for_all_python_versions(wheel: Path) -> None:
    assert "-cp311-abi3-" in wheel.name
    assert "linux" in wheel.name


def test_auditwheel_finds_the_tag_that_it_has(wheel: Path) -> None:
    auditwheel = need_program(str(Path(sys.executable).parent / "auditwheel"))
    done = subprocess.run([auditwheel, "show", wheel], capture_output=True, text=True, check=True)
    (tag,) = re.findall(r'following\s+platform tag:\s+"(manylinux\w+)"', done.stdout)
    assert tag in wheel.name


def test_no_file_of_the_package_is_missing(wheel: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "python/plimsoll"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    wanted = {
        name.removeprefix("python/") for name in listed if name.endswith((".py", *DATA)) and (ROOT / name).exists()
    }
    there = set(zipfile.ZipFile(wheel).namelist())
    assert wanted - there == set()


def test_man_pages_and_completion_come_with_it(environment: Path) -> None:
    share = environment / "share"
    assert (share / "man/man1/plimsoll.1").exists()
    assert "--same-place" in (share / "man/man1/plimsoll-run.1").read_text().replace("\\-", "-")
    assert (share / "bash-completion/completions/plimsoll").exists()


def test_it_is_the_wheel_that_runs(environment: Path) -> None:
    code = "import plimsoll, plimsoll._core; print(plimsoll.__file__, plimsoll._core.__file__)"
    where = subprocess.run(
        [environment / "bin" / "python", "-P", "-c", code], cwd=environment, check=True, capture_output=True, text=True
    ).stdout
    assert where.count(str(environment)) == 2


def test_measuring_and_reporting(environment: Path, tmp_path: Path) -> None:
    short = ("--set", "size=4MiB", "--set", "runtime=200ms", "--set", "warmup=50ms", "--blocks", "1", "--noisy-host")
    run(environment, "run", "randread", "--on", f"disk={tmp_path}", *short, "--quiet", "-o", tmp_path / "report.html")
    assert "</html>" in (tmp_path / "report.html").read_text()
    assert "randread" in run(environment, "show")


def test_the_lines_of_the_guide_install_it(wheel: Path, tmp_path: Path) -> None:
    """pip, pipx and uvx, as typed there, from a local index."""
    for program in ("pipx", "uvx"):
        need_program(str(Path(sys.executable).parent / program))
    assert typed(local_index(tmp_path / "index", wheel)) == "3 lines"


def test_a_plug_in_needs_no_rust(environment: Path, tmp_path: Path) -> None:
    need_module("setuptools")
    wheel_of_it = plugin.built(tmp_path, "--no-build-isolation", "--no-index")
    pip = [sys.executable, "-m", "pip", "--python", environment / "bin/python", "install", "--quiet", "--no-index"]
    without_rust = {**os.environ, "PATH": "/usr/bin:/bin", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    subprocess.run([*pip, "--no-deps", wheel_of_it], check=True, env=without_rust)
    rows = json.loads(run(environment, "list", "plugins", "--json"))
    assert {row["kind"] for row in rows if row["from"] == "plimsoll-dd 1.0"} == {
        "importers", "frontends", "guards", "sections", "workloads",
    }  # fmt: skip
    written = subprocess.run(
        ["dd", "if=/dev/zero", "of=file", "bs=1M", "count=4"], cwd=tmp_path, capture_output=True, text=True, check=True,
        env={**os.environ, "LC_ALL": "C"},
    )  # fmt: skip
    (tmp_path / "dd.txt").write_text(written.stderr)
    assert "dd (what GNU dd prints)" in run(environment, "import", "dd.txt", "--explain", folder=tmp_path)
    run(environment, "run", "dd-write", "--on", "a=.,count=4", "--blocks", "1", "--noisy-host", "-q", folder=tmp_path)
