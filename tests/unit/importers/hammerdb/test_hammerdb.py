"""Golden: results of HammerDB; per minute in the log, per second here."""

import pytest
from tests.unit.importers.importing import HERE, load, read_text, scores

from plimsoll.errors import ResultFileError
from plimsoll.model import RunStatus
from plimsoll.units import MILLISECOND, MINUTE, SECOND


def test_tproc_c() -> None:
    (run,) = load("hammerdb", "tproc_c.log").runs
    assert scores(run)["new_order_rate"] == pytest.approx(12_000 / 60)
    assert scores(run)["transaction_rate"] == pytest.approx(27_600 / 60)
    assert scores(run)["new_order_p99"] == 9.8 * MILLISECOND
    assert scores(run)["new_order_max"] == 50.25 * MILLISECOND
    assert run.facts["nopm"] == 12_000
    assert run.plan.parameters["virtual_users"] == 8
    assert run.plan.parameters["database"] == "PostgreSQL"
    assert run.ended_ns - run.started_ns == 5 * MINUTE
    assert run.facts["series"]["columns"]["transaction_rate"]["values"] == [500, 600]


def test_older_results_and_failures() -> None:
    good, partial, failed = load("hammerdb", "old_and_failed.log").runs
    assert scores(good)["new_order_rate"] == pytest.approx(500)
    assert good.plan.parameters["virtual_users"] == 4
    assert partial.status is RunStatus.PARTIAL
    assert "ORA-00060" in partial.reason
    assert failed.status is RunStatus.FAILED
    assert "connection refused" in failed.reason


def test_tproc_h() -> None:
    (run,) = load("hammerdb", "tproc_h.log").runs
    assert scores(run) == {"query_set_time": 73 * SECOND, "query_geometric_mean": 1.23456 * SECOND}


def test_streams_side_by_side_are_one_run_and_each_has_its_own_times() -> None:
    three, one = load("hammerdb", "tproc_h_streams.log").runs
    assert scores(three) == {"query_set_time": 100 * SECOND, "query_geometric_mean": pytest.approx(2 * SECOND)}
    assert three.facts["streams"] == {
        f"virtual user {user}": {"query_set_time_ns": time * SECOND, "query_geometric_mean_ns": mean * SECOND}
        for user, time, mean in ((1, 80, 1), (2, 90, 2), (3, 100, 4))
    }
    assert three.plan.parameters["streams"] == 3
    assert (three.status, one.status) == (RunStatus.OK, RunStatus.OK)
    assert scores(one) == {"query_set_time": 40 * SECOND, "query_geometric_mean": 0.5 * SECOND}
    assert "streams" not in one.facts


def test_sixteen_streams_are_paired_by_their_user() -> None:
    users = range(1, 17)
    text = "".join(f"Vuser {user}:Completed 1 query set(s) in {100 + user} seconds\n" for user in users)
    mean = "Geometric mean of query times returning rows (22) is"
    text += "".join(f"Vuser {user}:{mean} {user}.5\n" for user in reversed(users))
    (run,) = read_text("hammerdb", text).runs
    for user in users:
        found = run.facts["streams"][f"virtual user {user}"]
        assert found == {"query_set_time_ns": (100 + user) * SECOND, "query_geometric_mean_ns": (user + 0.5) * SECOND}


def test_a_stream_without_its_results_makes_the_run_partial() -> None:
    text = "Vuser 1:Completed 1 query set(s) in 9 seconds\nVuser 2:Completed 1 query set(s) in 8 seconds\n"
    (run,) = read_text("hammerdb", text + "Vuser 2:Geometric mean of query times returning rows (2) is 1.0\n").runs
    assert run.status is RunStatus.PARTIAL
    assert run.reason == "the log ends before the results of 1 of 2 streams"


def test_a_stream_without_a_whole_number_is_refused_with_its_line() -> None:
    text = "Vuser 1:Completed 1 query set(s) in 80 seconds\nVuser {}:Completed 1 query set(s) in 90 seconds\n"
    for label in ("2k", "1.5", "0x2", ""):
        with pytest.raises(ResultFileError, match="line 2: "):
            read_text("hammerdb", text.format(label))
    (run,) = read_text("hammerdb", text.format("1_234_567")).runs
    assert list(run.facts["streams"]) == ["virtual user 1", "virtual user 1234567"]


def test_a_report_of_times_alone_is_that_of_all_users() -> None:
    (run,) = load("hammerdb", "time_profile.log").runs
    assert scores(run)["new_order_p99"] == pytest.approx(14.197 * MILLISECOND)
    assert scores(run)["payment_max"] == pytest.approx(26.534 * MILLISECOND)
    assert run.facts["operations"] == {"new_order": 322, "payment": 321}
    assert run.status is RunStatus.OK


def test_a_report_without_the_table_of_all_users_is_partial() -> None:
    text = (HERE / "hammerdb" / "fixtures" / "time_profile.log").read_text(encoding="utf-8")
    (run,) = read_text("hammerdb", text.partition(">>>>> SUMMARY")[0]).runs
    assert run.status is RunStatus.PARTIAL
    assert run.reason == "the table of all users is missing: the times are those of the last user"


def test_two_reports_in_one_file_are_two_runs() -> None:
    text = (HERE / "hammerdb" / "fixtures" / "time_profile.log").read_text(encoding="utf-8")
    assert len(read_text("hammerdb", text + text.replace("14.197", "15.197")).runs) == 2
