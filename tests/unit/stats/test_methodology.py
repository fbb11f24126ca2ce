"""METHODOLOGY.md quotes the constants that are in force."""

import re
from pathlib import Path

import pytest

from plimsoll.stats import policy, unpaired

TEXT = (Path(__file__).parents[3] / "METHODOLOGY.md").read_text()


@pytest.mark.parametrize(("label", "field"), [("c₂", "c2"), ("y₂", "y2"), ("c₁", "c1"), ("y₁", "y1")])
def test_critical_values(label: str, field: str) -> None:
    (line,) = re.findall(rf"^\| {label},.*$", TEXT, re.MULTILINE)
    quoted = [float(number) for number in re.findall(r"\d+\.\d+", line)]
    in_force = [getattr(boundary, field) for boundary in policy.PLAN]
    assert quoted == in_force[-len(quoted) :]
    assert len(quoted) == len(policy.PLAN) - (3 if field.startswith("y") else 0)


def test_the_plan_of_looks() -> None:
    (line,) = re.findall(r"^\| blocks .*$", TEXT, re.MULTILINE)
    assert [int(number) for number in re.findall(r"\d+", line)] == [each.blocks for each in policy.PLAN]


def test_levels_and_modes() -> None:
    assert f"p₂ = {policy.P2} (two-sided) and p₁ = {policy.P1}" in TEXT
    for name, mode in policy.MODES.items():
        assert re.search(rf"^\| {name} \| {mode.cap} \| {mode.short_cap} \|", TEXT, re.MULTILINE)


def test_levels_of_sets_measured_apart() -> None:
    assert f"p₂ = {unpaired.P2:.4f} and p₁ = {unpaired.P1:.4f}" in TEXT
