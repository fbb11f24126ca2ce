"""`plimsoll.advise` answers as the command does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.pages import words
from tests.unit.traces.test_counters import matrix, node
from typer.testing import CliRunner

import plimsoll
from plimsoll.cli.main import app


@pytest.fixture
def busy(tmp_path: Path) -> Path:
    """Two minutes of a disk at 2,900 writes per second."""
    count = [2900.0 * i for i in range(120)]
    size = [16_384 * value for value in count]
    file = tmp_path / "prometheus.json"
    file.write_text(matrix(node("sda", count, [0.0] * 120, size, [0.0] * 120), step=1))
    return file


def test_it_says_what_the_command_says(busy: Path) -> None:
    words = ("--size", "500GiB", "--provider", "aws", "--headroom", "30%")
    typed = json.loads(CliRunner().invoke(app, ["advise", str(busy), *words, "--json"]).stdout)
    found = plimsoll.advise(busy, size="500GiB", provider="aws", headroom="30%")
    assert json.loads(json.dumps(found.row())) == typed
    assert list(found.answer) == typed["answer"]
    assert list(found.cannot_know) == typed["cannot_know"]


def test_the_volume_and_what_it_costs(busy: Path) -> None:
    found = plimsoll.advise(str(busy), size="500GiB", provider="aws")
    assert found.volume is not None
    assert found.volume["type"] == "gp3"
    assert found.volume_of_bursts == found.volume, "its periods are of a second"
    assert found.usd_per_month == pytest.approx(40.0)
    assert found.answer[0].startswith("Buy gp3 500 GiB")
    assert "Buy gp3 500 GiB" in str(found)
    assert "Buy gp3 500 GiB" in repr(found)


def test_it_shows_itself_in_a_notebook(busy: Path) -> None:
    found = plimsoll.advise([busy], size="500GiB", provider="aws")
    page = found._repr_html_()
    assert "Buy gp3 500 GiB" in words(page)
    assert "<table" in page
    assert list(found.charts)
    table = found.to_pandas()
    assert set(table["came"]) == {"even"}
    assert table.loc[table["family"] == "gp3", "standing"].item() == "carries"
    assert table["p99_ns"].notna().any()


def test_what_is_wrong_is_an_error_of_the_library(busy: Path, tmp_path: Path) -> None:
    with pytest.raises(plimsoll.UsageError, match="how much must the volume hold"):
        plimsoll.advise(busy)
    with pytest.raises(plimsoll.UsageError, match="no file is named"):
        plimsoll.advise([])
    with pytest.raises(plimsoll.UnknownName, match="gp3"):
        plimsoll.advise(busy, current="type=gp33,size=1GiB")
    with pytest.raises(plimsoll.PlimsollError, match=r"none\.txt"):
        plimsoll.advise(tmp_path / "none.txt", size="1GiB")
