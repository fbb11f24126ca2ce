"""What people have already, format by format: what is read, and what is refused with a sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plimsoll.errors import UsageError
from plimsoll.traces.counters import Options, load
from plimsoll.traces.series import Column, Found, Series, build, in_periods_of

T = 1_789_948_800
"""2026-09-21 00:00 UTC."""

NODE = ("reads_completed", "writes_completed", "read_bytes", "written_bytes")


def read(tmp_path: Path, text: str, **options: Any) -> Series:
    file = tmp_path / "load"
    file.write_text(text)
    return load([file], Options(**options))


def close(values: object, wanted: object) -> bool:
    return bool(np.allclose(np.asarray(values, float), np.asarray(wanted, float)))


def matrix(series: list[tuple[dict[str, str], list[float]]], step: int = 60, start: int = T) -> str:
    result = [
        {"metric": labels, "values": [[start + step * i, str(value)] for i, value in enumerate(values)]}
        for labels, values in series
    ]
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}})


def node(device: str, *columns: list[float]) -> list[tuple[dict[str, str], list[float]]]:
    return [
        ({"__name__": f"node_disk_{name}_total", "device": device}, values)
        for name, values in zip(NODE, columns, strict=True)
    ]


def test_prometheus_counters(tmp_path: Path) -> None:
    text = matrix(node("sda", [100, 160, 400], [10, 40, 50], [0, 4096, 8192], [0, 100, 200]))
    found = read(tmp_path, text)
    assert (found.name, found.period_s, found.when(0)) == ("sda", 60.0, "2026-09-21 00:00 UTC")
    assert close(found.reads, [60, 240])
    assert close(found.write_bytes, [100, 100])


def test_prometheus_expressions_need_a_word(tmp_path: Path) -> None:
    files = []
    for name in ("r", "w", "rb", "wb"):
        files.append(tmp_path / name)
        files[-1].write_text(matrix([({"device": "sda"}, [10.0, 20.0])]))
    with pytest.raises(UsageError, match="say what it is a rate of, per second: --rate reads"):
        load(files, Options())
    found = load(files, Options(rate=("reads", "writes", "read_bytes", "write_bytes")))
    assert close(found.reads, [600, 1200])


def test_a_sum_over_all_disks_and_a_vector_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="without the label device"):
        read(tmp_path, matrix([({}, [1.0, 2.0])]), rate=("reads",))
    vector = json.dumps({"status": "success", "data": {"resultType": "vector", "result": []}})
    with pytest.raises(UsageError, match="ask query_range"):
        read(tmp_path, vector)


def test_openmetrics_with_times_and_a_single_scrape(tmp_path: Path) -> None:
    lines = [
        f'node_disk_{name}_total{{device="vda"}} {value} {T + 15 * i}'
        for name in NODE
        for i, value in enumerate((0, 150, 450))
    ]
    found = read(tmp_path, "\n".join([*lines, "# EOF"]))
    assert found.period_s == 15
    assert close(found.reads, [150, 300])
    with pytest.raises(UsageError, match="a single scrape"):
        read(tmp_path, "\n".join(line.rsplit(" ", 1)[0] for line in lines))


def cloudwatch(stat: str = "Sum", period: int = 300) -> tuple[str, str]:
    names = ("VolumeReadOps", "VolumeWriteOps", "VolumeReadBytes", "VolumeWriteBytes")
    times = ["2026-09-21T00:05:00+00:00", "2026-09-21T00:00:00+00:00"]
    results = [
        {"Id": f"m{i}", "Label": name, "Timestamps": times, "Values": [600.0, 300.0], "StatusCode": "Complete"}
        for i, name in enumerate(names)
    ]
    where = [{"Name": "VolumeId", "Value": "vol-1"}]
    queries = [
        {
            "Id": f"m{i}",
            "MetricStat": {"Metric": {"MetricName": name, "Dimensions": where}, "Period": period, "Stat": stat},
        }
        for i, name in enumerate(names)
    ]
    return json.dumps({"MetricDataResults": results}), json.dumps(queries)


def test_cloudwatch_needs_its_query(tmp_path: Path) -> None:
    answer, queries = cloudwatch()
    with pytest.raises(UsageError, match="does not say which statistic"):
        read(tmp_path, answer)
    query = tmp_path / "q.json"
    query.write_text(queries)
    found = read(tmp_path, answer, query=query)
    assert (found.name, found.period_s, found.when(0)) == ("vol-1", 300.0, "2026-09-21 00:00 UTC")
    assert close(found.reads, [300, 600])
    assert close(read(tmp_path, answer, stat="Sum", period_s=300.0).writes, [300, 600])


def test_sums_over_less_than_the_distance_of_times_are_refused(tmp_path: Path) -> None:
    answer = json.loads(cloudwatch()[0])
    times = [f"2026-09-21T00:{minute:02}:00Z" for minute in (0, 5, 15)]
    for each in answer["MetricDataResults"]:
        each |= {"Timestamps": times, "Values": [300.0, 600.0, 900.0]}
    with pytest.raises(UsageError, match="no two times are closer than 5 min, so these are no sums over 60 s"):
        read(tmp_path, json.dumps(answer), stat="Sum", period_s=60.0)
    found = read(tmp_path, json.dumps(answer), stat="Sum", period_s=300.0)
    assert (close(found.reads, [300, 600, 0, 900]), found.observed.tolist()) == (True, [True, True, False, True])


def test_averages_of_ebs_are_refused(tmp_path: Path) -> None:
    answer, queries = cloudwatch("Average")
    query = tmp_path / "q.json"
    query.write_text(queries)
    with pytest.raises(UsageError, match="a mean per sample, not per second"):
        read(tmp_path, answer, query=query)


def test_azure_long_and_wide(tmp_path: Path) -> None:
    names = [f"Composite Disk {way} {what}/sec" for way in ("Read", "Write") for what in ("Operations", "Bytes")]
    rows = [f"2026-09-21T00:0{i}:00.0000000Z,DATA,{name},{10 * (i + 1)},PT1M" for i in range(3) for name in names]
    found = read(tmp_path, "\n".join(["TimeGenerated [UTC],Resource,MetricName,Average,TimeGrain", *rows]))
    assert (found.name, found.period_s) == ("DATA", 60.0)
    assert close(found.reads, [600, 1200, 1800])
    wide = "\n".join(["TimeStamp," + ",".join(names), *(f"2026-09-21 00:0{i}:00," + "5,6,7,8" for i in range(3))])
    assert close(read(tmp_path, wide).read_bytes, [360, 360, 360])


def test_google_cloud_needs_to_know_what_was_shown(tmp_path: Path) -> None:
    metrics = [
        f"compute.googleapis.com/instance/disk/{way}_{what}_count"
        for way in ("read", "write")
        for what in ("ops", "bytes")
    ]
    text = "\n".join(
        [
            "TimeSeries ID," + ",".join(metrics),
            "device_name,data,data,data,data",
            '"Mon Sep 21 2026 02:00:00 GMT+0200 (Central European Summer Time)",1,2,3,4',
            '"Mon Sep 21 2026 02:01:00 GMT+0200 (Central European Summer Time)",1,2,3,4',
        ]
    )
    with pytest.raises(UsageError, match="--stat rate"):
        read(tmp_path, text)
    found = read(tmp_path, text, stat="rate")
    assert (found.name, found.zone) == ("data", "+0200")
    assert close(found.read_bytes, [120, 120])
    assert close(read(tmp_path, text, stat="delta").reads, [1, 1])


IOSTAT = """Linux 6.1.0 (host) 	09/21/2026 	_x86_64_	(2 CPU)

