"""The table for everything else: units into base units, runs, absences, and errors that name the row."""

import pytest
from tests.unit.importers.importing import load, read_text, scores

from plimsoll.errors import ResultFileError
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
        ("t,a,m,furlongs,higher,1", "line 2: 'furlongs' is no known unit"),
        ("t,a,m,ms,sideways,1", "line 2: better is 'sideways'"),
        ("t,a,m,ms,lower,fast", "line 2: the value 'fast' is no number"),
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
