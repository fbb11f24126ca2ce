"""Traces of other tools: recognised by their content, read to the last field, refused where they could be several."""

from pathlib import Path

import pytest

from plimsoll.errors import ResultFileError
from plimsoll.traces import core

MSR = """\
128166372003061629,hm,0,Write,2654453760,4096,54086
128166372016382155,hm,0,Read,2654445568,4096,8
128166372026382245,hm,1,Read,8192,65536,120000
"""
ALIBABA = """\
0,R,126703644672,4096,1577808000000626
7,W,8192,16384,1577808000001626
"""
TENCENT = """\
1538323200,12910952,128,0,1063
1538323201,128,8,1,1064
"""
CLOUDPHYSICS = """\
version,time,op,size,lbn
1,5633898,2a,512,42932745
1,5633899,28,4096,8
1,5633900,35,0,0
1,5633901,12,36,0
"""
IOLOG3 = """\
fio version 3 iolog
21 /x add
129 /x open
132 /x read 61440 4096
304 /x write 774144 8192
305 /x sync
400 /x trim 0 4096
500 /x close
"""
IOLOG2 = """\
fio version 2 iolog
/x add
/x open
/x read 0 4096
/x wait 2000 0
/x write 4096 8192
/x close
"""
Row = tuple[int, int | None, int | None, int, int, int, int, int]


def write(folder: Path, text: str) -> Path:
    path = folder / "load.csv"
    path.write_text(text, encoding="utf-8")
    return path


def rows(path: Path, form: str | None = None) -> list[Row]:
    reader, found = core.opened(path, form), []
    for chunk in core.chunks(path):
        reader.feed(chunk)
        found += reader.events()
    reader.finish()
    return found + reader.events()


@pytest.mark.parametrize(
    ("text", "name", "devices", "events"),
    [
        (
            MSR,
            "msr",
            ["hm_0", "hm_1"],
            [
                (0, None, 5_408_600, 1, 2_654_453_760, 4096, 0, 0),
                (1_332_052_600, None, 800, 0, 2_654_445_568, 4096, 0, 0),
                (2_332_061_600, None, 12_000_000, 0, 8192, 65536, 1, 0),
            ],
        ),
        (
            ALIBABA,
            "alibaba",
            ["0", "7"],
            [(0, None, None, 0, 126_703_644_672, 4096, 0, 0), (1_000_000, None, None, 1, 8192, 16384, 1, 0)],
        ),
        (
            TENCENT,
            "tencent",
            ["1063", "1064"],
            [
                (0, None, None, 0, 12_910_952 * 512, 65536, 0, 0),
                (1_000_000_000, None, None, 1, 65536, 4096, 1, 0),
            ],
        ),
        (
            CLOUDPHYSICS,
            "cloudphysics",
            ["vscsi"],
            [
                (0, None, None, 1, 42_932_745 * 512, 512, 0, 0),
                (1_000_000_000, None, None, 0, 4096, 4096, 0, 0),
                (2_000_000_000, None, None, 3, 0, 0, 0, 0),
            ],
        ),
        (
            IOLOG3,
            "fio_iolog",
            ["/x"],
            [
                (0, None, None, 0, 61440, 4096, 0, 0),
                (172_000, None, None, 1, 774_144, 8192, 0, 0),
                (173_000, None, None, 3, 0, 0, 0, 0),
                (268_000, None, None, 2, 0, 4096, 0, 0),
            ],
        ),
        (
            IOLOG2,
            "fio_iolog",
            ["/x"],
            [(0, None, None, 0, 0, 4096, 0, 0), (2_000_000, None, None, 1, 4096, 8192, 0, 0)],
        ),
    ],
    ids=["msr", "alibaba", "tencent", "cloudphysics", "fio3", "fio2"],
)
def test_each_is_known_and_read(text: str, name: str, devices: list[str], events: list[Row], tmp_path: Path) -> None:
    path = write(tmp_path, text)
    found = core.contents(path)
    assert found.header["source"] == name
    assert [device["name"] for device in found.header["devices"]] == devices
    assert rows(path) == events
    own = tmp_path / "own.trace"
    own.write_bytes(b"".join(core.converted(path)))
    assert rows(own) == events


def test_the_start_is_that_of_the_wall_where_it_is_known(tmp_path: Path) -> None:
    assert core.contents(write(tmp_path, ALIBABA)).header["start_unix_ns"] == 1_577_808_000_000_626_000
    # Day 1 of the traces of MSR Cambridge: 2007-02-22, 17:00 GMT.
    assert core.contents(write(tmp_path, MSR)).header["start_unix_ns"] == 1_172_163_600_306_162_900
    assert core.contents(write(tmp_path, CLOUDPHYSICS)).header["start_unix_ns"] is None


@pytest.mark.parametrize(
    ("text", "said"),
    [(ALIBABA, True), (TENCENT, True), (IOLOG3, True), (MSR, False)],
    ids=["alibaba", "tencent", "fio3", "msr"],
)
def test_what_has_no_latencies_says_so(text: str, said: bool, tmp_path: Path) -> None:
    notes = core.contents(write(tmp_path, text)).header["notes"]
    assert any("how long each I/O took is not in this format" in note for note in notes) is said


@pytest.mark.parametrize(("text", "said"), [(IOLOG2.replace("/x wait 2000 0\n", ""), True), (IOLOG2, False)])
def test_an_iolog_without_times_says_so(text: str, said: bool, tmp_path: Path) -> None:
    notes = core.contents(write(tmp_path, text)).header["notes"]
    assert any("has no times: all its I/Os arrive at once" in note for note in notes) is said


