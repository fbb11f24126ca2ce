"""Monitoring that is hostile takes time in proportion to its length, and is refused in words."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import pytest
from tests.costs import grows_too_fast

from plimsoll.errors import UsageError
from plimsoll.traces.counters import Options, formats, load
from plimsoll.traces.counters._times import moment

BEGINNINGS = (
    "", "00:00:00 ", "Device: ", "Linux x ", "{", '{"resultType"', "node_disk_x{", "TimeGenerated,MetricName,Average\n",
    "2026-01-01T00:00:00Z,", "TIMESTAMP,disk read operations/sec", "Time,disk.dev.read-sda\n",
)  # fmt: skip
REPEATED = (" ", "\t", "\n", "7", "x ", "DEV ", "r/s ", "tps ", "} ", ",", 'a="b",', "(")


@pytest.mark.parametrize("beginning", BEGINNINGS)
@pytest.mark.parametrize("repeated", REPEATED)
def test_every_format_looks_at_a_file_in_proportion_to_its_length(beginning: str, repeated: str) -> None:
    def cost(size: int) -> float:
        text = f"{beginning}{repeated * (size // len(repeated))}x"
        begun = time.process_time()
        for each in formats():
            each.recognise(text)
        return time.process_time() - begun

    assert not grows_too_fast(cost, 4000)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("TimeGenerated,MetricName,Average\n2026-01-01T00:00:00Z,Disk Read Operations/Sec,{}\n", "cannot be read"),
        ("Time,disk.dev.read-sda\n{},3\n", "cannot be read"),
        ("TimeGenerated [UTC],MetricName,Average\n2026{}Z,Disk Read Operations/Sec,3\n", "cannot be read"),
    ],
)
def test_a_cell_without_end_is_refused(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "load.csv").write_text(text.format("x" * 200_000))
    with pytest.raises(UsageError, match=told):
        load([tmp_path / "load.csv"], Options())


def test_a_time_without_end_is_refused_at_once() -> None:
    def cost(size: int) -> float:
        begun = time.process_time()
        with suppress(UsageError):
            moment(f"x{' ' * size}x", "line 1")
        return time.process_time() - begun

    assert not grows_too_fast(cost, 4000)
    with pytest.raises(UsageError, match=r"line 1: .* is no time that is known"):
        moment("x" * 200, "line 1")
