"""The table for everything else: units into base units, runs, absences, and errors that name the row."""

import pytest
from tests.unit.importers.importing import load, read_text, scores

from plimsoll.errors import ResultFileError
from plimsoll.importers.formats.table import recognise
from plimsoll.model import RunStatus
from plimsoll.units import MILLISECOND, SECOND


def test_runs_of_two_targets() -> None:
    runs = load("table", "runs.csv").runs
    assert [(run.target.name, scores(run)) for run in runs] == [
        ("gp3", {"transaction_rate": 1234.5, "read_p99": 12.5 * MILLISECOND}),
        ("gp3", {"transaction_rate": 1240.0}),
        ("io2", {"throughput": 100_000_000}),
        ("io2", {}),
    ]
    assert runs[3].status is RunStatus.FAILED
    assert runs[0].started_ns == 1_767_323_045 * SECOND
    assert runs[1].started_ns == 0


def test_a_summary_has_one_number_and_its_spread() -> None:
    nfs, ext4 = load("table", "summary.json").runs
    assert scores(nfs) == {"time": 12.5 * SECOND}
    assert nfs.facts["spread"] == {"time": 0.5 * SECOND}
    assert nfs.facts["imported"]["summary"]
    assert ext4.facts["imported"]["summary"]


def test_equal_rows_are_repeats() -> None:
    runs = load("table", "repeats.tsv", target="here").runs
    assert [(run.target.name, scores(run)["iops"]) for run in runs] == [("here", 100), ("here", 110)]


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ("t,a,m,furlongs,higher,1", "line 2: 'furlongs' is not a known unit"),
        ("t,a,m,ms,sideways,1", "line 2: better is 'sideways'"),
        ("t,a,m,ms,lower,fast", "line 2: the value 'fast' is not a number"),
        ("t,a,m,ms,lower", "line 2 has 5 cells"),
        (",a,m,ms,lower,1", "line 2: the test or the metric is empty"),
    ],
)
def test_a_bad_row_is_named(row: str, what: str) -> None:
    with pytest.raises(ResultFileError, match=what):
        read_text("table", f"test,target,metric,unit,better,value\n{row}\n")


@pytest.mark.parametrize(
    ("unit", "value", "base"),
    [
        ("KiB/s", 1, 1024),
        ("kB/s", 1, 1000),
        ("Mb/s", 8, 1e6),
        ("Mbit/s", 8, 1e6),
        ("µs", 2, 2000),
        ("Requests Per Second", 3, 3),
        ("kIOPS", 3, 3000),
        ("NOPM", 120, 2),
        ("%", 50, 0.5),
        ("GiB", 1, 2**30),
        ("1", 7, 7),
    ],
)
def test_units(unit: str, value: float, base: float) -> None:
    (run,) = read_text("table", f"test,metric,unit,better,value\nt,m,{unit},higher,{value}\n").runs
    assert scores(run) == pytest.approx({"m": base})


@pytest.mark.parametrize(
    ("heading", "what"),
    [
        ("test,target,metric,unit,value", r"no column better \(higher or lower\); its columns are: test, target"),
        ("test,better,value", r"no column unit \(such as MB/s, 1/s or s\)"),
        ("unit;better;value", r"no column test \(what was run\)"),
    ],
)
def test_the_column_that_is_missing_is_named(heading: str, what: str) -> None:
    assert recognise(f"{heading}\n".encode(), "t.csv")
    with pytest.raises(ResultFileError, match=what):
        read_text("table", f"{heading}\n1,2,3\n")


def test_another_table_is_none_of_ours() -> None:
    assert not recognise(b"time,value,unit\n1,2,s\n", "t.csv")
    assert not recognise(b"test,unit,better\n", "t.csv")


def test_a_published_table_has_no_metric_and_a_spread() -> None:
    text = "test,target,unit,better,value,error\nb,x,s,lower,12,2\na,x,MB/s,higher,3,± 0.5\nb,y,s,lower,14,1\n"
    runs = read_text("table", text).runs
    assert [(run.plan.case, run.target.name, scores(run), run.order) for run in runs] == [
        ("b", "x", {"time": 12 * SECOND}, 0),
        ("a", "x", {"throughput": 3e6}, 1),
        ("b", "y", {"time": 14 * SECOND}, 2),
    ]
    assert [run.facts["spread"] for run in runs] == [{"time": 2 * SECOND}, {"throughput": 5e5}, {"time": SECOND}]
    assert all(run.facts["imported"]["summary"] for run in runs)


@pytest.mark.parametrize("column", ["spread", "Error", "StdDev", "±", "+/-", "SD"])
def test_a_spread_has_many_names(column: str) -> None:
    (run,) = read_text("table", f"test,unit,better,value,{column},runs\nt,s,lower,1,0.5,4\n").runs
    assert run.facts["spread"] == {"time": 0.5 * SECOND}
    assert run.facts["spread_runs"] == {"time": 4}
    assert "standard_errors" not in run.facts


def test_a_standard_error_is_told_apart() -> None:
    (run,) = read_text("table", "test,unit,better,value,stderr\nt,s,lower,1,0.5\n").runs
    assert run.facts["standard_errors"] == ["time"]


def test_a_row_of_json_that_is_spoilt_is_not_dropped() -> None:
    row = '{{"test": "t", "unit": "s", "better": "lower", "value": {}}}'
    for text in (f"[\n{row.format(1)},\n{row.format('0x1f')}\n]", f"{row.format(1)}\n{row.format('7,654')}\n"):
        with pytest.raises(ResultFileError, match="the JSON cannot be read at"):
            read_text("table", text)
