"""`plimsoll profile --save-test`: a study that can be run, with what is kept and what is not."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from typer.testing import CliRunner

from plimsoll.cli.main import app
from plimsoll.errors import UsageError
from plimsoll.run.studies import from_file
from plimsoll.traces.profile.load import look
from plimsoll.traces.profile.made import make
from plimsoll.units import MIB


def trace(folder: Path, *, reads: float = 0.7, seconds: int = 20, rate: int = 500, flush_every: int = 0) -> Path:
    """Random reads of 4 and 16 KiB and writes of 8 KiB in 64 MiB, Poisson arrivals."""
    draw, now_s, lines, number = random.Random(3), 0.0, [], 0
    while now_s < seconds:
        now_s += draw.expovariate(rate)
        is_read = draw.random() < reads
        sectors = draw.choice((8, 8, 8, 32)) if is_read else 16
        place = draw.randrange(64 * MIB // 16384) * 32
        kinds = [("R" if is_read else "W", f"{place} + {sectors}")]
        number += 1
        if flush_every and number % flush_every == 0:
            kinds.append(("F", "0 + 0"))
        for kind, where in kinds:
            lines.append(f"8,0 1 {2 * number} {now_s:.9f} 7 Q {kind} {where} [db]")
            lines.append(f"8,0 1 {2 * number + 1} {now_s + 0.0005:.9f} 7 C {kind} {where} [0]")
    path = folder / "load.txt"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_study_that_can_be_run(tmp_path: Path) -> None:
    saved = tmp_path / "like"
    done = CliRunner().invoke(app, ["profile", str(trace(tmp_path)), "--save-test", str(saved)])
    assert done.exit_code == 0, done.stderr
    assert "kept: " in done.stderr
    assert "not kept: which places are used more than others" in done.stderr
    [case] = from_file(tmp_path / "like.toml").cases()
    values = case.parameters
    assert case.label == "randrw"
    assert values["read_share"] == pytest.approx(0.7, abs=0.02)
    assert "rate=" not in case.label
    assert values["rate"] == {"per_second": pytest.approx(500, rel=0.03), "unit": "operations"}
    [small, large] = values["block_size"]  # type: ignore[misc]
    assert (small[0], large[0]) == (4096, 16384)
    assert small[1] / large[1] == pytest.approx(3, rel=0.15)
    assert [size for size, _ in values["write_block_size"]] == [8192]  # type: ignore[attr-defined]


def test_what_exists_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "like.toml").write_text("mine")
    done = CliRunner().invoke(app, ["profile", str(trace(tmp_path)), "--save-test", str(tmp_path / "like.toml")])
    assert isinstance(done.exception, UsageError)
    assert (tmp_path / "like.toml").read_text() == "mine"


def test_what_is_lost_is_said(tmp_path: Path) -> None:
    plain = make(look(trace(tmp_path)), "load")
    assert [sentence.partition(" ")[0] for sentence in plain.lost] == ["Whatever", "Which", "Which"]
    flushed = make(look(trace(tmp_path, flush_every=10)), "load")
    assert flushed.parameters["sync"] == "fdatasync"
    assert int(flushed.parameters["sync_every"]) == pytest.approx(3, abs=1)
    assert any(sentence.startswith("When flushes come") for sentence in flushed.lost)


def test_a_load_of_reads_only_has_no_size_of_writes(tmp_path: Path) -> None:
    made = make(look(trace(tmp_path, reads=1.0)), "load")
    assert made.parameters["read_share"] == "100%"
    assert "write_block_size" not in made.parameters