def left_out(path: Path, form: str | None = None) -> dict[str, str]:
    return {left["what"]: left["why"] for left in core.contents(path, form).totals["left_out"]}


def test_operations_that_move_no_data_are_counted(tmp_path: Path) -> None:
    assert left_out(write(tmp_path, CLOUDPHYSICS))["pass_through"].startswith(
        "SCSI operations that are neither reads, writes, unmaps nor flushes: 1;"
    )
    assert left_out(write(tmp_path, CLOUDPHYSICS.replace("1,5633901,12,36,0\n", ""))) == {}


def test_writes_with_a_promise_are_counted(tmp_path: Path) -> None:
    lines = []
    for i, flags in enumerate(("W", "WS", "WFS", "FWS", "FWFS", "FF", "R")):
        where = "" if flags == "FF" else f" {1000 + 8 * i} + 8"
        lines += [f"8,0 1 {i + 1} {i}.000{at}00000 7 {mark} {flags}{where} [a]" for at, mark in ((1, "Q"), (2, "C"))]
    path = write(tmp_path, "\n".join(lines) + "\n")
    assert "are to be durable when they are done (FUA), or that come behind a flush: 3;" in left_out(path)["forced"]
    totals = core.contents(path).totals
    assert [each["events"] for each in totals["kinds"]] == [1, 5, 0, 1]


def alibaba(times_us: list[int]) -> str:
    return "".join(f"0,R,{index * 4096},4096,{1_577_808_000_000_000 + time}\n" for index, time in enumerate(times_us))


def test_rows_out_of_order_are_sorted_without_a_word(tmp_path: Path) -> None:
    path = write(tmp_path, alibaba([5000, 1000, 3000, 2000]))
    assert [row[0] for row in rows(path)] == [0, 1_000_000, 2_000_000, 4_000_000]
    assert left_out(path) == {}


HOUR_US = 3_600_000_000


def test_a_clock_that_goes_back_is_told_from_a_row_that_is_late(tmp_path: Path) -> None:
    before = [5 * HOUR_US + index * 1000 for index in range(200)]
    after = [4 * HOUR_US + index * 1000 for index in range(200)]
    back = left_out(write(tmp_path, alibaba(before + after)))
    assert "steps back of the clock, the first by 3600 s in line 201" in back["clock_back"]
    assert [row[0] for row in rows(tmp_path / "load.csv")][-1] == pytest.approx(398e6, rel=0.01)
    late = left_out(write(tmp_path, alibaba([*before, 4 * HOUR_US, *[time + 200_000 for time in before]])))
    assert list(late) == ["late"]
    assert left_out(write(tmp_path, alibaba(before))) == {}


def test_a_clock_that_goes_ahead_by_weeks_is_taken_back(tmp_path: Path) -> None:
    path = write(tmp_path, alibaba([0, 1000, 24 * 30 * HOUR_US, 24 * 30 * HOUR_US + 500]))
    assert "steps ahead of the clock, the first by 29 days in line 3" in left_out(path)["clock_ahead"]
    assert [row[0] for row in rows(path)] == [0, 1_000_000, 1_000_000, 1_500_000]
    assert left_out(write(tmp_path, alibaba([0, 1000, 24 * HOUR_US]))) == {}


def test_a_file_sorted_by_device_is_refused(tmp_path: Path) -> None:
    """As some archives have it: every device from the first hour to the last."""
    text = "".join(
        f"{device},R,0,4096,{1_577_808_000_000_000 + hour * HOUR_US + index}\n"
        for device in range(20)
        for hour in range(3)
        for index in range(70)
    )
    with pytest.raises(core.TraceError, match=r"load\.csv: line \d+ is earlier than the lines before it, .* sort it"):
        core.contents(write(tmp_path, text))


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, ALIBABA * 2 + "0,X,1,2,3\n" + ALIBABA)
    with pytest.raises(core.TraceError, match=r"line 5 \(0,X,1,2,3\) is not a row of an Alibaba block trace"):
        core.contents(path)


def test_a_last_line_that_is_cut_is_left_out(tmp_path: Path) -> None:
    found = core.contents(write(tmp_path, ALIBABA + "0,R,40"))
    assert found.totals["cut"]
    assert found.events == 2


def test_rows_of_a_vscsi_trace_at_the_same_time(tmp_path: Path) -> None:
    """Rows as they come from a virtual machine: many in the same second, some out of order."""
    times = [5_633_898, 5_633_898, 5_633_905, 5_633_901, 5_634_000]
    text = "version,time,op,size,lbn\n" + "".join(f"1,{time},2a,512,{42932745 + time}\n" for time in times)
    assert [row[0] for row in rows(write(tmp_path, text))] == [0, 0, 3 * 10**9, 7 * 10**9, 102 * 10**9]


def test_a_named_format_is_believed(tmp_path: Path) -> None:
    path = write(tmp_path, TENCENT)
    assert rows(path, "tencent") == rows(path)
    with pytest.raises(core.TraceError, match=r"line 1 .* is not a row of an Alibaba"):
        core.contents(path, "alibaba")


def test_a_file_that_is_not_there_is_looked_for_by_its_name_and_not_by_its_rights(tmp_path: Path) -> None:
    with pytest.raises(ResultFileError, match=r"there is no file .*nosuch\.trace; check the name"):
        core.opened(tmp_path / "nosuch.trace")
    with pytest.raises(ResultFileError, match="is a directory; name a file in it"):
        core.opened(tmp_path)
