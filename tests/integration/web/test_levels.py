"""A session whose runs have two levels has no point in a history, on the page and in the API."""

from __future__ import annotations

from pathlib import Path

from tests.factories import make_study
from tests.integration.web.conftest import running
from tests.pages import words

from plimsoll.model import Run, Score
from plimsoll.store.opening import open_store


def _stepped(run: Run) -> Run:
    value = (3631.0 if run.block < 12 else 109.0) * (1 + 0.002 * (run.block % 3))
    score = Score(metric="iops", value=value, unit="1/s", direction="higher")
    return run.model_copy(update={"scores": (score,)})


def test_a_history_shows_both_levels_of_a_step(tmp_path: Path) -> None:
    session, runs = make_study(("a",), ("randread",), 20)
    with open_store(str(tmp_path / "r.db")) as store:
        store.add_session(session)
        for run in runs:
            store.add_run(_stepped(run))
        with running(store, tmp_path / "uploads", public_read=True) as site, site.client() as client:
            asked = {"case": "randread", "target": "a", "metric": "iops"}
            [found] = client.get("/api/v1/history", params=asked).json()["sessions"]
            page = client.get("/history", params=asked).text
            report = client.get(f"/sessions/{session.id}").text
    assert (found["value"], found["pattern"]) == (None, "step")
    assert [round(level) for level in found["levels"]] == [3638, 109]
    assert "(step)" in page
    assert "have no common score have no median" in page
    assert "step: runs 13…20 of 20, from 2026-11-18" in words(report)
