"""`plimsoll advise` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.traces.test_counters import matrix, node
from typer.testing import CliRunner

from plimsoll.cli.main import app
from plimsoll.prices.coverage import coverage


def _file(tmp_path: Path, per_second: int = 2900) -> Path:
    count = [float(per_second * i) for i in range(120)]
    size = [16_384 * value for value in count]
    file = tmp_path / "prometheus.json"
    file.write_text(matrix(node("sda", count, [0.0] * 120, size, [0.0] * 120), step=1))
    return file


def _run(*words: str) -> tuple[int, str, str]:
    found = CliRunner().invoke(app, ["advise", *words])
    return found.exit_code, found.stdout, found.stderr


def test_the_first_sentence_is_the_answer(tmp_path: Path) -> None:
    code, out, _ = _run(str(_file(tmp_path)), "--size", "500GiB", "--provider", "aws")
    assert code == 0
    assert "Buy gp3 500 GiB, 3,000 IOPS, 125 MiB/s: $40.00 a month" in out


def test_json_and_a_page(tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    words = ("--current", "type=gp2,size=500GiB", "--growth", "40%/y", "--json", "-o", str(page))
    code, out, _ = _run(str(_file(tmp_path)), *words)
    found = json.loads(out)
    assert code == 0
    assert found["even"][0]["volume"]["type"] == "gp3"
    assert found["today"]["carries"] is False
    assert found["breaks"]["months"] > 0
    assert "<title>" in page.read_text()


def test_headroom_is_carried_and_growth_counts_from_the_load(tmp_path: Path) -> None:
    code, out, _ = _run(str(_file(tmp_path)), "--size", "500GiB", "--provider", "aws", "--headroom", "30%", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["even"][0]["volume"]["iops"] == "3770"
    assert found["breaks"]["factor"] == pytest.approx(1.3, abs=0.02)


def test_a_region_is_of_one_provider(tmp_path: Path) -> None:
    words = ("--size", "500GiB", "--provider", "aws,gcp", "--region", "eu-west-1")
    code, out, told = _run(str(_file(tmp_path)), *words, "--json")
    found = json.loads(out)
    regions = {each["provider"]: each["region"] for each in found["even"] if each["region"]}
    assert (code, regions) == (0, {"aws": "eu-west-1", "gcp": "us-central1"})
    assert "gcp has no prices in eu-west-1: those of its home region, us-central1, are taken" in told
    assert "aws has no prices" not in told
    _, _, told = _run(str(_file(tmp_path)), *words[:2], "--provider", "aws", "--json")
    assert "has no prices" not in told


def test_what_a_provider_sells_and_nobody_knows_is_counted(tmp_path: Path) -> None:
    code, out, _ = _run(str(_file(tmp_path)), "--size", "500GiB", "--provider", "azure,gcp", "--json")
    found = json.loads(out)
    ranked = {each["family"]: each for each in found["even"]}
    assert code == 0
    for name, counts in found["coverage"].items():
        rows = [row for row in coverage() if row.provider == name]
        known = [row.family for row in rows if ranked.get(row.family, {"standing": "unknown"})["standing"] != "unknown"]
        assert counts == {"known": len(known), "of": len(rows)}
    assert "standard-ssd" in {row.family for row in coverage() if row.provider == "azure"} - {*ranked}


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ((), "how much must the volume hold? Add --size 500GiB"),
        (("--size", "500GiB", "--slo", "iops>=3000"), "how much is asked is in the recorded load"),
        (("--size", "500GiB", "--growth", "fast"), "write it like 40%/y"),
        (("--size", "500GiB", "--headroom", "much"), "write it like 30%"),
        (("--size", "500GiB", "--headroom", "0.3"), "write it like 30%"),
        (("--size", "500GiB", "--headroom", "30%%"), "write it like 30%"),
        (("--size", "500"), "--size 500: less than 1 MiB; write it like 500GiB"),
        (("--size", "500GiB", "--slo", "p100<20ms"), "write max for the highest latency"),
        (("--size", "500GiB", "--period", "100ms"), "sda has periods of 1 s; give a multiple of it"),
        (("--size", "500GiB", "--provider", "acme"), "no provider named 'acme'"),
        (("--size", "500GiB", "--device", "sdz"), "the file has sda"),
        (("--current", "type=gp9,size=1GiB"), "no volume type named 'gp9'"),
    ],
)
def test_what_is_refused_says_what_to_do(tmp_path: Path, words: tuple[str, ...], part: str) -> None:
    found = CliRunner().invoke(app, ["advise", str(_file(tmp_path)), *words])
    text = found.output + str(found.exception or "")
    assert found.exit_code != 0
    assert part in text
