"""A trace as sums per second: what is asked of which device."""

import json
from pathlib import Path

import pytest
from tests.unit.traces.test_core import BLKPARSE, write

from plimsoll.errors import PlimsollError, UsageError
from plimsoll.traces import core
from plimsoll.traces.counters import Options
from plimsoll.traces.profile.load import look
from plimsoll.traces.seconds import from_trace, load
from plimsoll.units import SECOND


def blkparse(per_second: int, seconds: int, device: str = "8,0") -> str:
    lines = []
    for i in range(per_second * seconds):
        at = i / per_second
        for mark, later in (("Q", 0.0), ("D", 0.00001), ("C", 0.0005)):
            lines.append(f"  {device}    1 {i + 1:8d} {at + later:14.9f}   697  {mark}   R {1000 + 8 * i} + 8 [db]")
    return "\n".join(sorted(lines, key=lambda line: float(line.split()[3]))) + "\n"


def test_seconds_of_a_trace(tmp_path: Path) -> None:
    found = from_trace(write(tmp_path, blkparse(50, 3)))
    assert (found.name, found.period_s, found.dated) == ("8,0", 1.0, False)
    assert found.reads.tolist() == [50, 50, 50]
    assert found.read_bytes.tolist() == [50 * 4096] * 3
    assert found.waited_s is not None
    assert found.waited_s.tolist() == pytest.approx([0.025] * 3)


def recorded(folder: Path, text: str, **totals: object) -> Path:
    """The same in our own format, whose end says more."""
    text_path, own, path = write(folder, text), folder / "own.trace", folder / "load.trace"
    own.write_bytes(b"".join(core.converted(text_path)))
    path.write_bytes(b"".join(core.joined([own], {**core.contents(text_path).totals, **totals}, from_first=False)))
    return path


def test_what_was_idle_at_its_end_is_a_part_of_it(tmp_path: Path) -> None:
    path = recorded(tmp_path, blkparse(50, 3), recorded_ns=3600 * SECOND)
    found = from_trace(path)
    assert (found.periods, found.observed_s, found.operations.sum()) == (3600, 3600.0, 150)
    assert found.operations[:4].tolist() == [50, 50, 50, 0]
    assert look(path).series.periods == 3600
    with pytest.raises(UsageError, match="took 2777 h 47 min, more than six weeks"):
        from_trace(recorded(tmp_path, blkparse(50, 3), recorded_ns=10_000_020 * SECOND))


def test_what_is_not_in_it_is_said(tmp_path: Path) -> None:
    lost = [{"what": "lost", "count": 1234, "why": "records were lost."}]
    path = recorded(tmp_path, blkparse(50, 3), left_out=lost)
    assert "records were lost" in from_trace(path).notes
    path.write_bytes(path.read_bytes()[:-40])
    assert "the file is cut short; what came after its last whole block or line is not known" in from_trace(path).notes
    assert not from_trace(recorded(tmp_path, blkparse(50, 3), left_out=[])).notes


def samples(folder: Path, *intervals_s: int, left_out: object = ()) -> Path:
    """Counters of one device: five reads in each of these intervals, none in what is below zero."""
    header = {"source": "observe", "content": "samples", "devices": [{"name": "sda", "number": [8, 0]}]}
    header |= {"processes": [], "notes": ["no rights."], "resolution_ns": 1, "start_unix_ns": None}
    writer, packed = core.sampler(header)
    rest = {"merged": [0] * 4, "in_flight": 0, "busy_ns": 0, "weighted_ns": 0}
    now_s = 0
    for each in intervals_s:
        now_s += abs(each)
        some = each > 0
        grown = {
            "requests": [5 * some, 0, 0, 0],
            "bytes": [20480 * some, 0, 0, 0],
            "latency_ns": [SECOND * some, 0, 0, 0],
        }
        sample = {"time_ns": now_s * SECOND, "interval_ns": abs(each) * SECOND, "device": 0, "grown": {**grown, **rest}}
        packed += writer.samples(json.dumps([sample]))
    totals = {"kinds": [{"events": 0, "bytes": 0}] * 4, "unfinished": 0, "last_arrival_ns": 0}
    packed += writer.finish(json.dumps({**totals, "recorded_ns": now_s * SECOND, "left_out": left_out}))
    path = folder / "load.trace"
    path.write_bytes(packed)
    return path


def test_what_grew_in_a_long_interval_is_no_burst(tmp_path: Path) -> None:
    found = from_trace(samples(tmp_path, 1, 5, 1))
    assert found.reads.tolist() == [5, 1, 1, 1, 1, 1, 5]
    assert found.read_bytes.sum() == 3 * 20480
    assert found.waited_s is not None
    assert found.waited_s.tolist() == pytest.approx([1, 0.2, 0.2, 0.2, 0.2, 0.2, 1])
    assert found.observed.all()


def test_counters_of_the_kernel_say_what_is_not_in_them_too(tmp_path: Path) -> None:
    lost = [{"what": "counter_reset", "count": 2, "why": "intervals were left out"}]
    path = samples(tmp_path, 1, 1, -1, -1, left_out=lost)
    found = from_trace(path)
    assert (found.reads.tolist(), found.source) == ([5, 5, 0, 0], "counters (observe)")
    assert found.notes == ("no rights", "intervals were left out")
    with pytest.raises(UsageError, match="holds counters, and no I/Os"):
        look(path)


def test_several_devices_have_to_be_told_apart(tmp_path: Path) -> None:
    both = write(tmp_path, blkparse(5, 1) + blkparse(5, 1, "8,16"))
    with pytest.raises(UsageError, match=r"several devices \(8,0, 8,16\); say which with --device NAME"):
        from_trace(both)
    assert from_trace(both, "8,16").reads.tolist() == [5]


def test_an_unfinished_read_leaves_the_depth_unknown(tmp_path: Path) -> None:
    assert from_trace(write(tmp_path, BLKPARSE)).waited_s is None


def test_what_is_neither_trace_nor_monitoring_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlimsollError):
        load([write(tmp_path, "hello\n")], Options())


@pytest.mark.slow
def test_counters_of_more_than_a_day_are_no_damage(tmp_path: Path) -> None:
    header = {**core.contents(recorded(tmp_path, blkparse(50, 1))).header, "content": "samples"}
    writer, first = core.sampler(header)
    grown = {"requests": [10, 0, 0, 0], "merged": [0] * 4, "bytes": [40960, 0, 0, 0], "latency_ns": [0] * 4}
    grown |= {"in_flight": 0, "busy_ns": 0}
    seconds, path = 100_500, tmp_path / "long.trace"
    with path.open("wb") as file:
        file.write(first)
        for i in range(seconds):
            sample = {"time_ns": (i + 1) * SECOND, "interval_ns": SECOND, "device": 0, "grown": grown}
            file.write(writer.samples(json.dumps([sample])))
        totals = {**core.contents(tmp_path / "load.trace").totals, "kinds": [{"events": 0, "bytes": 0}] * 4}
        file.write(writer.finish(json.dumps({**totals, "recorded_ns": seconds * SECOND})))
    assert from_trace(path).operations.sum() == 10 * seconds
    with pytest.raises(UsageError, match="holds counters, and no I/Os"):
        look(path)
