"""CONTRIBUTING's recipes, carried out: what each asks for is written into a copy of the package, and then used."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.integration.recipes.conftest import ADDED, LIMIT_S, ROOT, ROWS, Command

RECIPES = {
    "a test": "python/plimsoll/profiles/harbour.toml",
    "a suite": "python/plimsoll/suites/quay.toml",
    "a study": "python/plimsoll/studies/berth.toml",
    "a volume type": "python/plimsoll/catalog/providers/aws/volumes/harbour.py",
    "a provider": "python/plimsoll/catalog/providers/lighthouse/",
    "a guard": "python/plimsoll/run/guards/harbour.py",
    "a report section": "python/plimsoll/report/sections/harbour.py",
    "a doctor check": "python/plimsoll/doctor/checks/harbour.py",
    "an import format": "python/plimsoll/importers/formats/harbour.py",
    "a front end": "python/plimsoll/frontends/harbour/",
    "an original tool beside a test": "python/plimsoll/run/originals/harbour.py",
    "a fault for the torture test": "benches/torture/faults/harbour.py",
    "a command": "python/plimsoll/cli/commands/anchor.py",
}
"""What is added by each recipe."""
SHORT = ("--quick-sizes", "--noisy-host", "-q")


def row(recipe: str) -> list[str]:
    """The cells of a recipe: what is written, and what is edited elsewhere."""
    lines = (ROOT / "CONTRIBUTING.md").read_text().splitlines()
    [found] = [line for line in lines if line.startswith(f"| {recipe} |")]
    return [cell.strip() for cell in found.split(" | ")[1:]]


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_recipe_asks_for_what_is_added_and_for_nothing_else(recipe: str) -> None:
    written, elsewhere = row(recipe)
    assert elsewhere.rstrip(" |") == "nothing"
    path = RECIPES[recipe]
    own = path.rstrip("/").rsplit("/", 1)[-1].partition(".")[0]
    asked = path.replace("/aws/", "/PROVIDER/").replace(f"/{own}", "/NAME")
    assert f"`{asked}`" in written
    place = ADDED / path
    text = "".join(
        each.read_text() for each in ([place] if place.is_file() else sorted(place.rglob("*"))) if each.is_file()
    )
    for word in re.findall(r"`([A-Z]{4,}|[a-z]+\([a-z]*\))`", written):
        assert re.search(rf"\b{word.partition('(')[0]}\b", text), f"{word} of the recipe for {recipe}"


def test_nothing_is_added_that_no_recipe_asks_for() -> None:
    files = [str(path.relative_to(ADDED)) for path in ADDED.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert [file for file in files if not file.startswith(tuple(RECIPES.values()))] == []
    words = row("a price, a latency, an instance type, a successor")[0]
    for file in ROWS:
        assert Path(file).name in words
        assert str(Path(file).parent).replace("/aws/", "/PROVIDER/") in words


def test_a_test_is_run_judged_by_the_guard_and_reported_with_the_section(plimsoll: Command, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    plimsoll("run", "quay", "--on", "a=one", "--on", "b=two", "--repeats", "3", *SHORT)
    plimsoll("report", "-o", "report.json")
    shown = (tmp_path / "report.json").read_text()
    assert '"title": "The harbour"' in shown
    assert "12 ships lay in it." in shown
    assert "ships came in" in shown


def test_a_study_is_run_by_its_name(plimsoll: Command, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    assert "read_p50" in plimsoll("run", "berth", "--repeats", "3", "--quick-sizes", "-q", "--json").out


def test_the_lists_have_them(plimsoll: Command) -> None:
    found = {(each["kind"], each["plug-in"]) for each in plimsoll("list", "plugins", "--json").json}
    assert {(kind, "harbour") for kind in ("guards", "sections", "importers", "frontends")} <= found
    assert {"harbour", "beam"} <= {each["volume"] for each in plimsoll("list", "volumes", "--json").json}
    assert "quay" in plimsoll("list", "suites").out


def test_a_file_is_imported(plimsoll: Command, tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("ships per second: 12.5\n")
    plimsoll("import", "log.txt")
    assert "12.5" in plimsoll("show").out


def test_a_front_end_and_a_command_have_their_words(plimsoll: Command) -> None:
    assert "the harbour master heard --anchor" in plimsoll("harbour", "--anchor").err
    assert "anchored in Vigo" in plimsoll("anchor", "Vigo").out
    shown = plimsoll("--help").out
    assert "Speak with a harbour master" in shown
    assert "Drop anchor somewhere" in shown


def test_an_original_is_run_beside_its_test(plimsoll: Command, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    words = ("run", "zcav", "--on", "a=here,implementation=original", "--repeats", "1", *SHORT)
    assert "37.5" in plimsoll(*words).out
    refused = plimsoll(*words, "--set", "passes=2", check=2).err
    assert "harbour sails once: set passes=1" in refused


def test_a_fault_is_one_of_the_campaign_and_befalls_a_command(tree: Path) -> None:
    played = """
from types import SimpleNamespace
from benches.torture.faults import faults
from benches.torture.scenarios import SCENARIOS
found, turn = faults()["harbour"], SimpleNamespace(told=[])
assert set(found.SCENARIOS) <= set(SCENARIOS) and not found.TOUCHES & faults()["kill"].TOUCHES
with found.fault(turn) as strike:
    strike()
print(found.MEANING, turn.told)
"""
    # The campaign uses what the tests have for servers.
    path = os.pathsep.join(map(str, (tree, tree / "python", ROOT)))
    done = subprocess.run(
        [sys.executable, "-c", played], cwd=tree, env={**os.environ, "PYTHONPATH": path}, capture_output=True,
        text=True, timeout=LIMIT_S, check=False,
    )  # fmt: skip
    assert done.stdout == "a gull sits down beside the command ['a gull sat down', 'it flew away']\n", done.stderr


def test_the_doctor_asks(plimsoll: Command, tmp_path: Path) -> None:
    assert "harbour of examined: open" in plimsoll("doctor", tmp_path, check=None).out


@pytest.mark.parametrize(
    ("volume", "iops", "usd"),
    [("harbour,size=10GiB", 70, 2.0), ("beam,size=10GiB,iops=200", 200, 6.0)],
)
def test_a_volume_type_and_a_provider_are_simulated_and_priced(
    volume: str, iops: int, usd: float, plimsoll: Command
) -> None:
    words = ("simulate", "--volume", volume, "--job", "randread,depth=32", "--duration", "60s", "--json")
    [found] = plimsoll(*words).json["simulations"]
    assert found["cost"]["volume_usd_per_month"] == pytest.approx(usd)
    assert found["phases"][-1]["operations"] == pytest.approx(iops, rel=0.05)
    assert found["cost"]["as_of"] == "2026-01-31"
