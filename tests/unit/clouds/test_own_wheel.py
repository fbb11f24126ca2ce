"""The program that runs here as a wheel again, and for whom its needs are fetched."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import plimsoll
from plimsoll.clouds.hosts import wheel, wheelhouse
from plimsoll.clouds.hosts.install import check_glibc
from plimsoll.clouds.hosts.reach import Platform
from plimsoll.clouds.provider import Host
from plimsoll.errors import CloudError
from plimsoll.report.charts import bundle

PLATFORM = Platform(
    python="/usr/bin/python3", version=(3, 12), architecture="x86_64", glibc=(2, 39), home="/home/ubuntu"
)


def test_the_wheel_is_what_runs_here(tmp_path: Path) -> None:
    packed = wheel.own_wheel(tmp_path)
    assert packed.name.startswith(f"plimsoll-{plimsoll.__version__}-cp311-abi3-")
    with zipfile.ZipFile(packed) as file:
        names = file.namelist()
        for name in ("plimsoll/_core.abi3.so", "plimsoll/profiles/randread.toml", "plimsoll/cluster/tunnel.py"):
            assert name in names
        assert not [name for name in names if "__pycache__" in name]
        (about,) = {name.partition("/")[0] for name in names} - {"plimsoll"}
        record = file.read(f"{about}/RECORD").decode().splitlines()
        assert sorted(line.split(",")[0] for line in record) == sorted(names)
        line = next(line for line in record if line.startswith("plimsoll/units.py,"))
        content = Path(plimsoll.__file__).with_name("units.py").read_bytes()
        hashed = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        assert line == f"plimsoll/units.py,sha256={hashed},{len(content)}"
        assert "Version: " in file.read(f"{about}/METADATA").decode()


def test_the_first_report_changes_nothing_of_it(tmp_path: Path) -> None:
    """Else a machine that has this program already would get it a second time."""
    bundle.library()
    with zipfile.ZipFile(wheel.own_wheel(tmp_path)) as file:
        made = {name for name in file.namelist() if Path(name).match(bundle.KEPT.format(version="*"))}
    assert list(bundle.FOLDER.glob(bundle.KEPT.format(version="*")))
    assert not made


def test_a_program_that_was_not_installed_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plimsoll, "__version__", "9.9.9")
    with pytest.raises(CloudError, match="this Plimsoll was not installed by pip or uv"):
        wheel.own_wheel(tmp_path)


def test_wheels_for_any_older_glibc_run() -> None:
    found = wheelhouse.platform_tags(PLATFORM)
    assert found[0] == "manylinux_2_39_x86_64"
    assert found[-3:] == ["manylinux_2_17_x86_64", "manylinux2014_x86_64", "linux_x86_64"]


def test_an_old_glibc_is_refused() -> None:
    host = Host(machine="m1", id="i-0a", address="203.0.113.9", user="ubuntu", key_file=Path("key"), zone="a")
    check_glibc(PLATFORM, host)
    old = Platform(**{**vars(PLATFORM), "glibc": (2, 12)})
    with pytest.raises(CloudError, match=r"machine m1 \(i-0a\) has glibc 2.12, and this program needs "):
        check_glibc(old, host)


def test_packages_that_cannot_be_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    packed = wheel.own_wheel(tmp_path)
    with pytest.raises(CloudError, match=r"the packages for Python 3.12 on x86_64 could not be fetched here: No match"):
        wheelhouse.wheelhouse(packed, PLATFORM)
    assert not list(tmp_path.glob("wheelhouses/*"))


def test_what_only_draws_charts_is_not_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is half of all that would be copied to each machine."""
    names = (
        "vl_convert_python-1.8.0-cp37-abi3-manylinux_2_28_x86_64.whl",
        "plimsoll-0.1.0-cp311-abi3-linux_x86_64.whl",
        "numpy-2.3.0-cp312-cp312-manylinux_2_27_x86_64.whl",
        "pip-25.0-py3-none-any.whl",
    )

    def fetched(wheel_: Path, platform: Platform, pinned: dict[str, str], folder: Path) -> None:
        del wheel_, platform
        assert "vl-convert-python" in pinned, "without it there is nothing to leave out"
        for name in names:
            (folder / name).touch()

    told: list[str] = []
    monkeypatch.setattr(wheelhouse, "_fetch", fetched)
    made = wheelhouse.wheelhouse(tmp_path / "plimsoll.whl", PLATFORM, told.append)
    assert sorted(each.name for each in made.iterdir()) == sorted(names[2:])
    assert wheelhouse.wheelhouse(tmp_path / "plimsoll.whl", PLATFORM, told.append) == made
    assert told == ["fetching the packages for Python 3.12 on x86_64, once for all such machines"]


def test_a_worker_never_loads_what_is_not_sent() -> None:
    """What a worker is asked to do is imported there without it."""
    code = (
        "import sys; sys.modules['vl_convert'] = None; "
        "import plimsoll.cluster.probe, plimsoll.cluster.runs, plimsoll.clouds.hosts.layouts, "
        "plimsoll.clouds.hosts.devices"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
