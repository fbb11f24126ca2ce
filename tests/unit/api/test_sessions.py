"""What a session gives: tables, histograms, charts, and how it shows itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import altair
import numpy
import pandas
import polars
import pytest
import vl_convert
from tests import factories
from tests.web.test_every_chart import KINDS

import plimsoll
from plimsoll.api.charts import altair_chart
from plimsoll.api.sessions import Session
from plimsoll.report.charts.vega import Vega
from plimsoll.report.document import Chart
from plimsoll.stats.histogram import decode
from plimsoll.store.exchange import export
from plimsoll.store.opening import open_store
from plimsoll.store.tables import TABLES
from plimsoll.store.union import add_records


def made(**how: object) -> Session:
    record, runs = factories.make_study(**{"ratios": {"b": 0.5}, "failed": 1, **how})  # type: ignore[arg-type]
    return Session(record, tuple(runs))


@pytest.fixture(scope="module")
def session() -> Session:
    return made()


def test_every_score_is_in_each_kind_of_table(session: Session) -> None:
    wanted = [(run.id, each.metric, each.value) for run in session.runs for each in run.scores]
    columns = ["run_id", "metric", "value"]
    assert list(session.to_pandas()[columns].itertuples(index=False, name=None)) == wanted
    assert session.to_polars().select(columns).rows() == wanted
    assert [tuple(row.values()) for row in session.to_arrow().select(columns).to_pylist()] == wanted


@pytest.mark.parametrize("name", TABLES)
def test_columns_have_the_types_that_are_declared(session: Session, name: str) -> None:
    frame, lines, table = session.to_pandas(name), session.to_polars(name), session.to_arrow(name)
    assert list(frame.columns) == lines.columns == table.schema.names == list(TABLES[name])
    for column, (kind, _) in TABLES[name].items():
        told = str(table.schema.field(column).type)
        assert told.replace("double", "float64").startswith("timestamp" if kind == "timestamp" else kind)
        if kind == "timestamp":
            assert str(frame[column].dtype) == "datetime64[ns, UTC]"
        elif kind.startswith("int"):
            assert pandas.api.types.is_integer_dtype(frame[column])
            assert lines.schema[column].is_integer()
    assert len(frame) == len(lines) == table.num_rows


def test_what_is_absent_is_missing_and_not_zero() -> None:
    first = made()
    unknown = Session(
        first.record, tuple(run.model_copy(update={"started_ns": 0, "ended_ns": 0}) for run in first.runs)
    )
    frame, lines = unknown.to_pandas("runs"), unknown.to_polars("runs")
    assert frame["duration_ns"].isna().all()
    assert frame["started"].isna().all()
    assert lines["duration_ns"].null_count() == len(lines)
    assert isinstance(frame["order"].dtype, numpy.dtype)


def test_a_table_that_does_not_exist_has_the_nearest(session: Session) -> None:
    for table in (session.to_pandas, session.to_polars, session.to_arrow):
        with pytest.raises(plimsoll.UnknownName, match="did you mean 'scores'"):
            table("score")


def test_histograms_add_up(session: Session) -> None:
    both = [session.histogram(target=name, kind="read") for name in ("a", "b")]
    for name, found in zip(("a", "b"), both, strict=True):
        valid = [run for run in session.runs if run.target.name == name and run.status.value == "ok"]
        assert found.count == sum(decode(run.histograms["read"]).count for run in valid)
        assert found.low_ns.shape == found.high_ns.shape == found.counts.shape
        assert (found.low_ns <= found.high_ns).all()
        assert found.low_ns.dtype == found.counts.dtype == numpy.int64
    together = both[0] + both[1]
    assert together.count == both[0].count + both[1].count
    p50s = [each.percentile_ns(50) or 0 for each in both]
    assert min(p50s) <= (together.percentile_ns(50) or 0) <= max(p50s)
    assert list(together.to_pandas().columns) == ["low_ns", "high_ns", "count"]
    assert "p99" in repr(together)


def test_what_is_meant_must_be_said_where_there_are_several(session: Session) -> None:
    with pytest.raises(plimsoll.UsageError, match="say which target: a, b"):
        session.histogram()
    with pytest.raises(plimsoll.UnknownName, match="no target named 'c'"):
        session.histogram(target="c")
    with pytest.raises(plimsoll.UnknownName, match="did you mean 'read'"):
        session.histogram(target="a", kind="reed")


def test_verdicts_say_what_the_report_says(session: Session) -> None:
    verdict = session.verdicts[0]
    assert (verdict.case, verdict.target, verdict.baseline, verdict.answer) == ("randread", "b", "a", "worse")
    assert verdict.ratio is not None
    assert verdict.ratio_low is not None
    assert verdict.ratio_low <= verdict.ratio <= (verdict.ratio_high or 0)
    assert str(verdict) in str(session)
    assert session.targets == ("a", "b")
    assert any("slower" in sentence for sentence in session.answer)


def test_a_session_of_one_target_has_no_verdict_and_is_not_compared() -> None:
    alone = made(targets=("a",))
    assert alone.verdicts == ()
    with pytest.raises(plimsoll.UsageError, match="only one target"):
        plimsoll.compare(alone)


def test_comparing_at_hand_and_in_the_store_is_one(tmp_path: Path, session: Session) -> None:
    with open_store(str(tmp_path / "store.db")) as store:
        add_records(store, [session.record, *session.runs], "here")
    stored = plimsoll.compare(session.short_id, store=tmp_path / "store.db")
    at_hand = plimsoll.compare(session)
    assert [each.row() for each in stored] == [each.row() for each in at_hand]
    assert stored.worse
    assert not stored.nothing
    assert list(stored.to_pandas()["answer"]) == [each.answer.value for each in stored if each.answer]
    assert plimsoll.compare(session, band=0.99).better == []
    with pytest.raises(plimsoll.UsageError, match=r"plimsoll\.load"):
        plimsoll.compare(session, "other")
    # Not silently the last session of the store.
    with pytest.raises(plimsoll.UsageError, match=r"a Session, or the id or title of one, not \["):
        plimsoll.compare([session, session])  # type: ignore[arg-type]
    with pytest.raises(plimsoll.UsageError, match="for one test at a time, not for 2"):
        plimsoll.knee(["randread", "randwrite"], store=tmp_path / "store.db")  # type: ignore[arg-type]
    with pytest.raises(plimsoll.UnknownName, match="no target or baseline named 'c'"):
        plimsoll.compare(session, baseline="c")


def test_a_session_is_the_same_from_store_and_file(tmp_path: Path, session: Session) -> None:
    place, path = tmp_path / "store.db", tmp_path / "one.plimsoll.gz"
    with open_store(str(place)) as store:
        add_records(store, [session.record, *session.runs], "here")
        export(store, [session.id], path)
    from_store = plimsoll.load(session.short_id, store=place)
    assert from_store == plimsoll.load(session.title, store=place) == plimsoll.load(store=place)
    assert plimsoll.load(path) == plimsoll.load(str(path), session=session.short_id) == from_store
    assert [run.scores for run in from_store.runs] == [run.scores for run in session.runs]
    with pytest.raises(plimsoll.UnknownName, match="no session named"):
        plimsoll.load(path, session="another")
    with pytest.raises(plimsoll.UsageError, match="are for files"):
        plimsoll.load(session.short_id, target="a", store=place)
    with pytest.raises(plimsoll.UnknownName, match="no session named"):
        plimsoll.load("nothing.json", store=place)


def test_a_file_with_several_sessions_asks_which(tmp_path: Path, session: Session) -> None:
    other = made(title="another", seed=9)
    with open_store(str(tmp_path / "store.db")) as store:
        for each in (session, other):
            add_records(store, [each.record, *each.runs], "here")
        export(store, [session.id, other.id], tmp_path / "two.plimsoll.gz")
    with pytest.raises(plimsoll.UsageError, match=f"holds 2 sessions.*{session.short_id}"):
        plimsoll.load(tmp_path / "two.plimsoll.gz")
    assert plimsoll.load(tmp_path / "two.plimsoll.gz", session="another").title == "another"


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "fio.json").write_text("nothing that anybody knows\n")
    with pytest.raises(plimsoll.ResultFileError, match="in no format that is known"):
        plimsoll.load(tmp_path / "fio.json")
    with pytest.raises(plimsoll.PlimsollError, match=r"gone\.json"):
        plimsoll.load(tmp_path / "gone.json")


def test_its_page_is_escaped_and_shows_the_answer() -> None:
    hostile = made(title="<script>alert(1)</script>", targets=("<b>a", "b"), ratios={"b": 0.5})
    for shown in (hostile._repr_html_(), plimsoll.compare(hostile)._repr_html_()):
        assert "<script" not in shown
        assert "<b>a" not in shown
        assert "&lt;b&gt;a" in shown
        assert "<table" in shown


def test_reports_are_not_replaced_unasked(tmp_path: Path, session: Session) -> None:
    path = session.report(tmp_path / "report.md")
    assert "slower" in path.read_text()
    with pytest.raises(plimsoll.UsageError, match="already exists"):
        session.report(path)
    session.report(path, replace=True)
    with pytest.raises(plimsoll.UnknownName, match="no report format"):
        session.report(tmp_path / "report.docx")


def test_every_chart_of_a_session_is_an_altair_chart(session: Session) -> None:
    assert len(session.charts) >= 3
    for name in session.charts:
        found = session.charts[name].to_dict()
        assert found["title"] == session.charts.title(name)
        assert vl_convert.vegalite_to_svg(found, allowed_base_urls=[]).startswith("<svg")
    with pytest.raises(plimsoll.UnknownName, match="did you mean 'forest-0'"):
        session.charts["forest"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_chart_is_one_that_altair_knows(kind: str) -> None:
    make: Callable[..., dict[str, object]] = KINDS[kind]
    spec = make(30, 3, "t")
    chart = Chart("one", "One", "What it shows", None, lambda: Vega(spec))  # type: ignore[arg-type]
    assert altair_chart(chart).to_dict()["description"] == "What it shows"


def test_altair_speaks_the_vega_lite_that_draws_reports() -> None:
    newest = vl_convert.get_vegalite_versions()[-1]
    assert altair.SCHEMA_VERSION.removeprefix("v").rpartition(".")[0] == newest


def test_frames_are_those_of_the_libraries(session: Session) -> None:
    assert isinstance(session.to_pandas(), pandas.DataFrame)
    assert isinstance(session.to_polars(), polars.DataFrame)
