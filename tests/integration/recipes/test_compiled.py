"""CONTRIBUTING's recipes for what is compiled: all of them in one build of the copy, without optimisation."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import need_program
from tests.integration.recipes.conftest import ROOT, Command
from tests.integration.recipes.test_recipes import row

BUILD_S = 1200
ENGINE = "crates/io/src/engines/harbour.rs"
TEST = "crates/files/src/workloads/zcav.rs"
OPTION = "crates/volume/src/spec.rs"
PARAMETER = "crates/io/src/parameters.rs"
WHARF = "crates/files/src/workloads/wharf.rs"
PROFILE = "python/plimsoll/profiles/wharf.toml"
DRIVER = "crates/db/src/drivers/harbour.rs"
SERVER = "python/plimsoll/run/servers/harbour.py"
DATABASE = "crates/db/src/parameters.rs"
SOURCES = ("crates", "tools", "Cargo.toml", "Cargo.lock", "rustfmt.toml", "pyproject.toml")
SHORT = ("--repeats", "1", "--noisy-host", "-q", "--json")


def edit(file: Path, *changes: tuple[str, str]) -> None:
    """Puts texts in the place of others, each wherever it stands."""
    text = file.read_text()
    for before, after in changes:
        assert before in text, f"{file} has no {before}"
        text = text.replace(before, after)
    file.write_text(text)


def engine(tree: Path) -> None:
    """A file beside the other engines."""
    text = (tree / "crates/io/src/engines/null.rs").read_text()
    (tree / ENGINE).write_text(text.replace("NullEngine", "HarbourEngine"))
    edit(tree / ENGINE, ('name: "null"', 'name: "harbour"'))


def parameter_of_a_test(tree: Path) -> None:
    """A field, and what it does: so many times more over the whole."""
    passes = "        passes: u32 = 1, in count(1..=1000);\n"
    field = "        /// Further times over the whole.\n        again: u32 = 0, in count(..=10);\n"
    edit(
        tree / TEST,
        (passes, passes + field),
        ("self.passes", "(self.passes + self.again)"),
        ("0..parameters.passes", "0..(parameters.passes + parameters.again)"),
    )


def parameter_of_a_database_test(tree: Path) -> None:
    """A field, and what it does: fewer records are loaded."""
    records = "        records: u64 = 1000, in count(1..);\n"
    field = "        /// Records that a load leaves out.\n        spared: u64 = 0, in count(..=10);\n"
    keys = "self.records.saturating_sub(self.insert_start)"
    edit(
        tree / DATABASE, (records, records + field), (keys, keys.replace("insert_start", "insert_start + self.spared"))
    )


def option_of_a_volume(tree: Path) -> None:
    """A field, and what it does: draws that start elsewhere."""
    seed = "        seed: u64 = 1, in count(..);\n"
    field = "        /// Draws of another tide.\n        tide: u64 = 0, in count(..=9);\n"
    edit(tree / OPTION, (seed, seed + field))
    edit(tree / "crates/volume/src/model/mod.rs", ("stream(spec.seed, ", "stream(spec.seed + spec.tide, "))
    edit(
        tree / "python/plimsoll/catalog/shape.py",
        ('        "seed": values["seed"],\n', '        "seed": values["seed"],\n        "tide": values["tide"],\n'),
    )


def parameter_of_block_io(tree: Path) -> None:
    """A field, and what it does: a limit of operations is lower."""
    most = "        max_operations: Option<u64> = None, in count(1..);\n"
    field = "        /// Operations that the limit leaves out.\n        spared: u64 = 0, in count(..=10);\n"
    edit(tree / PARAMETER, (most, most + field))
    lower = "share(spec.max_operations.map(|most| most.saturating_sub(spec.spared)))"
    edit(tree / "crates/io/src/worker/count.rs", ("share(spec.max_operations)", lower))


def file_system_test(tree: Path) -> None:
    """A file beside the other tests, and a profile that names it."""
    for original, added in (("crates/files/src/workloads/zcav.rs", WHARF), (PROFILE.replace("wharf", "zcav"), PROFILE)):
        text = (ROOT / original).read_text()
        (tree / added).write_text(text.replace("zcav", "wharf").replace("Zcav", "Wharf"))


def driver(tree: Path) -> None:
    """What speaks like Redis, the server of its conformance tests, and what it may say to the fuzzer."""
    drivers = tree / "crates/db/src/drivers"
    shutil.copytree(drivers / "redis", drivers / "harbour")
    edit(
        drivers / "harbour/mod.rs",
        ("RedisDriver", "HarbourDriver"),
        ('name: "redis"', 'name: "harbour"'),
        ('("redis", 6379), ("rediss", 6379)', '("harbour", 6379)'),
        ("redis://", "harbour://"),
    )
    shutil.copy(tree / "crates/db/tests/servers/redis.rs", tree / "crates/db/tests/servers/harbour.rs")
    edit(tree / "crates/db/tests/servers/harbour.rs", ("redis://", "harbour://"))
    shutil.copytree(ROOT / "fuzz/corpus/redis", tree / "fuzz/corpus/harbour")


def private_server(tree: Path) -> None:
    """A file beside the other servers."""
    text = (tree / "python/plimsoll/run/servers/redis.py").read_text()
    (tree / SERVER).write_text(text.replace('DRIVER = "redis"', 'DRIVER = "harbour"').replace("redis://", "harbour://"))


RECIPES: dict[str, tuple[str, Callable[[Path], None]]] = {
    "an engine": (ENGINE, engine),
    "a parameter of a file-system test": (TEST, parameter_of_a_test),
    "a parameter of a database test": (DATABASE, parameter_of_a_database_test),
    "an option of a volume": (OPTION, option_of_a_volume),
    "a parameter of block I/O": (PARAMETER, parameter_of_block_io),
    "a file-system test": (WHARF, file_system_test),
    "a database driver": (DRIVER, driver),
    "a private server": (SERVER, private_server),
}


@pytest.fixture(scope="module")
def tree(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The copy with its Rust sources, what is added to these, and the module that was built from them."""
    need_program("cargo")
    copy = tmp_path_factory.mktemp("compiled") / "tree"
    shutil.copytree(tree, copy)
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, copy / name)
    for _, carry_out in RECIPES.values():
        carry_out(copy)
    # What other crates were compiled to is used again; what is compiled here never is.
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    once = {"CARGO_INCREMENTAL": "0", "CARGO_PROFILE_DEV_DEBUG": "0", "CARGO_TARGET_DIR": str(target)}
    build(["cargo", "build", "--quiet", "--locked", "--package", "plimsoll-python"], copy, **once)
    shutil.copy(target / "debug/lib_core.so", copy / "python/plimsoll/_core.abi3.so")
    build([sys.executable, "tools/parameters.py"], copy, PYTHONPATH=str(copy / "python"))
    return copy


