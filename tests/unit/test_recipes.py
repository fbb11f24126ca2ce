"""CONTRIBUTING.md says that adding one kind is one new file: these tests add one and see that it is found."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from plimsoll import drivers, plugins, profile

ROOT = Path(__file__).parents[2]
PACKAGES = ("run/guards", "run/originals", "report/sections", "doctor/checks", "importers/formats", "cli/commands")


@pytest.mark.parametrize("package", PACKAGES)
def test_a_new_file_is_a_new_kind(package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"plimsoll.{package.replace('/', '.')}"
    (tmp_path / "brand_new.py").write_text("NAME = 'brand_new'\n")
    (tmp_path / "_helper.py").write_text("")
    parent = import_module(name)
    monkeypatch.setattr(parent, "__path__", [*parent.__path__, str(tmp_path)])
    found = [module.__name__.rsplit(".", 1)[-1] for module in plugins.modules(name)]
    assert "brand_new" in found
    assert "_helper" not in found
    assert found == sorted(found)


@pytest.mark.parametrize("package", PACKAGES)
def test_the_recipe_names_the_folder(package: str) -> None:
    assert f"`python/plimsoll/{package}/NAME.py`" in (ROOT / "CONTRIBUTING.md").read_text()


def test_a_new_profile_is_a_new_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "profiles").mkdir()
    original = (ROOT / "python/plimsoll/profiles/ping.toml").read_text()
    (tmp_path / "profiles/brand_new.toml").write_text(original)
    monkeypatch.setattr(profile, "files", lambda _package: tmp_path)
    profile.profiles.cache_clear()
    try:
        assert list(profile.profiles()) == ["brand_new"]
    finally:
        profile.profiles.cache_clear()


@pytest.mark.parametrize("folder", ["crates/io/src/engines", "crates/db/src/drivers", "crates/files/src/workloads"])
def test_engines_drivers_and_file_system_tests_are_found_by_the_build_script(folder: str) -> None:
    crate, _, _ = folder.partition("/src/")
    assert f'Modules::of("{folder.removeprefix(crate + "/")}")' in (ROOT / crate / "build.rs").read_text()
    listed = (ROOT / folder / "mod.rs").read_text()
    names = [path.stem for path in (ROOT / folder).iterdir() if path.stem != "mod"]
    assert not [name for name in names if re.search(rf"\bmod {name}\b|{name}::", listed)]
    recipe = next(line for line in (ROOT / "CONTRIBUTING.md").read_text().splitlines() if f"`{folder}/NAME.rs`" in line)
    assert recipe.endswith("| nothing |")


def test_private_servers_are_found_by_their_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "brand_new.py").write_text("DRIVER = 'redis'\nOTHER_NAMES = ('shiny',)\n")
    parent = import_module(drivers.PRIVATE_SERVERS)
    monkeypatch.setattr(parent, "__path__", [*parent.__path__, str(tmp_path)])
    assert "brand_new" in drivers.servers_for("ycsb")
    assert "brand_new" not in drivers.servers_for("web")
    assert drivers.server_called("Shiny") == "brand_new"
