"""`plimsoll profile` of loads with known properties."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.unit.traces.test_core import write
from typer.testing import CliRunner

from plimsoll.cli.main import app
from plimsoll.errors import UsageError
from plimsoll.traces.core import TraceError
from plimsoll.traces.profile.load import Load, look

Io = tuple[float, float, str, int, int]
"""Arrival and latency in seconds, kind, first sector, sectors."""


def blkparse(ios: Sequence[Io], device: str = "8,0") -> str:
    """A text of blkparse in which these I/Os are asked for and end."""
    marks = []
    for number, (at, latency, kind, sector, sectors) in enumerate(ios, 1):
        for mark, time, who in (("Q", at, "db"), ("D", at, "db"), ("C", at + latency, "0")):
            marks.append(
                (time, f"  {device} 1 {number:8d} {time:14.9f}  697  {mark}  {kind} {sector} + {sectors} [{who}]")
            )
    return "\n".join(line for _, line in sorted(marks, key=lambda each: each[0])) + "\n"


def steady(per_s: int, seconds: float, *, latency_s: float = 0.0005, blocks: int = 0, since: float = 0.0) -> list[Io]:
    """Reads of 4 KiB, evenly; one block after another, or the same `blocks` again and again."""
    count = round(per_s * seconds)
    return [(since + i / per_s, latency_s, "R", 8 * (i % blocks if blocks else i), 8) for i in range(count)]


def looked(folder: Path, ios: Sequence[Io]) -> Load:
    return look(write(folder, blkparse(ios)))


def test_an_even_stream(tmp_path: Path) -> None:
    load = looked(tmp_path, steady(50, 12))
    assert (load.operations, load.read_share, load.mean_bytes) == (600, 1.0, 4096)
    assert load.per_s == pytest.approx(50, rel=0.01)
    assert [(each.window_s, each.per_s) for each in load.bursts()] == [(1, 50), (10, 50)]
    assert load.found["sequential"] == pytest.approx(599 / 600)
    assert load.found["depth"] == [1.0, 1, 1, 1]
    assert load.found["think_ns"][0] == pytest.approx(0.0195e9, rel=1e-3)
    assert load.found["touched_bytes"] == 600 * 4096
    assert load.hidden is None


def test_a_burst_and_its_place(tmp_path: Path) -> None:
    load = looked(tmp_path, [*steady(10, 7), *steady(500, 1, since=7), *steady(10, 4, since=8)])
    worst = load.bursts()[0]
    assert (worst.per_s, worst.start_s) == (500, 7)
    assert worst.times == pytest.approx(500 / (610 / 12), rel=0.02)


def test_what_is_read_again_would_be_absorbed(tmp_path: Path) -> None:
    load = looked(tmp_path, steady(100, 10, blocks=100))
    assert load.found["absorbed"] == [{"bytes": 1 << 20, "share": 0.9, "error": 0.0}]


def test_saturation_hides_the_demand(tmp_path: Path) -> None:
    ios = [
        *steady(40, 6),
        *steady(200, 6, latency_s=0.02, since=6),
        *steady(40, 6, since=12),
    ]
    load = looked(tmp_path, ios)
    assert load.hidden is not None
    assert load.hidden.share == pytest.approx(6 / 18, rel=0.1)


def _run(*words: str) -> tuple[int, str, str]:
    found = CliRunner().invoke(app, ["profile", *words])
    return found.exit_code, found.stdout, found.stderr


def test_terminal_page_and_json(tmp_path: Path) -> None:
    trace, page = write(tmp_path, blkparse(steady(50, 3))), tmp_path / "load.html"
    code, out, told = _run(str(trace), "-o", str(page))
    assert code == 0
    assert "It is even" in out
    assert f"next: plimsoll advise {trace}" in told
    assert "<title>" in page.read_text()
    code, out, _ = _run(str(trace), "--json")
    found = json.loads(out)
    assert (code, found["operations"], found["read_share"], found["demand_hidden"]) == (0, 150, 1.0, None)
    assert found["processes"] == [{"name": "db", "operations": 150, "bytes": 150 * 4096}]


@pytest.mark.parametrize("words", [(), ("--device", "8,16")])
def test_what_it_says_to_type_next_can_be_typed(words: tuple[str, ...], tmp_path: Path) -> None:
    folder = tmp_path / "a b"
    folder.mkdir()
    other = blkparse(steady(5, 1, since=2), "8,16") if words else ""
    trace = write(folder, blkparse(steady(50, 3)) + other)
    code, _, told = _run(str(trace), *words)
    assert code == 0
    line = next(line for line in told.splitlines() if line.startswith("next: "))
    _, program, *typed = shlex.split(line)
    assert (program, typed[0], typed[1]) == ("plimsoll", "advise", str(trace))
    assert typed[-2:] == ["--size", "1GiB"]
    assert "--size is how far it was used" in told
    found = CliRunner().invoke(app, [*typed, "--json"])
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["load"]["operations"] == (5 if words else 150)


def test_its_format_can_be_said(tmp_path: Path) -> None:
    trace = write(tmp_path, blkparse(steady(50, 3)))
    assert _run(str(trace), "--format", "blkparse")[0] == 0
    found = CliRunner().invoke(app, ["profile", str(trace), "--format", "msr"])
    assert isinstance(found.exception, TraceError)
    found = CliRunner().invoke(app, ["advise", str(trace), "--format", "none", "--size", "1GiB"])
    assert "cannot be read as none, which is no format" in str(found.exception)


def test_several_devices_are_asked_for(tmp_path: Path) -> None:
    trace = write(tmp_path, blkparse(steady(5, 1)) + blkparse(steady(5, 1, since=2), "8,16"))
    with pytest.raises(UsageError, match=r"several devices \(8,0, 8,16\); say which with --device NAME"):
        look(trace)
    assert look(trace, "8,16").operations == 5
    with pytest.raises(UsageError, match="--device sdz"):
        look(trace, "sdz")


def test_what_is_no_trace(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="no trace that is known"):
        look(write(tmp_path, "hello\n" * 20))
