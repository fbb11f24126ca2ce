"""What the list says of a session is what its report says."""

from __future__ import annotations

import pytest
from sqlalchemy import update
from tests.factories import make_study
from tests.integration.web.conftest import Filled, Site, add

from plimsoll.model import RunStatus, Session
from plimsoll.report import Evidence
from plimsoll.report.comparisons import tally
from plimsoll.stats.rules import rules
from plimsoll.store.connection import writing
from plimsoll.store.schema import score
from plimsoll.store.store import Store

STUDIES = {
    "two targets": {"targets": ("nvme", "gp3"), "cases": ("randread", "ping"), "ratios": {"gp3": 0.4}},
    "all of one answer": {"targets": ("nvme", "gp3"), "cases": ("seqread",), "ratios": {"gp3": 0.4}},
    "many targets": {"targets": ("a", "b", "c", "d", "e"), "cases": ("ping",), "ratios": {"c": 0.2, "e": 1.7}},
    "lost runs": {"targets": ("nvme", "gp3"), "cases": ("randread",), "ratios": {"gp3": 0.9}, "failed": 2},
    "one block": {"targets": ("nvme", "gp3"), "cases": ("randread",), "blocks": 1},
}


def reported(store: Store, session: Session) -> list[tuple[str, str, str]]:
    """Target, baseline and counts as the report has them."""
    by = rules(session)
    evidence = Evidence([session], store.runs([session.id]), by.baseline, by.band)
    found = []
    for target in evidence.others:
        these = [cell for cell in evidence.cells if cell.target == target]
        found.append((target, ", ".join(dict.fromkeys(cell.baseline for cell in these)), tally(these)))
    return found


def listed(site: Site, session: Session) -> list[dict[str, str]]:
    with site.client(site.token()) as reader:
        lines = reader.get("/api/v1/sessions").json()["sessions"]
        page = reader.get("/").text
    verdicts = next(line["verdicts"] for line in lines if line["id"] == session.id)
    for each in verdicts[:3]:
        assert each["words"] in page
    return verdicts


@pytest.mark.parametrize("name", STUDIES)
def test_the_list_says_what_the_report_says(site: Site, name: str) -> None:
    about = dict(STUDIES[name])
    session, runs = make_study(about.pop("targets"), about.pop("cases"), about.pop("blocks", 6), **about)
    add(site.store, session, runs)
    verdicts = listed(site, session)
    assert [(each["target"], each["baseline"], each["words"]) for each in verdicts] == reported(site.store, session)
    assert all((each["answer"] is None) == ("," in each["words"]) for each in verdicts)


def test_every_session_of_a_filled_store(filled: Filled) -> None:
    with filled.site.client() as reader:
        lines = reader.get("/api/v1/sessions").json()["sessions"]
    for session in (*filled.nights, filled.study):
        verdicts = next(line["verdicts"] for line in lines if line["id"] == session.id)
        told = [(each["target"], each["baseline"], each["words"]) for each in verdicts]
        assert told == reported(filled.site.store, session)


def test_what_cannot_be_compared_has_no_verdict(site: Site) -> None:
    alone, of_alone = make_study(("nvme",), ("randread",), 3, title="alone")
    add(site.store, alone, of_alone)
    lost, of_lost = make_study(("nvme", "gp3"), ("randread",), 2, title="lost", seed=5)
    add(site.store, lost, [run.model_copy(update={"status": RunStatus.INVALID}) for run in of_lost])
    empty, _ = make_study(("nvme", "gp3"), title="empty", seed=6)
    add(site.store, empty, [])
    known = {"alone": "one target", "lost": "nothing valid", "empty": "no runs"}
    for session in (alone, lost, empty):
        (told,) = listed(site, session)
        assert (told["target"], told["words"], told["answer"]) == ("", known[session.title], None)


def test_new_runs_change_the_answer(site: Site) -> None:
    session, runs = make_study(("nvme", "gp3"), ("seqread",), 8, {"gp3": 0.4})
    add(site.store, session, [run for run in runs if run.block < 1])
    assert "undecided" in listed(site, session)[0]["words"]
    for run in runs:
        if run.block >= 1:
            site.store.add_run(run)
    assert listed(site, session)[0]["words"] == "1 worse"


def test_a_score_that_was_changed_is_told(site: Site) -> None:
    session, runs = make_study(("nvme", "gp3"), ("seqread",), 8, {"gp3": 0.4})
    add(site.store, session, runs)
    changed = next(run for run in runs if run.target.name == "gp3")
    with writing(site.store.engine) as connection:
        connection.execute(update(score).where(score.c.run_id == changed.id).values(value=score.c.value * 10))
    *_, last = listed(site, session)
    assert last["words"] == "1 run was changed after being stored and does not count"
