"""Sessions as a program runs them: cancelled, with errors of its own, from several threads; nothing stays behind."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import plimsoll
from plimsoll.run.workers import sliced
from plimsoll.units import SECOND

SHORT = {"size": "16MiB", "runtime": "300ms", "warmup": "100ms"}
LONG = {"size": "16MiB", "runtime": "60s"}


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PLIMSOLL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PLIMSOLL_STORE", str(tmp_path / "store.db"))
    before = {each.name for each in threading.enumerate()}
    yield
    assert {each.name for each in threading.enumerate()} <= before
    assert [each for each in (tmp_path / "home").glob("active/*") if each.is_file() or any(each.iterdir())] == []


def disk(tmp_path: Path, name: str = "disk") -> Path:
    (tmp_path / name).mkdir()
    return tmp_path / name


def paced(place: Path) -> dict[str, dict[str, Any]]:
    where = {"where": place}
    return {"deep": {**where, "depth": 32, "rate": "4000/s"}, "shallow": {**where, "depth": 1, "rate": "400/s"}}


def quick(place: Path, **options: Any) -> plimsoll.Session:
    return plimsoll.run("randread", {"a": place}, repeats=1, settings=SHORT, noisy_host=True, **options)


def test_a_session_and_what_it_told(tmp_path: Path) -> None:
    told: list[plimsoll.Progress] = []
    place = disk(tmp_path)
    session = plimsoll.run("randread", paced(place), settings=SHORT, noisy_host=True, progress=told.append)
    assert [each.answer for each in session.verdicts] == ["worse"]
    assert plimsoll.load() == session
    kinds = [each.kind for each in told]
    assert (kinds[0], kinds[-1]) == ("session", "end")
    assert kinds.count("result") == len(session.runs)
    assert 0 < kinds.count("run") <= len(session.runs), "those of a block in slices begin together"
    assert {each.session_id for each in told} == {session.id}
    results = [each.run for each in told if each.run]
    assert {run.id for run in results} == {run.id for run in session.runs}
    assert any(each.kind == "progress" and each.operations_per_s for each in told)
    assert any(each.closed for each in told)
    assert list(place.iterdir()) == []


def test_one_that_is_cancelled_before_its_first_run_leaves_nothing(tmp_path: Path) -> None:
    place, stop = disk(tmp_path), threading.Event()

    def watch(event: plimsoll.Progress) -> None:
        if event.phase == "measure":
            assert list(place.iterdir()), "it is at work"
            stop.set()

    with pytest.raises(plimsoll.Cancelled, match="nothing is kept") as raised:
        plimsoll.run("randread", {"a": place}, settings=LONG, progress=watch, cancel=stop)
    assert raised.value.session_id is None
    assert list(place.iterdir()) == []
    with pytest.raises(plimsoll.UsageError, match="no session yet"):
        plimsoll.load()
    with pytest.raises(plimsoll.Cancelled, match="before it began"):
        quick(place, cancel=stop)


def test_one_that_is_cancelled_later_keeps_its_finished_runs_and_goes_on(tmp_path: Path) -> None:
    place, stop = disk(tmp_path), threading.Event()

    def watch(event: plimsoll.Progress) -> None:
        if event.kind == "result":
            stop.set()

    with pytest.raises(plimsoll.Cancelled) as raised:
        plimsoll.run("randread", {"a": place}, repeats=3, settings=SHORT, noisy_host=True, progress=watch, cancel=stop)
    half = plimsoll.load(raised.value.session_id)
    assert (half.state, len(half.runs)) == ("interrupted", 1)
    assert list(place.iterdir()) == []
    whole = plimsoll.resume(raised.value.session_id)
    assert (whole.id, whole.state, len(whole.runs)) == (half.id, "done", 3)


@pytest.mark.parametrize("error", [ValueError("mine"), BlockingIOError("mine"), plimsoll.TargetError("mine")])
def test_what_the_caller_raises_is_passed_on(tmp_path: Path, error: Exception) -> None:
    place = disk(tmp_path)

    def watch(event: plimsoll.Progress) -> None:
        if event.phase == "measure":
            raise error

    with pytest.raises(type(error), match="mine"):
        plimsoll.run("randread", {"a": place}, settings=LONG, progress=watch)
    assert list(place.iterdir()) == []


def test_two_threads_measure_two_places(tmp_path: Path) -> None:
    places = [disk(tmp_path, "one"), disk(tmp_path, "two")]
    with ThreadPoolExecutor(2) as pool:
        sessions = list(pool.map(quick, places))
    assert len({each.id for each in sessions}) == 2
    assert all(each.state == "done" and len(each.runs) == 1 for each in sessions)
    assert [list(place.iterdir()) for place in places] == [[], []]


def test_two_threads_at_one_place_are_refused_in_words(tmp_path: Path) -> None:
    place, begun, stop = disk(tmp_path), threading.Event(), threading.Event()

    def watch(event: plimsoll.Progress) -> None:
        if event.phase == "measure":
            begun.set()

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(
            plimsoll.run, "randread", {"a": place}, settings=LONG, noisy_host=True, progress=watch, cancel=stop
        )
        assert begun.wait(60)
        with pytest.raises(plimsoll.TargetError, match=f"in use by process {os.getpid()}"):
            quick(place)
        stop.set()
        with pytest.raises(plimsoll.Cancelled):
            first.result(60)
    assert list(place.iterdir()) == []


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"tests": "randred"}, "did you mean 'randread'"),
        ({"tests": {"test": "randread", "dept": 4}}, "did you mean 'depth'"),
        ({"tests": 7}, "a test is a name"),
        ({"targets": {"a": {"depth": 4}}}, "say where it is"),
        ({"targets": {"a": 7}}, "target a is a place"),
        ({"targets": 7}, "targets are places by name"),
        ({"targets": {"a": "/nowhere/at/all"}}, "does not exist"),
        ({"mode": "standart"}, "did you mean 'standard'"),
        ({"settings": {"runtime": "soon"}}, "runtime"),
        ({"baseline": "b"}, "no target named 'b'"),
        ({"band": 2.0}, "band = 2"),
        ({"settings": 7}, "settings = 7"),
        ({"time": "0s"}, "time must be above zero"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_written(
    tmp_path: Path, asked: dict[str, Any], told: str
) -> None:
    place = disk(tmp_path)
    with pytest.raises(plimsoll.PlimsollError, match=told):
        plimsoll.run(**{"tests": "randread", "targets": {"a": place}, **asked})
    assert list(place.iterdir()) == []
    with pytest.raises(plimsoll.UsageError, match="no session yet"):
        plimsoll.load()


def test_a_search_has_a_load_line(tmp_path: Path) -> None:
    place = disk(tmp_path)
    found = plimsoll.knee("randread", {"a": place}, depth=(1, 4), stored="0s", settings=SHORT, time=20, noisy_host=True)
    (line,) = found.load_lines
    assert (line.target, line.parameter, line.unit) == ("a", "depth", "1/s")
    assert line.loads.shape == line.throughput.shape == line.p99_ns.shape
    assert set(line.loads) <= {1, 2, 3, 4}
    assert line.sentences
    assert set(line.sentences) <= set(found.answer)
    with pytest.raises(plimsoll.UsageError, match="give a range"):
        plimsoll.knee("randread", {"a": place}, depth=7)  # type: ignore[arg-type]
    with pytest.raises(plimsoll.UsageError, match="leave out targets, depth"):
        plimsoll.knee("study.toml", {"a": place}, depth=(1, 4))


def test_a_simulation_and_what_cannot_be_simulated() -> None:
    found = plimsoll.simulate({"type": "gp2", "size": "100GiB"}, "randread,depth=32", duration=7200)
    assert found.burst_ends_s[0][1] == "volume IOPS, credits used up"
    assert found.latency.count > 1_000_000
    assert len(found.to_pandas()) == 7200
    assert found.row()["operations_per_s"] == found.operations_per_s
    assert "<table" in found._repr_html_()
    assert [found.charts[name] for name in found.charts]
    with pytest.raises(plimsoll.UnknownName, match="gp3"):
        plimsoll.simulate("gp33,size=100GiB")
    with pytest.raises(plimsoll.UsageError, match="whole load"):
        plimsoll.simulate("gp2,size=100GiB", "randread", trace="a.log")
    with pytest.raises(plimsoll.UsageError, match="from one second"):
        plimsoll.simulate("gp2,size=100GiB", duration=0)


def test_files_of_other_tools(tmp_path: Path) -> None:
    sample = Path(__file__).parents[2] / "unit/importers/fio_json/fixtures/fio3.json"
    (tmp_path / "bad.json").write_text("nothing that anybody knows\n")
    with pytest.raises(plimsoll.ResultFileError, match=r"bad\.json"):
        plimsoll.import_files([sample, tmp_path / "bad.json"])
    found = plimsoll.import_files([sample, tmp_path / "bad.json"], target="gp3", strict=False)
    by_name = {Path(each.file).name: each for each in found}
    assert {name: each.failed for name, each in by_name.items()} == {"fio3.json": False, "bad.json": True}
    assert plimsoll.load(by_name["fio3.json"].session_id).targets == ("gp3",)
    assert plimsoll.load(sample, target="gp3").targets == ("gp3",)


def test_slices_whose_beginning_was_missed_begin_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = disk(tmp_path)
    targets = {"one": {"where": place, "depth": 1}, "four": {"where": place, "depth": 4}}
    settings = {**SHORT, "runtime": "500ms"}
    monkeypatch.setattr(sliced, "AHEADS_NS", (-SECOND, SECOND))
    late = plimsoll.run("randread", targets, repeats=1, settings=settings, noisy_host=True, interleave="slices")
    assert [(run.status, "slices" in run.facts) for run in late.runs] == [("ok", True)] * 2
    monkeypatch.setattr(sliced, "AHEADS_NS", (-SECOND,))
    with pytest.raises(plimsoll.errors.PlimsollError, match="too busy to begin slices in time"):
        plimsoll.run("randread", targets, repeats=1, settings=settings, noisy_host=True, interleave="slices")
