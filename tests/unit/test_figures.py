"""What was measured is shown as it was: the last figure of each place, its range, and goals that were missed."""

from __future__ import annotations

import importlib.util
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from plimsoll.profile import profiles

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("figures", ROOT / "tools/figures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


DATA: dict[str, Any] = tomllib.loads((ROOT / "docs/data/figures.toml").read_text())
TABLES = {**DATA["tables"], **DATA["tests"]}


def row(date: str = "2026-11-22", at: str = "a", **figures: Any) -> dict[str, Any]:
    return {"row": "reads", "at": at, "date": date, **figures}


def test_the_last_figure_of_each_place_is_shown(tool: ModuleType) -> None:
    rows = [row(iops=1), row(iops=2, at="b"), row("2026-12-01", iops=3)]
    assert [*tool.lines(rows, {"iops": "IOPS", "cpu": "CPU"}, {})] == [
        "|  | IOPS | when, where |",
        "|---|---|---|",
        "| reads | 3 | 2026-12-01, a |",
        "| reads | 2 | 2026-11-22, b |",
    ]


@pytest.mark.parametrize(
    ("figure", "goal", "told"),
    [
        ([1.05, 0.9, 1.2], ">= 1", "| 1.05 (0.9…1.2) | ≥ 1: met |"),
        ([0.95, 0.9, 1.2], ">= 1", "| 0.95 (0.9…1.2) | ≥ 1: **missed** |"),
        ([0.95, 1.2], ">= 1", "| 0.95…1.2 | ≥ 1: **missed** |"),
        (16_160, "15840 .. 16160", "| 16,160 | 15,840…16,160: met |"),
        (16_161, "15840 .. 16160", "| 16,161 | 15,840…16,160: **missed** |"),
        (0, "<= 0", "| 0 | ≤ 0: met |"),
    ],
)
def test_a_goal_is_held_against_the_figure(tool: ModuleType, figure: Any, goal: str, told: str) -> None:
    assert told in [*tool.lines([row(iops=figure)], {"iops": "IOPS"}, {"reads": {"iops": goal}})][2]


def test_what_is_met_and_what_is_missed_stand_apart(tool: ModuleType) -> None:
    columns, goals = {"p50": "p50, µs", "p99": "p99, µs"}, {"every row": {"p50": "<= 5", "p99": "<= 5"}}
    assert "| p50 ≤ 5: met; p99 ≤ 5: **missed** |" in [*tool.lines([row(p50=4, p99=6)], columns, goals)][2]
    assert "| p50, p99 ≤ 5: met |" in [*tool.lines([row(p50=4, p99=5)], columns, goals)][2]


def test_a_goal_that_is_none_is_refused(tool: ModuleType) -> None:
    with pytest.raises(ValueError, match=r"'= 1' is no goal"):
        [*tool.lines([row(iops=1)], {"iops": "IOPS"}, {"reads": {"iops": "= 1"}})]


@pytest.mark.parametrize("name", TABLES)
def test_every_line_of_the_file_can_be_read(tool: ModuleType, name: str) -> None:
    table = TABLES[name]
    columns = table.get("columns", tool.TEST_COLUMNS)
    for line in table["rows"]:
        assert line["at"] in DATA["places"]
        figures = {key: value for key, value in line.items() if key not in ("row", "at", "date")}
        assert figures.keys() <= columns.keys()
        for value in figures.values():
            assert not isinstance(value, list) or value[-2] <= value[-1]
            assert not isinstance(value, list) or len(value) == 2 or value[1] <= value[0] <= value[2]
    assert table.get("goals", {}).keys() <= {*(line["row"] for line in table["rows"]), tool.EVERY_ROW}


def test_figures_of_tests_belong_to_tests_with_an_original() -> None:
    assert DATA["tests"].keys() <= profiles().keys()


def test_profiles_hold_no_dates() -> None:
    assert [name for name, each in profiles().items() if "Measured " in each.beside or len(each.beside) > 350] == []
