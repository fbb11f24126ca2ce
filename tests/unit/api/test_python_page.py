"""The examples of docs/python.md, executed in their order, as a reader would."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.unit.traces.test_together import iostat

import plimsoll

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/python.md").read_text()
FIO = ROOT / "tests/unit/importers/fio_json/fixtures/fio3.json"


@pytest.mark.slow
def test_every_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PLIMSOLL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PLIMSOLL_STORE", str(tmp_path / "store.db"))
    (tmp_path / "disk").mkdir()
    shutil.copy(FIO, tmp_path / "fio.json")
    (tmp_path / "iostat.txt").write_text(iostat("2026-09-21 00:00:00", *range(900, 1020)))
    names: dict[str, Any] = {"__name__": "page"}
    examples = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    assert len(examples) >= 8
    for number, example in enumerate(examples, 1):
        exec(compile(example, f"docs/python.md, example {number}", "exec"), names)
    said = capsys.readouterr().out
    assert "shallow is" in said
    assert "slower than deep" in said
    assert "did you mean 'randread'?" in said
    assert "cancelled; finished runs are kept" in said
    assert "volume IOPS, credits used up" in said
    assert "Buy gp3" in said
    assert list((tmp_path / "disk").iterdir()) == []


def test_the_page_names_all_that_stays() -> None:
    for name in plimsoll.__all__:
        assert re.search(rf"\b{name}\b", PAGE), f"docs/python.md does not name {name}"
