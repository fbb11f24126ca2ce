"""The environments of two sessions: targets by their part, and nothing that is alike."""

from __future__ import annotations

from typing import Any

from tests.factories import START_NS, make_study
from tests.integration.web.conftest import Site, add

from plimsoll.model import Run, Session
from plimsoll.units import DAY
from plimsoll.web.pages.diff import groups_of


def study(
    targets: tuple[str, ...], day: int, cases: tuple[str, ...] = ("ping",), **changes: Any
) -> tuple[Session, list[Run]]:
    return make_study(targets, cases, 2, title=f"day {day}", started_ns=START_NS + day * DAY, seed=day, **changes)


def moved(session: Session, runs: list[Run], where: dict[str, str]) -> tuple[Session, list[Run]]:
    """The same with its targets in other places."""
    targets = [{**each, "where": where.get(each["name"], each["where"])} for each in session.study["targets"]]
    return session.model_copy(update={"study": {**session.study, "targets": targets}}), [
        run.model_copy(
            update={"target": run.target.model_copy(update={"where": where.get(run.target.name, run.target.where)})}
        )
        for run in runs
    ]


def titles(site: Site, one: tuple[Session, list[Run]], other: tuple[Session, list[Run]]) -> list[str]:
    for each in (one, other):
        add(site.store, *each)
    found = groups_of(site.store, one[0], other[0])
    return [group.title for group in found if group.title.startswith(("Baseline", "Target"))]


def test_targets_of_other_names_are_aligned_by_their_part(site: Site) -> None:
    found = titles(site, study(("nvme", "gp3"), 1), study(("ssd", "gp4"), 2))
    assert found == ["Baseline nvme and ssd", "Target gp3 and gp4"]


def test_a_name_is_more_than_an_order(site: Site) -> None:
    found = titles(site, study(("nvme", "gp3", "old"), 1), study(("nvme", "new", "gp3"), 2))
    assert found == ["Baseline nvme", "Target gp3", "Target old and new"]


def test_a_place_is_more_than_an_order(site: Site) -> None:
    swapped = moved(*study(("c", "d"), 2), {"c": "/mnt/b", "d": "/mnt/a"})
    assert titles(site, study(("a", "b"), 1), swapped) == ["Target a and d", "Target b and c"]


def test_the_baseline_is_what_the_study_says(site: Site) -> None:
    session, runs = study(("x", "y"), 2)
    chosen = session.model_copy(update={"study": {**session.study, "baseline": "y"}})
    found = titles(site, study(("a", "b"), 1), (chosen, runs))
    assert found == ["Baseline a and y", "Target b and x"]


def test_a_target_that_only_one_has_is_one_line(site: Site) -> None:
    one, other = study(("nvme", "gp3"), 1), study(("nvme",), 2)
    titles(site, one, other)
    with site.client(site.token()) as reader:
        page = reader.get("/diff", params={"s": [one[0].id, other[0].id]}).text
    assert "Only the earlier session has it, /mnt/gp3." in page
    assert "Synthetic gp3" not in page


def test_only_what_differs_is_shown(site: Site) -> None:
    one = study(("nvme", "gp3"), 1)
    other = study(("nvme", "gp3"), 2, host={**one[0].host, "kernel": "6.13.0"})
    titles(site, one, other)
    with site.client(site.token()) as reader:
        page = reader.get("/diff", params={"s": [one[0].id, other[0].id]}).text
    shown, _, alike = page.partition("<details>")
    assert "6.13.0" in shown
    assert "Host</h2>" in shown
    assert "Synthetic" not in shown
    assert "Baseline" not in shown
    assert "Synthetic" in alike


def test_plans_differ_by_their_parameters_not_by_a_hash(site: Site) -> None:
    one = study(("nvme", "gp3"), 1, ("randread depth=4", "ping"))
    other = study(("ssd", "gp3"), 2, ("randread depth=8", "ping", "seqread"))
    renamed = [run.model_copy(update={"plan": run.plan.model_copy(update={"case": run.plan.test})}) for run in one[1]]
    again = [run.model_copy(update={"plan": run.plan.model_copy(update={"case": run.plan.test})}) for run in other[1]]
    titles(site, (one[0], renamed), (other[0], again))
    (plans,) = (group for group in groups_of(site.store, one[0], other[0]) if group.title == "Plans")
    told = {(fact.name, fact.one, fact.other) for fact in plans.differing}
    assert told == {
        ("depth: randread on nvme and ssd, randread on gp3", "4", "8"),
        ("seqread on nvme and ssd, seqread on gp3", None, "run"),
    }
    assert {fact.name for fact in plans.same} == {"ping on nvme and ssd", "ping on gp3"}
    with site.client(site.token()) as reader:
        page = reader.get("/diff", params={"s": [one[0].id, other[0].id]}).text
    assert "not run" in page
