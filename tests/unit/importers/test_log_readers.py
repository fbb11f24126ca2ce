"""The readers of the core against plain ones in Python, on random and damaged logs; files of any size, in pieces."""

from __future__ import annotations

import base64
import gzip
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from tests.unit.importers.mutations import mutate

from plimsoll.errors import ResultFileError
from plimsoll.importers.core import column, read_log
from plimsoll.importers.reading import read_files
from plimsoll.importers.source import Source
from plimsoll.importers.streams import Stream
from plimsoll.stats.histogram import decode

LOGS = 400
FIO_LINE = re.compile(rb"\s*\d{1,12},\s*\d{1,19},\s*[0-2],\s*\d{1,12}(?:,\s*(?:0x)?[0-9a-fA-F]{1,19}){0,3}\s*")
BINS = {1856 >> coarse for coarse in range(6)} | {1216 >> coarse for coarse in range(6)}
LONGEST_NS = 3_600_000_000_000


class Unreadable(Exception):
    """A line, counted from 1."""


def bucket(value: int) -> int:
    """The lowest value that an HdrHistogram of 3 digits does not tell from this one."""
    value = min(value, LONGEST_NS)
    return value if value < 2048 else value >> (value.bit_length() - 11) << (value.bit_length() - 11)


def lines_of(content: bytes) -> list[tuple[int, bytes, bool]]:
    """Number, text, and whether it is a last one without an end."""
    pieces = content.split(b"\n")
    last = len(pieces)
    return [(number, line, number == last) for number, line in enumerate(pieces, 1) if line.strip()]


