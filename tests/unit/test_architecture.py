"""Who may import whom. Python's layers are checked by import-linter; this is the rest."""

import ast
import re
import runpy
import tomllib
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parents[2]
MEASURING = ("db", "files", "io", "volume")
CRATES = {
    "core": set(),
    "listing": set(),
    "logs": set(),
    "sqlite": set(),
    "python": {"core", "logs", *MEASURING},
    **{crate: {"core"} for crate in MEASURING},
    **{crate: {"core", "sqlite"} for crate in ("db", "files")},
    **{crate: {"core", "logs"} for crate in ("io", "volume")},
}
CORE_MODULE_USERS = {
    "python/plimsoll/catalog/model.py",
    "python/plimsoll/drivers.py",
    "python/plimsoll/importers/core.py",
    "python/plimsoll/run/workers/databases.py",
    "python/plimsoll/run/workers/file_systems.py",
    "python/plimsoll/run/workers/local.py",
    "python/plimsoll/traces/core.py",
    "python/plimsoll/volumes/core.py",
}
TOUCHES_OUTSIDE = re.compile(r"\bstd::(fs|net|os::unix|process)\b|\blibc::(open|read|write|pread|pwrite|socket|ioctl)")


@pytest.mark.parametrize("crate", CRATES)
def test_crates_depend_only_downwards(crate: str) -> None:
    manifest = tomllib.loads((ROOT / "crates" / crate / "Cargo.toml").read_text())
    own = {name.removeprefix("plimsoll-") for name in manifest["dependencies"] if name.startswith("plimsoll-")}
    assert own <= CRATES[crate]


@pytest.mark.parametrize("crate", [crate for crate in CRATES if crate != "python"])
def test_only_one_crate_knows_python(crate: str) -> None:
    assert "pyo3" not in (ROOT / "crates" / crate / "Cargo.toml").read_text()


def test_sanitizers_run_over_every_crate_with_tests() -> None:
    checked = runpy.run_path(str(ROOT / "tools/sanitize.py"))["CRATES"]
    assert set(checked) == {f"plimsoll-{crate}" for crate in CRATES if crate != "python"}


def test_each_room_is_told_once() -> None:
    rooms = re.findall(r"^\| `([\w/]+/)` \|", (ROOT / "ARCHITECTURE.md").read_text(), re.MULTILINE)
    assert len(rooms) > 20
    assert sorted(rooms) == sorted(set(rooms))


def test_no_property_test_has_a_time_limit() -> None:
    assert settings().deadline is None


PURE = sorted(path for crate in ("core", "logs") for path in (ROOT / "crates" / crate / "src").rglob("*.rs"))


@pytest.mark.parametrize("path", PURE, ids=lambda path: path.name)
def test_core_and_logs_touch_no_file_device_or_network(path: Path) -> None:
    assert not TOUCHES_OUTSIDE.search(path.read_text())


def test_only_workers_use_the_compiled_module() -> None:
    users = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "python/plimsoll").rglob("*.py")
        if re.search(r"plimsoll import _core|plimsoll\._core", path.read_text())
    }
    assert users == CORE_MODULE_USERS


def test_front_ends_write_results_by_one_way_only() -> None:
    """Which keeps files of others; whoever opens one himself forgets that."""
    for path in (ROOT / "python/plimsoll/frontends").rglob("*.py"):
        if path.name != "results.py":
            found = re.search(r"open_output|write_text\(|open\([^)\n]*[\"'][wa]b?[\"']", path.read_text())
            assert not found, f"{path}: {found and found[0]}: use plimsoll.frontends.results.open_result"


def test_the_code_map_names_places_that_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    for place in re.findall(r"`(?:plimsoll/)((?:\w+/)*\w+(?:\.py)?/?)`", text):
        assert (ROOT / "python/plimsoll" / place).exists(), place
    for place in re.findall(r"`(crates/[\w/.]+)`", text):
        assert (ROOT / place).exists(), place


USED = re.compile(r"\b(crate|super)::([a-z_][\w:]*)?(\{[^}]*\})?")
"""`crate::pattern::Pattern`, `super::{Draw, stream}`."""


def used_modules(name: str, source: str, modules: set[str]) -> set[str]:
    """The modules of a crate that one of them names, without its own and without those that its tests name."""
    found = set()
    code = re.sub(r"//.*", "", source.split("#[cfg(test)]\nmod tests")[0])
    for root, path, group in USED.findall(code):
        above = name.split("::")[:-1] if root == "super" else []
        for last in re.findall(r"[\w:]+", group) or [""]:
            parts = [*above, *filter(None, f"{path}::{last}".split("::"))]
            prefixes = ("::".join(parts[:length]) for length in range(len(parts), 0, -1))
            found.add(next((prefix for prefix in prefixes if prefix in modules), name))
    return found - {name}


@pytest.mark.parametrize("crate", CRATES)
def test_no_modules_of_a_crate_import_each_other_in_a_circle(crate: str) -> None:
    folder = ROOT / "crates" / crate / "src"
    files = {"::".join(path.relative_to(folder).with_suffix("").parts): path for path in folder.rglob("*.rs")}
    sources = {name.removesuffix("::mod"): path.read_text() for name, path in files.items() if name != "lib"}
    uses = {name: used_modules(name, source, set(sources)) for name, source in sources.items()}
    # Raises, and names the circle.
    TopologicalSorter(uses).prepare()


FRONT = "plimsoll"
"""It loads what is asked of it by name, and all of its modules load it first."""


def python_modules() -> dict[str, Path]:
    """By name, what is imported from a package here."""
    folders = [ROOT / "python/plimsoll", ROOT / "benches", ROOT / "tests"]
    files = {path.relative_to(folder.parent): path for folder in folders for path in folder.rglob("*.py")}
    named = {".".join(file.with_suffix("").parts).removesuffix(".__init__"): path for file, path in files.items()}
    return {name: path for name, path in named.items() if name != FRONT}


def imported(path: Path, modules: set[str]) -> set[str]:
    """The modules that one of them imports anywhere: at its top, in a function, or for types alone."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            # Of a package, a module in it or else what the package itself has.
            below = {f"{node.module}.{each.name}" for each in node.names}
            found |= below & modules or {str(node.module)}
    return found & modules


def test_no_python_modules_import_each_other_in_a_circle() -> None:
    modules = python_modules()
    assert len(modules) > 1000
    uses = {name: imported(path, set(modules)) - {name} for name, path in modules.items()}
    # Raises, and names the circle.
    TopologicalSorter(uses).prepare()


def test_a_circle_for_types_or_in_a_function_is_one(tmp_path: Path) -> None:
    (tmp_path / "typed.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.late import A\n"
    )
    (tmp_path / "late.py").write_text("def f():\n    from p import typed, json\n    import p.typed\n")
    modules = {"p.typed", "p.late", "p"}
    uses = {f"p.{name}": imported(tmp_path / f"{name}.py", modules) for name in ("typed", "late")}
    assert uses == {"p.typed": {"p.late"}, "p.late": {"p.typed"}}
    with pytest.raises(CycleError):
        TopologicalSorter(uses).prepare()