{first}
Device            r/s     rkB/s     w/s     wkB/s  aqu-sz  %util
sda           9999.00   9999.00 9999.00   9999.00    9.00  99.00

{second}
Device            r/s     rkB/s     w/s     wkB/s  aqu-sz  %util
sda             10.00     40.00    5.00     20.00    0.50   1.00

{third}
Device            r/s     rkB/s     w/s     wkB/s  aqu-sz  %util
sda             20.00     80.00    5.00     20.00    0.50   1.00
"""


def test_iostat_leaves_out_its_first_report(tmp_path: Path) -> None:
    times = {"first": "09/21/2026 11:59:50 PM", "second": "09/22/2026 12:00:00 AM", "third": "09/22/2026 12:00:10 AM"}
    found = read(tmp_path, IOSTAT.format(**times))
    assert close(found.reads, [100, 200])
    assert close(found.write_bytes, [204_800, 204_800])
    assert found.waited_s is not None
    assert close(found.waited_s, [5, 5])
    iso = {
        "first": "2026-09-21T00:00:00+0200",
        "second": "2026-09-21T00:00:10+0200",
        "third": "2026-09-21T00:00:20+0200",
    }
    assert read(tmp_path, IOSTAT.format(**iso)).zone == "+0200"


def test_iostat_without_times_and_with_a_clock_that_goes_back(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="run iostat with -t"):
        read(tmp_path, IOSTAT.format(first="", second="", third=""))
    back = {"first": "09/21/2026 02:59:50 AM", "second": "09/21/2026 03:00:00 AM", "third": "09/21/2026 02:00:10 AM"}
    found = read(tmp_path, IOSTAT.format(**back))
    assert found.periods == 2
    assert any("the clock goes back" in note for note in found.notes)


SAR = """Linux 6.1.0 (host) 	2026-09-21 	_x86_64_	(2 CPU)

