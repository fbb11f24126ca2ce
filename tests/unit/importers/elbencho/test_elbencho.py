"""elbencho: MiB, µs, and what was reached when the first and the last thread was done."""

import pytest
from tests.unit.importers.importing import HERE, load, read_text, scores

from plimsoll.errors import ResultFileError
from plimsoll.units import MIB, MICROSECOND, MILLISECOND

TEXT = (HERE / "elbencho" / "fixtures" / "three_phases.csv").read_text(encoding="utf-8")


def test_each_phase_is_a_run() -> None:
    made, written, read = load("elbencho", "three_phases.csv").runs
    assert scores(written) == {
        "iops": 2940,
        "iops_first_done": 3490,
        "throughput": 2940 * MIB,
        "throughput_first_done": 3490 * MIB,
        "entry_rate": 11,
        "entry_rate_first_done": 11,
        "write_mean": 9383 * MICROSECOND,
        "write_max": 120903 * MICROSECOND,
        "write_entry_mean": 609112 * MICROSECOND,
        "write_entry_max": 867164 * MICROSECOND,
    }
    assert written.ended_ns - written.started_ns == 2780 * MILLISECOND
    assert "iops" not in scores(made), "a phase without I/O has empty cells, which are not 0"
    assert read.plan.parameters["threads"] == 8
    assert read.started_ns == 0, "its clock has no zone"


def test_a_zone_makes_the_time_known() -> None:
    runs = read_text("elbencho", TEXT.replace("2026-05-22T16:09:38", "2026-05-22T16:09:38+02:00")).runs
    assert runs[0].started_ns == 1_779_458_978 * 10**9


def test_a_row_that_was_cut_is_refused_with_its_line() -> None:
    with pytest.raises(ResultFileError, match=r"line 4: .* has 33 cells below a header of 37"):
        read_text("elbencho", TEXT.rstrip().rsplit(",", 4)[0])