def usual(lines: list[tuple[int, bytes, bool]], mark: bytes) -> int:
    counts = sorted(line.strip().count(mark) for _, line, _ in lines[:3])
    return counts[len(counts) // 2] if counts else 0


def plain_fio(content: bytes) -> Any:
    lines = lines_of(content)
    marks, cut = usual(lines, b","), False
    rows: list[list[int]] = []
    for number, line, last in lines:
        if FIO_LINE.fullmatch(line) and line.count(b",") == marks:
            rows.append([int(part) for part in line.split(b",")[:4]])
        elif last:
            cut = True
        else:
            raise Unreadable(number)
    flows = []
    for kind in range(3):
        mine = [row for row in rows if row[2] == kind]
        seconds: dict[int, list[int]] = {}
        for time, value, _, size in mine:
            if max(time - 1, 0) // 1000 < 1_000_000:
                found = seconds.setdefault(max(time - 1, 0) // 1000, [0, 0, 0])
                found[:] = [found[0] + 1, found[1] + value, found[2] + size]
        flows.append(
            {
                "rows": len(mine),
                "averaged": all(row[3] == 0 for row in mine),
                "sum": sum(row[1] for row in mine),
                "size": sum(row[3] for row in mine),
                "max": max(row[1] for row in mine),
                "last_ms": mine[-1][0],
                "counts": Counter(bucket(row[1]) for row in mine),
                "counts_us": Counter(bucket(row[1] * 1000) for row in mine),
                "seconds": seconds,
            }
            if mine
            else None
        )
    return {"cut": cut, "flows": flows}


def found_fio(content: bytes) -> Any:
    answer = read_log("fio", Source("a_bw.1.log", content))
    for flow in answer["flows"]:
        if flow is None:
            continue
        for name in ("counts", "counts_us"):
            flow[name] = Counter(dict(flow[name]))
        columns = [column(flow.pop(f"second_{name}")).tolist() for name in ("rows", "value", "size")]
        flow["seconds"] = {second: list(row) for second, row in enumerate(zip(*columns, strict=True)) if row[0]}
    return answer


def plain_bins(content: bytes) -> Any:
    last_ms, bins, cut = 0, Counter[tuple[int, int, int]](), False
    for number, line, last in lines_of(content):
        parts = [part.strip(b" \t\r\v\f") for part in line.rstrip().rstrip(b",").split(b",")]
        good = len(parts) - 3 in BINS and all(re.fullmatch(rb"[0-9]{1,15}", part) for part in parts)
        good = good and int(parts[1]) < 3 and not line.rstrip().endswith(b",,")
        if good:
            last_ms = max(last_ms, int(parts[0]))
            for index, part in enumerate(parts[3:]):
                bins[int(parts[1]), len(parts) - 3, index] += int(part)
        elif last:
            cut = True
        else:
            raise Unreadable(number)
    return {"cut": cut, "last_ms": last_ms, "bins": +bins}


def found_bins(content: bytes) -> Any:
    answer = read_log("fio_bins", Source("a_clat_hist.1.log", content))
    answer["bins"] = Counter({tuple(entry[:3]): entry[3] for entry in answer["bins"]})
    return answer


def plain_pgbench(content: bytes) -> Any:
    lines = lines_of(content)
    marks, cut = usual(lines, b" "), False
    epochs: dict[int, list[int]] = {}
    counts = Counter[int]()
    first, last_us, failed, skipped = None, 0, 0, 0
    for number, line, last in lines:
        row = line.strip().split(b" ")
        kind = kind_of_row(row) if len(row) == marks + 1 and len(line.strip()) <= 400 else ""
        if not kind:
            if not last:
                raise Unreadable(number)
            cut = True
        elif kind == "transaction" and row[2].isdigit():
            took, ended = int(row[2]), int(row[4]) * 10**6 + int(row[5])
            first = ended - took if first is None else min(first, ended - took)
            last_us = max(last_us, ended)
            counts[bucket(took * 1000)] += 1
            add(epochs, int(row[4]), 1, took, took)
        elif kind == "transaction":
            skipped += row[2] == b"skipped"
            failed += row[2] != b"skipped"
        else:
            values = [int(float(part)) for part in row]
            add(epochs, values[0], values[1], values[2], values[5] if float(row[1]) >= 1 else 0)
            skipped += values[10] if len(row) in (11, 13, 15) else 0
            failed += values[13] + values[14] if len(row) == 15 else 0
    known = {"cut": cut, "first_us": first, "last_us": last_us, "failed": failed, "skipped": skipped}
    return known | {"counts": counts, "epochs": dict(sorted(epochs.items()))}


def add(epochs: dict[int, list[int]], epoch: int, done: int, took: int, largest: int) -> None:
    found = epochs.setdefault(epoch, [0, 0, 0])
    found[:] = [found[0] + done, found[1] + took, max(found[2], largest)]


def kind_of_row(row: list[bytes]) -> str:
    digits = [re.fullmatch(rb"[0-9]{1,19}", part) is not None for part in row]
    if 6 <= len(row) <= 8 and all(digits[:2] + digits[3:]):
        word = digits[2] or row[2] in (b"skipped", b"failed", b"serialization", b"deadlock")
        if word and 10**9 <= int(row[4]) < 4 * 10**9 and int(row[5]) < 10**6:
            return "transaction"
    if len(row) not in (6, 7, 8, 10, 11, 12, 13, 15):
        return ""
    if not all(re.fullmatch(rb"[0-9]+\.?[0-9]*|\.[0-9]+", part) and len(part) <= 25 for part in row):
        return ""
    if not digits[0] or not 10**9 <= int(row[0]) < 4 * 10**9:
        return ""
    values = [float(part) for part in row]
    if any(value >= 2.0**63 for value in values):
        return ""
    count, total, low, high = (values[index] for index in (1, 2, 4, 5))
    fits = low <= high and count * low <= total * 1.01 + 1 and total <= count * high * 1.01 + 1
    return "aggregate" if fits else ""


def found_pgbench(content: bytes) -> Any:
    answer = read_log("pgbench", Source("pgbench_log.1", content))
    columns = [column(answer.pop(name)).tolist() for name in ("transactions", "total_us", "max_us")]
    epochs = column(answer.pop("epochs")).tolist()
    answer["epochs"] = {epoch: list(row) for epoch, row in zip(epochs, zip(*columns, strict=True), strict=True)}
    answer["counts"] = Counter(dict(answer["counts"]))
    return answer


def some_fio(rng: random.Random) -> bytes:
    tail = rng.choice(("", ", 8192", ", 8192, 0", ", 0x1a2b, 3, 77"))
    size = rng.choice((0, 4096))
    rows = [
        f"{rng.randrange(1, 9000)}, {int(10 ** rng.uniform(0, 13))}, {rng.randrange(3)}, {size}{tail}"
        for _ in range(rng.randrange(1, 60))
    ]
    return "\n".join(rows).encode() + rng.choice((b"", b"\n", b"\r\n"))


def some_bins(rng: random.Random) -> bytes:
    bins = rng.choice(sorted(BINS)[:4])
    rows = [
        ", ".join(str(rng.choice((0, 0, 0, 7, 10**9))) for _ in range(bins)) + rng.choice(("", ",", ", "))
        for _ in range(rng.randrange(1, 9))
    ]
    return b"".join(f"{rng.randrange(9000)}, {rng.randrange(3)}, 4096, {row}\n".encode() for row in rows)


def some_pgbench(rng: random.Random) -> bytes:
    rows = []
    aggregate, columns = rng.random() < 0.3, rng.choice((0, 1, 2))
    for number in range(rng.randrange(1, 60)):
        epoch = 1_795_294_833 + rng.randrange(4)
        if aggregate:
            count, low, high = rng.randrange(50), rng.randrange(1, 500), rng.randrange(500, 9000)
            total = count * rng.randrange(low, high + 1)
            rows.append(f"{epoch} {count} {total} {total * 3} {low} {high}" + " 5" * (0, 5, 9)[columns])
        else:
            took = rng.choice((str(rng.randrange(10**6)), str(rng.randrange(10**6)), "skipped", "failed"))
            rows.append(f"{rng.randrange(9)} {number} {took} 0 {epoch} {rng.randrange(10**6)}" + " 3" * columns)
    return "\n".join(rows).encode() + rng.choice((b"", b"\n"))


def _same(plain: Callable[[bytes], Any], found: Callable[[bytes], Any], content: bytes) -> bool:
    """Equal answers, or refusals of one line; whether it was read."""
    try:
        expected = plain(content)
    except Unreadable as refusal:
        with pytest.raises(ResultFileError, match=rf": line {refusal.args[0]}: "):
            found(content)
        return False
    assert found(content) == expected
    return True


READERS = [
    pytest.param(some_fio, plain_fio, found_fio, id="fio"),
    pytest.param(some_bins, plain_bins, found_bins, id="fio_bins"),
    pytest.param(some_pgbench, plain_pgbench, found_pgbench, id="pgbench"),
]


@pytest.mark.parametrize(("some", "plain", "found"), READERS)
def test_random_logs_are_read_as_a_plain_reader_reads_them(
    some: Callable[[random.Random], bytes], plain: Callable[[bytes], Any], found: Callable[[bytes], Any]
) -> None:
    rng = random.Random("logs")
    assert all(_same(plain, found, some(rng)) for _ in range(LOGS))


@pytest.mark.parametrize(("some", "plain", "found"), READERS)
def test_damaged_logs_are_read_or_refused_as_by_a_plain_reader(
    some: Callable[[random.Random], bytes], plain: Callable[[bytes], Any], found: Callable[[bytes], Any]
) -> None:
    rng = random.Random("damage")
    read = refused = 0
    for _ in range(LOGS * 4):
        content = mutate(some(rng), [some(rng)], rng)
        if content[:3] == b"\xef\xbb\xbf" or content[:2] in (b"\xff\xfe", b"\xfe\xff"):
            continue
        if any(len(line) > (60_000 if some is some_bins else 400) for line in content.split(b"\n")):
            # Refused for its length, even at the end.
            continue
        good = _same(plain, found, content)
        read, refused = read + good, refused + (not good)
    assert read > LOGS / 4
    assert refused > LOGS / 4


def test_interval_logs_are_read_as_the_library_reads_them() -> None:
    rng = random.Random("hdr")
    for _ in range(40):
        log = ["#[StartTime: 1767225600.0 (seconds since epoch), x]", '"StartTimestamp","Interval_Length"']
        expected: dict[str, Counter[tuple[int, int]]] = {}
        for second in range(rng.randrange(1, 6)):
            histogram = HdrHistogram(1, LONGEST_NS, rng.choice((2, 3)))
            for _ in range(rng.randrange(50)):
                histogram.record_value(int(10 ** rng.uniform(0, 12)))
            encoded = histogram.encode().decode()
            tag = rng.choice(("", "a", "b-2"))
            log.append(f"{f'Tag={tag},' if tag else ''}{second}.0,1.0,2.0,{encoded}")
            found = decode(base64.b64decode(encoded))
            for low, high, count in zip(found.low, found.high, found.counts, strict=True):
                expected.setdefault(tag, Counter())[int(low), int(high)] += int(count)
        answer = read_log("hdr", Source("a.hlog", "\n".join(log).encode()))
        got: dict[str, Counter[tuple[int, int]]] = {}
        for each in answer["tags"]:
            # Histograms of different precision have some buckets in common.
            for low, high, count in each["buckets"]:
                got.setdefault(each["tag"], Counter())[low, high] += count
        assert got == {tag: counts for tag, counts in expected.items() if counts}
        assert (answer["damaged"], answer["started"]) == (0, "1767225600.0")


def test_a_file_in_utf_16_or_with_a_mark_is_read() -> None:
    log = "1, 20, 0, 4096\n2, 30, 0, 4096\n"
    plain = read_log("fio", Source("a_lat.log", log.encode()))
    for encoding in ("utf-16", "utf-8-sig"):
        assert read_log("fio", Source("a_lat.log", log.encode(encoding))) == plain


@pytest.mark.parametrize("packed", [False, True])
def test_a_large_log_is_read_in_pieces_as_a_small_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    rng = random.Random("large")
    text = "".join(f"{row}, {rng.randrange(9000, 90000)}, 0, 4096, 0, 0\n" for row in range(1, 30_000)).encode()
    path = tmp_path / ("a_lat.1.log.gz" if packed else "a_lat.1.log")
    path.write_bytes(gzip.compress(text) if packed else text)
    (small,) = read_files([path])
    monkeypatch.setattr("plimsoll.importers.archives.KEPT_LOG_BYTES", 1000)
    monkeypatch.setattr("plimsoll.importers.streams.CHUNK_BYTES", 777)
    (large,) = read_files([path])
    assert small.imported is not None
    assert large.imported is not None
    (one,), (other,) = small.imported.runs, large.imported.runs
    assert one.scores == other.scores
    assert one.histograms == other.histograms
    assert one.facts["imported"]["sha256"] == other.facts["imported"]["sha256"]
    assert large.imported.session.id == small.imported.session.id
    assert [each.content for each in one.artefacts] == [text]
    assert other.artefacts == ()
    assert other.facts["imported"]["not_kept"] == ["a_lat.1.log"]
    assert "too large to be kept" in large.imported.warnings[0]


def test_large_logs_of_one_import_count_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for job in (1, 2, 3):
        (tmp_path / f"a_lat.{job}.log").write_bytes(b"1, 9000, 0, 4096\n" * 20 + f"{job}, 9, 0, 1\n".encode())
    monkeypatch.setattr("plimsoll.importers.archives.KEPT_LOG_BYTES", 700)
    (only,) = read_files([tmp_path / "*.log"])
    assert only.imported is not None
    (run,) = only.imported.runs
    assert len(run.artefacts) == 1
    assert run.facts["imported"]["not_kept"] == ["a_lat.2.log", "a_lat.3.log"]
    assert decode(run.histograms["read"]).count == 63


def test_a_large_file_twice_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"1, 9000, 0, 4096\n" * 5000
    (tmp_path / "a_lat.1.log").write_bytes(text)
    (tmp_path / "a_lat.1.log.gz").write_bytes(gzip.compress(text))
    monkeypatch.setattr("plimsoll.importers.archives.KEPT_LOG_BYTES", 1000)
    first, second = sorted(read_files([tmp_path / "*"]), key=lambda each: bool(each.skipped))
    assert first.imported is not None
    assert decode(first.imported.runs[0].histograms["read"]).count == 5000
    assert "same bytes" in second.skipped


def test_a_large_log_with_damage_is_refused_with_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a_lat.1.log"
    path.write_bytes(b"1, 9000, 0, 4096\n" * 5000 + b"2, spoilt, 0, 4096\n" + b"1, 9000, 0, 4096\n" * 5000)
    (tmp_path / "cut_lat.log.gz").write_bytes(gzip.compress(b"1, 9000, 0, 4096\n" * 5000)[:-20])
    monkeypatch.setattr("plimsoll.importers.archives.KEPT_LOG_BYTES", 100)
    found = {Path(each.place).name: str(each.error) for each in read_files([tmp_path / "*"])}
    assert found["a_lat.1.log"].startswith(
        "a_lat.1.log: line 5001: '2, spoilt, 0, 4096' is not a line of a fio log; correct"
    )
    assert "the archive is damaged" in found["cut_lat.log.gz"]


def test_progress_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 5_000_000)
    told: list[tuple[int, int]] = []

    class Shown:
        def __enter__(self) -> Callable[[int, int], None]:
            return lambda done, total: told.append((done, total))

        def __exit__(self, *_: object) -> None:
            told.append((-1, -1))

    stream = Stream(path, 5_000_000, packed=False, watch=lambda _name, _size: Shown())  # type: ignore[arg-type, return-value]
    assert sum(map(len, stream.chunks())) == 5_000_000
    assert told[-2:] == [(5_000_000, 5_000_000), (-1, -1)]


MOST_MEMORY_BYTES = 150 * 2**20
READS_FIFTY_TIMES = """
import re, sys
from plimsoll.importers.core import read_log
from plimsoll.importers.source import Source
content = open(sys.argv[1], 'rb').read()
class Again(Source):
    def chunks(self):
        for _ in range(50):
            yield content
read_log('fio', Again('a_lat.log', b''))
print(int(re.search(r'VmHWM:[^0-9]*([0-9]+)', open('/proc/self/status').read())[1]) * 1024)
"""


def test_memory_does_not_grow_with_the_log(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    values = rng.lognormal(11, 1, 200_000).astype(int).tolist()
    path = tmp_path / "a"
    path.write_text("".join(f"{row // 100 + 1}, {value}, 0, 4096, 0\n" for row, value in enumerate(values)))
    done = subprocess.run(
        [sys.executable, "-c", READS_FIFTY_TIMES, str(path)], capture_output=True, text=True, check=True
    )
    # 250 MB of log.
    assert path.stat().st_size * 50 > 200e6
    assert int(done.stdout) < MOST_MEMORY_BYTES
