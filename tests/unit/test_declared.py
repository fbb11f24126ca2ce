"""The records of parameters are for the type checker: it refuses what no plan can hold, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mypy import api

from plimsoll.declared import DB, FILES, IoParameters
from plimsoll.parameters import defaults
from plimsoll.run.workers.local import LAID_OUT

SNIPPET = """
from plimsoll.declared import BonnieParameters, DbParameters, IoParameters
from plimsoll.model import Plan


def read(plan: Plan, io: IoParameters, db: DbParameters, bonnie: BonnieParameters) -> object:
    right: list[object] = [plan.values(IoParameters)["depth"] * 2, io["mode"] == "randread", bonnie["threads"]]
    right += [db["clients"] // 2, io["rate"] and io["rate"]["per_second"] / 2, io.get("files"), bonnie["direct"]]
    named = plan.values(IoParameters)["deth"]  # wrong
    compared = io["mode"] == "randraed"  # wrong
    absent = io["rate"]["per_second"]  # wrong
    unit = io["rate"] and io["rate"]["unit"] == "operation"  # wrong
    other = db["depth"]  # wrong
    number = io["mode"] + 1  # wrong
    unread = plan.parameters["depth"] * 2  # wrong
    put: IoParameters = {**io, "layout": "keep", "depth": 2}
    misspelt: IoParameters = {**io, "layuot": "keep"}  # wrong
    word: IoParameters = {**io, "layout": "kep"}  # wrong
    return right, named, compared, absent, unit, other, number, unread, put, misspelt, word
"""


@pytest.mark.slow
def test_a_misspelt_name_and_a_comparison_that_is_never_true_are_errors_of_the_type_checker(tmp_path: Path) -> None:
    snippet = tmp_path / "snippet.py"
    snippet.write_text(SNIPPET)
    options = ["--strict", "--no-error-summary", "--hide-error-context", "--cache-dir", str(tmp_path / "cache")]
    told, problems, _ = api.run([*options, str(snippet)])
    assert not problems
    found = {int(line) for line in re.findall(r"^.*snippet\.py:(\d+): error:", told, re.MULTILINE)}
    expected = {number for number, line in enumerate(SNIPPET.splitlines(), 1) if line.endswith("# wrong")}
    assert found == expected, told


def test_a_record_has_every_name_of_its_plans() -> None:
    for workload, record in {"io": IoParameters, **FILES, **DB}.items():
        assert defaults(workload).keys() == record.__required_keys__, workload
    assert set(LAID_OUT) <= IoParameters.__annotations__.keys()
