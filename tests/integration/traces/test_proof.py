"""`plimsoll advise --prove`: volumes are really served, and the interval in which one fails is replayed on both."""

from __future__ import annotations

import json
import os
import random
import signal
import statistics
import subprocess
import sys
from pathlib import Path

from tests.conftest import until
from tests.integration.volumes.conftest import Machine, machine
from tests.pages import words

__all__ = ["machine"]

QUIET, BUSY = 300, 4200
"""IOPS: the second from 20 s on, for 8 s."""


def a_trace(folder: Path) -> Path:
    """blkparse's text of a load whose burst a gp3 volume of 3,000 IOPS stores for two or three seconds."""
    draw, now_s, lines, number = random.Random(1), 0.0, [], 0
    while now_s < 40:
        now_s += 1 / (BUSY if 20 <= now_s < 28 else QUIET)
        kind, sector = draw.choice("RRW"), draw.randrange(10_000) * 8
        number += 2
        lines.append(f"8,0 1 {number} {now_s:.9f} 7 Q {kind} {sector} + 8 [db]")
        lines.append(f"8,0 1 {number + 1} {now_s + 0.0005:.9f} 7 C {kind} {sector} + 8 [0]")
    path = folder / "load.txt"
    path.write_text("\n".join(lines) + "\n")
    return path


ASKED = ("--size", "20GiB", "--provider", "aws", "--slo", "p99<250ms", "--prove")


def test_one_keeps_the_objective_and_the_other_breaks_it(machine: Machine, tmp_path: Path) -> None:
    page = tmp_path / "advice.html"
    log = tmp_path / "events.jsonl"
    outputs = ("--json", "-o", str(page), "--quiet", "--log-json", str(log))
    done = machine.plimsoll("advise", str(a_trace(tmp_path)), *ASKED, *outputs)
    found = json.loads(done.stdout)
    proof = found["proof"]
    assert proof["by"] == "replay", proof
    assert 0 < proof["length_s"] <= 120
    assert proof["from_s"] + proof["length_s"] > 20
    assert proof["recommended"]["volume"] == found["even"][0]["volume"]
    for side in ("recommended", "cheaper"):
        assert len(proof[side]["measured"]) == 3
        assert proof[side]["levels"].keys() == {"iops", "throughput"}
    events = [json.loads(line) for line in log.read_text().splitlines()]
    assert {each["session_id"] for each in events} == {proof["session"]}
    assert sum(each["kind"] == "result" for each in events) == 6
    # Latency is not scaled: the cheaper one is as slow as its queue of thousands of I/Os makes it.
    middle = {
        side: statistics.median(each["p99<250ms"] for each in proof[side]["measured"])
        for side in ("recommended", "cheaper")
    }
    assert middle["cheaper"] > 250e6
    assert proof["proved"] == (middle["recommended"] <= 250e6)
    assert min(each["p99<250ms"] for each in proof["recommended"]["measured"]) < 250e6
    assert proof["sentences"][0].startswith("Proved here: the " if proof["proved"] else "Not proved here: the ")
    assert proof["sentences"][0] in words(page.read_text())
    shown = json.loads(machine.plimsoll("show", proof["session"], "--json").stdout)
    assert "proof: gp3 20 GiB" in json.dumps(shown)
    assert machine.left() == []


def test_ctrl_c_leaves_nothing_and_tells_what_is_known(machine: Machine, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "plimsoll", "advise", str(a_trace(tmp_path)), *ASKED]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ)
    until(lambda: len(machine.servers()) == 2, "both are served", 120)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err, err
    assert "Buy gp3 20 GiB" in out
    assert machine.left() == []