{times[0]}          DEV       tps     rkB/s     wkB/s   areq-sz    aqu-sz     await     %util
{times[1]}          sda    100.00    300.00    100.00      4.00      1.00     10.00     50.00
{times[2]}          sda    200.00    200.00    600.00      4.00      2.00     10.00     50.00
{times[3]}          sda      0.00      0.00      0.00      0.00      0.00      0.00      0.00

Average:          sda    100.00    450.00    150.00      4.00      1.00     10.00     50.00
"""


@pytest.mark.parametrize(
    ("times", "start_s"),
    [
        (("10:00:00", "10:00:10", "10:00:20", "10:00:30"), T + 36_000),
        (("23:59:40", "23:59:50", "00:00:00", "00:00:10"), T + 86_380),
        (("11:59:40 PM", "11:59:50 PM", "12:00:00 AM", "12:00:10 AM"), T + 86_380),
    ],
)
def test_sar_tells_reads_from_writes_by_their_bytes_and_passes_midnight(
    tmp_path: Path, times: tuple[str, ...], start_s: int
) -> None:
    found = read(tmp_path, SAR.format(times=times))
    assert (found.name, found.start_s, found.period_s, found.periods, found.dated) == ("sda", start_s, 10.0, 3, True)
    assert found.observed.all()
    assert close(found.reads, [750, 500, 0])
    assert close(found.writes, [250, 1500, 0])
    assert close(found.read_bytes, [300 * 10_240, 200 * 10_240, 0])
    assert close(found.write_bytes, [100 * 10_240, 600 * 10_240, 0])
    assert found.waited_s is not None
    assert close(found.waited_s, [10, 20, 0])
    assert [note for note in found.notes if "clock" in note or "not observed" in note] == []
    assert any("reads and writes together" in note for note in found.notes)


def test_sar_of_two_days_and_of_a_changed_clock(tmp_path: Path) -> None:
    first = SAR.format(times=("23:59:30", "23:59:40", "23:59:50", "00:00:00"))
    second = SAR.format(times=("00:00:00", "00:00:10", "00:00:20", "00:00:30")).replace("2026-09-21", "2026-09-22")
    found = read(tmp_path, first + second)
    assert (found.start_s, found.periods, found.observed_s) == (T + 86_370, 6, 60.0)
    back = read(tmp_path, SAR.format(times=("03:00:00", "03:00:10", "03:00:20", "02:00:20")))
    assert (back.start_s, back.periods, back.observed_s) == (T + 3 * 3600, 3, 30.0)
    assert any("the clock goes back by 3,600 s" in note for note in back.notes)
    for times in (
        ("23:59:40", "23:59:50", "00:00:00", "00:00:10"),
        ("11:59:40 PM", "11:59:50 PM", "12:00:00 AM", "12:00:10 AM"),
    ):
        undated = read(tmp_path, SAR.format(times=times).partition("\n")[2])
        assert (undated.dated, undated.periods, undated.observed_s) == (False, 3, 30.0)


def test_pcp(tmp_path: Path) -> None:
    names = ",".join(f'"disk.dev.{each}-sda"' for each in ("read", "write", "read_bytes", "write_bytes"))
    text = f"Time,{names}\n2026-09-21 00:00:00,,,,\n2026-09-21 00:00:10,1,2,3,4\n2026-09-21 00:00:20,1,2,3,4\n"
    found = read(tmp_path, text)
    assert close(found.reads, [10, 10])
    assert close(found.read_bytes, [30 * 1024, 30 * 1024])


def test_several_devices_are_named(tmp_path: Path) -> None:
    busy = ([0, 10], [0, 10], [0, 10], [0, 10])
    text = matrix([*node("sda", *busy), *node("sdb", *busy)])
    with pytest.raises(UsageError, match=r"say which with --device NAME: the file has sda, sdb\. Of a RAID or LVM"):
        read(tmp_path, text)
    assert read(tmp_path, text, device="sdb").name == "sdb"
    stacked = matrix([*node("sda", *busy), *node("dm-0", *busy), *node("sda1", *busy)])
    found = read(tmp_path, stacked)
    assert found.name == "sda"
    assert "left out, because idle or made of it or part of it: dm-0, sda1" in found.notes[0]


def test_what_is_no_format_names_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no format that is known; known are Azure Monitor CSV, .*sar -d"):
        read(tmp_path, "hello\n")


def test_a_comma_that_may_be_either_is_refused(tmp_path: Path) -> None:
    head = "TimeStamp," + ",".join(
        f"Disk {way} {what}/sec" for way in ("Read", "Write") for what in ("Operations", "Bytes")
    )
    rows = [f"2026-09-21 00:0{i}:00," for i in range(3)]
    for text, shown in (("1,234", "1234 or 1.234"), ("12,345,678", "12345678 or 12.345,678")):
        with pytest.raises(UsageError, match=f"line 2: '{text}' may be {shown}; save it with numbers"):
            read(tmp_path, "\n".join([head, *(f'{row}"{text}",0,0,0' for row in rows)]))
    for text, value in (("0,123", 0.123), ("1,25", 1.25), ("1234,5", 1234.5), ("1234.567", 1234.567)):
        found = read(tmp_path, "\n".join([head, *(f'{row}"{text}",0,0,0' for row in rows)]))
        assert close(found.reads, [60 * value] * 3)


def counters(*values: float, times: list[float] | None = None) -> Series:
    ends = times or [T + 10.0 * i for i in range(len(values))]
    column = Column("counter", ends, values)
    return build(Found("sda", dict.fromkeys(("reads", "writes", "read_bytes", "write_bytes"), column)), "made")


def test_a_wrap_is_undone_and_a_reset_is_left_out() -> None:
    wrapped = counters(2**32 - 50, 2**32 - 10, 30, 70)
    assert close(wrapped.reads, [40, 40, 40])
    assert "wrapped at 2^32 once" in wrapped.notes[0]
    reset = counters(1000, 1100, 20, 120)
    assert reset.observed.tolist() == [True, False, True]
    assert any("began again once (a reboot?)" in note for note in reset.notes)


def test_gaps_keep_what_a_counter_summed_over_them() -> None:
    found = counters(0, 10, 20, 80, times=[T, T + 10, T + 20, T + 60.0])
    assert close(found.reads, [10, 10, 15, 15, 15, 15])
    rates = Column("rate", [T + 10, T + 20, T + 60.0], [1, 1, 1])
    named = dict.fromkeys(("reads", "writes", "read_bytes", "write_bytes"), rates)
    missing = build(Found("sda", named), "made")
    assert missing.observed.tolist() == [True, True, False, False, False, True]
    assert any("30 s were not observed (a gap)" in note for note in missing.notes)


NEEDED = ("reads", "writes", "read_bytes", "write_bytes")


def rates(*values: float, step: float = 1.0, period_s: float | None = None) -> Series:
    column = Column("rate", [T + step * (i + 1) for i in range(len(values))], values)
    return build(Found("sda", dict.fromkeys(NEEDED, column), period_s), "made")


def test_rates_in_one_period_are_not_added() -> None:
    ends = [T + 600.0 * (i + 1) for i in range(12)]
    ends += [ends[-1] + 60.0 * (i + 1) for i in range(10)]
    column = Column("rate", ends, [100.0] * len(ends))
    found = build(Found("sda", dict.fromkeys(NEEDED, column)), "made")
    assert found.period_s == 600
    assert close(found.reads / found.period_s, [100] * 13)


def test_longer_periods_keep_the_rate_and_the_length() -> None:
    found = in_periods_of(rates(*[100.0] * 600), 300.0)
    assert (found.period_s, found.periods, found.observed_s, found.start_s) == (300.0, 2, 600.0, T)
    assert close(found.reads, [30_000, 30_000])
    part = in_periods_of(rates(*[100.0] * 700), 300.0)
    assert (close(part.reads, [30_000, 30_000, 0]), part.observed.tolist()) == (True, [True, True, False])
    assert any("100 s were left out: less than half of a period of 5 min" in note for note in part.notes)
    most = in_periods_of(rates(*[100.0] * 500), 300.0)
    assert close(most.reads, [30_000, 30_000])
    assert not any("left out" in note for note in most.notes)
    assert in_periods_of(found, 301.0) is found
    for wrong in (60.0, 450.0):
        with pytest.raises(UsageError, match="has periods of 5 min; give a multiple of it, or leave it out"):
            in_periods_of(found, wrong)
    with pytest.raises(UsageError, match="not half of any such period"):
        in_periods_of(rates(*[100.0] * 60), 300.0)


def test_a_length_that_the_file_contradicts_is_refused(tmp_path: Path) -> None:
    answer, queries = cloudwatch()
    query = tmp_path / "q.json"
    query.write_text(queries)
    with pytest.raises(UsageError, match="--period 60 s: vol-1 has periods of 5 min"):
        read(tmp_path, answer, query=query, period_s=60.0)
    assert close(read(tmp_path, answer, query=query, period_s=300.0).reads, [300, 600])
    mixed = json.loads(queries)
    mixed[0]["MetricStat"]["Period"] = 60
    query.write_text(json.dumps(mixed))
    with pytest.raises(UsageError, match="vol-1 has periods of 60 s and of 5 min; ask for one length"):
        read(tmp_path, answer, query=query)


def test_a_length_is_taken_where_there_is_one_time(tmp_path: Path) -> None:
    times = {"first": "09/21/2026 11:59:50 PM", "second": "09/22/2026 12:00:00 AM", "third": "09/22/2026 12:00:10 AM"}
    text = IOSTAT.format(**times).partition("09/22/2026 12:00:10")[0]
    with pytest.raises(UsageError, match="give --period 60s"):
        read(tmp_path, text)
    found = read(tmp_path, text, period_s=10.0)
    assert (found.period_s, close(found.reads, [100])) == (10.0, True)
    assert close(read(tmp_path, IOSTAT.format(**times), period_s=20.0).reads, [300])


def test_hours_that_were_not_observed() -> None:
    two = counters(*range(721), times=[T + 10.0 * i for i in range(721)])
    assert two.unobserved_hours == tuple(range(2, 24))
    more = counters(*range(722), times=[T + 10.0 * i for i in range(722)])
    assert more.unobserved_hours == tuple(range(3, 24))


def test_a_wrong_time_does_not_fill_the_memory() -> None:
    with pytest.raises(UsageError, match="look for a wrong time"):
        counters(0, 1, 2, 3, times=[T, T + 1, T + 2, T + 1e12])
