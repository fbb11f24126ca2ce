"""`plimsoll replay`, from the command line to the stored run."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import need, need_root
from tests.integration.run import starter
from typer.testing import CliRunner

from plimsoll.cli.main import app
from plimsoll.model import Level, Run
from plimsoll.store.opening import open_store
from plimsoll.traces import core, replay

EVENTS, RATE = 1500, 1000


def trace(folder: Path, thinks_us: int = 0) -> Path:
    """Reads, writes and some flushes at random places of 8 MiB, in the text of blkparse."""
    draw, lines, at_us = random.Random(5), [], 0
    for number in range(EVENTS):
        at_us += thinks_us or round(1e6 / RATE)
        kind = "FN" if number % 100 == 99 else ("R" if draw.random() < 0.7 else "WS")
        where = "" if kind == "FN" else f" {draw.randrange(2000) * 8} + 8"
        done = at_us + 200
        for action, moment in (("Q", at_us), ("C", done)):
            lines.append(f"8,0 1 {len(lines)} {moment / 1e6:.9f} 7 {action} {kind}{where} [app]")
    path = folder / "load.txt"
    path.write_text("\n".join(sorted(lines, key=lambda line: float(line.split()[3]))) + "\n")
    own = folder / "load.trace"
    own.write_bytes(b"".join(core.converted(path)))
    return own


def plimsoll(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return starter.run([*map(str, words)], Path.cwd(), {**os.environ})


def last() -> list[Run]:
    """The runs of the last session."""
    with open_store() as store:
        return list(store.runs([store.sessions()[0].id]))


def replayed() -> dict[str, int]:
    """How many of each kind were done."""
    [run] = last()
    operations: dict[str, Any] = run.facts["operations"]
    return {kind: counts["operations"] for kind, counts in operations.items()}


@pytest.mark.parametrize("form", ["load.trace", "load.txt"])
def test_a_trace_is_replayed_in_its_own_times(tmp_path: Path, form: str) -> None:
    trace(tmp_path)
    done = plimsoll("replay", tmp_path / form, "--on", f"a={tmp_path},direct=no", "--noisy-host", "--quiet")
    assert done.returncode == 0, done.stderr
    reads, writes, _, flushes = (kind["events"] for kind in core.contents(tmp_path / form).totals["kinds"])
    assert replayed() == {"read": reads, "write": writes, "sync": flushes}
    [run] = last()
    assert "lateness" in run.histograms
    assert run.facts["offered_operations"] == reads + writes
    assert {each.guard for each in run.findings} >= {"replay_schedule", "open_loop"}


def test_a_faster_schedule_takes_less_time(tmp_path: Path) -> None:
    own = trace(tmp_path)
    place = f"a={tmp_path},direct=no"
    done = plimsoll("replay", own, "--on", place, "--speed", "3", "--space", "1MiB", "--noisy-host", "--quiet")
    assert done.returncode == 0, done.stderr
    assert sum(replayed().values()) == EVENTS
    [run] = last()
    assert run.plan.parameters["size"] == 1 << 20


def test_as_fast_as_dependencies_allow(tmp_path: Path) -> None:
    own = trace(tmp_path)
    done = plimsoll("replay", own, "--on", f"a={tmp_path},direct=no", "--closed", "--noisy-host", "--quiet")
    assert done.returncode == 0, done.stderr
    assert sum(replayed().values()) == EVENTS
    [run] = last()
    assert "lateness" not in run.histograms
    assert run.facts["offered_operations"] is None


def test_two_targets_are_compared(tmp_path: Path) -> None:
    own = trace(tmp_path)
    (tmp_path / "b").mkdir()
    words = ["--on", f"a={tmp_path},direct=no", "--on", f"b={tmp_path / 'b'},direct=no", "--repeats", "3"]
    done = plimsoll("replay", own, *words, "--speed", "3", "--noisy-host", "--quiet", "--same-place")
    assert done.returncode in (0, 2), done.stderr


def test_bad_input_is_said(tmp_path: Path) -> None:
    own = trace(tmp_path)
    missing = plimsoll("replay", tmp_path / "none.trace", "--on", f"a={tmp_path}")
    assert missing.returncode == 2
    assert "none.trace" in missing.stderr
    assert "Traceback" not in missing.stderr
    slow = plimsoll("replay", own, "--on", f"a={tmp_path}", "--speed", "0")
    assert slow.returncode == 2
    assert "--speed 0: a trace is replayed 0.001 to 1,000 times as fast" in slow.stderr
    own.write_bytes(own.read_bytes()[:200])
    cut = plimsoll("replay", own, "--on", f"a={tmp_path}")
    assert cut.returncode == 2
    assert "Traceback" not in cut.stderr


def test_a_trace_of_a_large_disk_says_how_it_fits_a_small_one(tmp_path: Path) -> None:
    """The option of the command, not the parameter behind it."""
    far = tmp_path / "far.txt"
    lines = [
        f"8,0 1 {n} {n}.000000000 7 {'Q' if n % 2 else 'C'} R {2**38 if n > 2 else 8} + 8 [app]" for n in range(1, 5)
    ]
    far.write_text("\n".join(lines) + "\n")
    refused = plimsoll("replay", far, "--on", f"a={tmp_path}")
    assert refused.returncode == 2
    assert "say --space 4GiB to scale its addresses to that size, or make room" in refused.stderr
    assert "size=" not in refused.stderr


def crowd(folder: Path, many: int = 400, sectors: int = 8) -> Path:
    """So many reads within a tenth of a second, each done within a millisecond."""
    lines = [
        (i / 4000 + later, f"7 {mark} R {draw * 8} + {sectors} [app]")
        for i, draw in enumerate(random.Random(7).choices(range(2000), k=many))
        for mark, later in (("Q", 0.0), ("C", 0.0005))
    ]
    path = folder / "crowd.txt"
    path.write_text("".join(f"8,0 1 {n} {at:.9f} {what}\n" for n, (at, what) in enumerate(sorted(lines))))
    return path


SLOW = "slow=vol:gp2,size=1GiB,credits=0%"
"""100 IOPS, and as many that are stored."""


@pytest.mark.parametrize("words", [[], ["--closed"]])
def test_a_slow_target_is_waited_for(words: list[str], tmp_path: Path) -> None:
    need_root()
    need(Path("/dev/fuse").exists(), "/dev/fuse")
    done = plimsoll("replay", crowd(tmp_path), "--on", SLOW, *words, "--noisy-host", "--quiet")
    assert done.returncode == 0, done.stderr
    assert replayed()["read"] == 400
    [run] = last()
    assert len(run.intervals) >= 3
    told = {each.guard: each for each in run.findings}
    assert told["replay_end"].message == "all 400 I/Os of the trace were issued"
    if not words:
        assert "on every one was late" in told["replay_schedule"].message


def test_a_replay_that_is_not_done_is_invalid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_root()
    need(Path("/dev/fuse").exists(), "/dev/fuse")
    monkeypatch.setattr(replay, "LEAST_MORE_NS", 0)
    for words in ([], ["--closed"]):
        # Of 512 KiB 256 are kept in flight, and each counts as two I/Os.
        trace = str(crowd(tmp_path, 400, 1024))
        CliRunner().invoke(app, ["replay", trace, "--on", SLOW, *words, "--noisy-host", "--quiet"])
        finding = next(each for each in last()[0].findings if each.guard == "replay_end")
        assert finding.level is Level.INVALID
        assert "of 400 I/Os of the trace were never issued" in finding.message
        assert 0 < finding.values["unissued_share"] < 1


def test_a_trace_that_has_changed_is_refused_when_the_session_goes_on(tmp_path: Path) -> None:
    own = trace(tmp_path)
    words = ["--on", f"a={tmp_path},direct=no", "--speed", "10", "--noisy-host", "--quiet"]
    assert plimsoll("replay", own, *words).returncode == 0
    content = own.read_bytes()
    own.write_bytes((tmp_path / "load.txt").read_bytes())
    refused = plimsoll("extend", "--blocks", "1")
    assert refused.returncode == 2
    assert "load.trace is not what it was" in " ".join(refused.stderr.split())
    own.write_bytes(content)
    assert plimsoll("extend", "--blocks", "1", "--quiet").returncode == 0


def test_several_traces_are_replayed_at_once(tmp_path: Path) -> None:
    path = trace(tmp_path)
    reads, writes = (kind["events"] for kind in core.contents(path).totals["kinds"][:2])
    done = plimsoll("replay", path, path, "--on", f"a={tmp_path},direct=no", "--noisy-host", "--quiet")
    assert done.returncode == 0, done.stderr
    assert "2 traces begin together:" in done.stderr
    assert f"{path} from 8 MiB on" in done.stderr
    found = replayed()
    assert (found["read"], found["write"]) == (2 * reads, 2 * writes)
    [run] = last()
    # At once, and not one after the other.
    assert run.facts["elapsed_ns"] < 1.5 * EVENTS / RATE * 1e9 + 1e9