def build(command: list[str], folder: Path, **environment: str) -> None:
    """Runs a command that has to end well."""
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, timeout=BUILD_S,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_recipe_names_the_place(recipe: str) -> None:
    written = row(recipe)[0]
    path = RECIPES[recipe][0]
    name = path.rpartition("/")[0] + "/NAME" + Path(path).suffix
    assert f"`{path}`" in written or f"`{name}`" in written


def test_an_engine_is_listed_and_runs(plimsoll: Command, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    assert "harbour" in {each["engine"] for each in plimsoll("list", "engines", "--json").json}
    words = ("--on", "a=here", "--set", "engine=harbour", "--quick-sizes")
    assert "read_p50" in plimsoll("run", "ping", *words, *SHORT).out


def test_a_parameter_of_a_test_does_what_it_says(plimsoll: Command, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    words = ("--on", "a=here", "--set", "size=4MiB", "--set", "block=1MiB", "--set")
    shown = plimsoll("run", "zcav", *words, "again=2", *SHORT)
    [reads] = [
        row
        for section in shown.json["sections"]
        for block in section["blocks"]
        for row in block.get("rows", ())
        if row.get("operation") == "read" and "operations" in row
    ]
    assert reads["operations"]["value"] == 3 * 4
    refused = plimsoll("plan", "zcav", *words, "again=11", check=2).err
    assert "again: 11 is out of bounds; use 0 to 10" in refused


def test_a_parameter_of_a_database_test_does_what_it_says(plimsoll: Command, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    words = ("--on", "a=here", "--server", "sqlite", "--set", "measure=load", "--set", "data=recreate")
    words = (*words, "--set", "records=200", "--set")
    shown = plimsoll("run", "ycsb-a", *words, "spared=9", *SHORT)
    [inserts] = [
        row
        for section in shown.json["sections"]
        for block in section["blocks"]
        for row in block.get("rows", ())
        if row.get("operation") == "insert" and "operations" in row
    ]
    assert inserts["operations"]["value"] == 191
    refused = plimsoll("plan", "ycsb-a", *words, "spared=11", check=2).err
    assert "spared: 11 is out of bounds; use 0 to 10" in refused


def test_an_option_of_a_volume_does_what_it_says(plimsoll: Command) -> None:
    def simulated(tide: str, check: int = 0) -> str:
        volume = f"gp3,size=100GiB,seed=3,queue=unfair{tide}"
        answer = plimsoll("simulate", "--volume", volume, "--job", "randread,depth=64", "--duration", "5s", "--json",
                          check=check)  # fmt: skip
        return str(answer.json["simulations"][0]["latency_ns"]) if check == 0 else answer.err

    assert simulated("") == simulated(",tide=0")
    assert simulated("") != simulated(",tide=4")
    assert "tide: 10 is out of bounds; use 0 to 9" in simulated(",tide=10", check=2)
    assert "Draws of another tide." in plimsoll("volume", "create", "--help").out


def test_a_parameter_of_block_io_does_what_it_says(plimsoll: Command, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    words = ("--on", "a=here", "--set", "engine=null", "--set", "max_operations=40", "--quick-sizes", "--set")
    plimsoll("run", "ping", *words, "spared=9", *SHORT)
    plimsoll("export", "-o", "ping.plimsoll.gz")
    lines = gzip.decompress((tmp_path / "ping.plimsoll.gz").read_bytes()).splitlines()
    [run] = [line["run"] for line in map(json.loads, lines) if "run" in line]
    assert run["facts"]["operations"]["read"]["operations"] == 40 - 9
    assert run["plan"]["parameters"]["spared"] == 9
    refused = plimsoll("plan", "ping", *words, "spared=11", check=2).err
    assert "spared: 11 is out of bounds; use 0 to 10" in refused


def test_a_file_system_test_is_run(plimsoll: Command, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    shown = plimsoll("run", "wharf", "--on", "a=here", "--set", "size=4MiB", "--set", "block=1MiB", *SHORT)
    assert "wharf" in shown.out
    assert "1 of 1" in plimsoll("show").out


def test_a_driver_and_its_private_server_carry_out_a_test(plimsoll: Command, tmp_path: Path) -> None:
    need_program("redis-server")
    (tmp_path / "here").mkdir()
    assert "harbour" in plimsoll("list", "drivers").out
    words = ("--set", "records=200", "--set", "max_operations=100")
    plimsoll("run", "ycsb-c", "--on", "a=here", "--server", "harbour", *words, *SHORT)
    assert "1 of 1" in plimsoll("show").out
