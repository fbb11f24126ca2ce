"""Traces from files: known by their content, converted to our own format without a change, refused with their line."""

import gzip
from pathlib import Path

import pytest

from plimsoll.traces import core

BLKPARSE = """\
  8,0    1        1     0.000000000   697  Q  WS 1000 + 8 [fio]
  8,0    1        5     0.000010000   697  D  WS 1000 + 8 [kworker/1:1H]
  8,0    1        6     0.000110000     0  C  WS 1000 + 8 [0]
  8,0    0        1     0.000150000     9  Q   R 5000 + 64 [postgres]
"""


def write(folder: Path, text: str, name: str = "load.txt") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def rows(path: Path) -> list[tuple[int | None, ...]]:
    reader = core.opened(path)
    for chunk in core.chunks(path):
        reader.feed(chunk)
    reader.finish()
    return list(reader.events())


def test_a_text_says_what_is_in_it(tmp_path: Path) -> None:
    found = core.contents(write(tmp_path, BLKPARSE))
    assert found.header["source"] == "blkparse"
    assert found.header["devices"] == [{"name": "8,0", "number": [8, 0]}]
    assert found.header["processes"] == ["", "fio", "postgres"]
    assert found.totals["kinds"][0] == {"events": 1, "bytes": 32768}
    assert found.totals["unfinished"] == 1
    assert found.events == 2


def test_the_same_is_in_what_it_is_converted_to(tmp_path: Path) -> None:
    text = write(tmp_path, BLKPARSE)
    own = tmp_path / "load.trace"
    own.write_bytes(b"".join(core.converted(text)))
    assert core.contents(own) == core.contents(text)
    again = tmp_path / "again.trace"
    again.write_bytes(b"".join(core.converted(own)))
    assert again.read_bytes() == own.read_bytes()


def test_a_packed_text_is_read_as_well(tmp_path: Path) -> None:
    packed = tmp_path / "load.txt.gz"
    packed.write_bytes(gzip.compress(BLKPARSE.encode()))
    assert core.contents(packed) == core.contents(write(tmp_path, BLKPARSE))
    assert rows(packed)[0] == (0, 10_000, 110_000, 1, 512_000, 4096, 0, 1)


def test_what_is_no_trace_is_refused_with_what_would_be_one(tmp_path: Path) -> None:
    path = write(tmp_path, "hello\nworld\n")
    with pytest.raises(core.TraceError, match=r"load\.txt is no trace that is known here; known are .*blkparse"):
        core.contents(path)
    with pytest.raises(core.TraceError, match="cannot be read as nonsense, which is no format"):
        core.contents(path, "nonsense")


def test_a_line_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, BLKPARSE + "  8,0    0        1     0.00x\n")
    with pytest.raises(core.TraceError, match=r"load\.txt: line 5 \(8,0 .* 0\.00x\) is not a line of blkparse"):
        core.contents(path, "blkparse")


def test_a_trace_that_is_cut_says_so(tmp_path: Path) -> None:
    whole = b"".join(core.converted(write(tmp_path, BLKPARSE)))
    cut = tmp_path / "cut.trace"
    cut.write_bytes(whole[:-1])
    assert core.contents(cut).totals["cut"]
    assert core.contents(cut).events == 2
