"""What the list of sessions shows first, one line each, and that an address shows the same to everyone."""

from __future__ import annotations

import re
import time
from html import unescape

import pytest
from tests.factories import START_NS, make_study
from tests.integration.web.conftest import Site, add

from plimsoll.errors import UsageError
from plimsoll.model import Session, SessionState
from plimsoll.store import housekeeping
from plimsoll.store.baselines import set_baseline
from plimsoll.store.liveness import QUIET_NS
from plimsoll.store.pins import MOST_PINS, Pin, add_pin, pins, remove_pin
from plimsoll.store.store import Store
from plimsoll.store.tokens import Scope
from plimsoll.targets.owner import current_owner
from plimsoll.units import DAY

PINNED = {"case": "randread", "target": "gp3", "host": "bench-1"}


def nights(site: Site, count: int = 14) -> list[Session]:
    made = []
    for night in range(count):
        ratios = {"gp3": 0.5 if night < 7 else 0.3}
        about = {"title": f"nightly {night}", "started_ns": START_NS + night * DAY, "seed": night}
        session, runs = make_study(("nvme", "gp3"), ("randread",), 3, ratios, intervals=2, **about)
        add(site.store, session, runs)
        made.append(session)
    return made


def rows_of(page: str, caption: str) -> list[str]:
    """The text of each row of a table."""
    table = next((each for each in page.split("<table")[1:] if f"<caption>{caption}" in each), "").split("</table>")[0]
    return [re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", row))).strip() for row in table.split("<tr>")[2:]]


def test_pins_and_baselines_come_first_with_their_last_score(site: Site) -> None:
    made = nights(site)
    set_baseline(site.store, "before-upgrade", made[3].id)
    with site.client(site.token(Scope.MERGE)) as keeper:
        assert "Pinned histories" in keeper.get("/").text, "the baseline"
        address = keeper.post("/pins", data=PINNED)
        assert address.status_code == 303
        history = keeper.get(address.headers["location"]).text
        assert "Unpin" in history
        first = keeper.get("/").text
        pinned, baseline = rows_of(first, "Pinned histories and baselines")
        last = float(keeper.get("/api/v1/history", params=PINNED).json()["sessions"][-1]["value"])
        assert pinned.startswith("randread on gp3 pinned · bench-1")
        assert f"{last:,.0f}/s IOPS" in pinned
        assert re.search(r"worse, (1\.[4-9]\d|2\.00)× slower since 2026-11-2\d", pinned)
        assert baseline.startswith("before-upgrade baseline · nightly 3 gp3:")
        # What is searched for stands alone.
        assert "Pinned histories" not in keeper.get("/?text=nightly").text
        assert keeper.post("/pins/remove", data=PINNED).status_code == 303
        assert [row.split()[0] for row in rows_of(keeper.get("/").text, "Pinned")] == ["before-upgrade"]


def test_a_steady_history_tells_no_change(site: Site) -> None:
    nights(site, 7)
    add_pin(site.store, Pin(**PINNED))
    with site.client(site.token(Scope.READ)) as reader:
        (pinned,) = rows_of(reader.get("/").text, "Pinned histories and baselines")
    assert "since" not in pinned
    assert "unpin" not in pinned


def test_only_who_may_merge_pins(site: Site) -> None:
    nights(site, 1)
    for scope in (Scope.READ, Scope.UPLOAD):
        with site.client(site.token(scope)) as visitor:
            assert visitor.post("/pins", data=PINNED).status_code == 403
            assert visitor.post("/pins/remove", data=PINNED).status_code == 403
            assert "/pins" not in visitor.get("/history", params=PINNED).text
    with site.client() as stranger:
        assert stranger.post("/pins", data=PINNED).status_code == 401
    assert pins(site.store) == []


def test_a_pin_whose_sessions_are_gone_says_so(site: Site) -> None:
    (session,) = nights(site, 1)
    with site.client(site.token(Scope.MERGE)) as keeper:
        assert keeper.post("/pins", data={"case": "none", "target": "none"}).status_code == 404
        keeper.post("/pins", data=PINNED)
        housekeeping.delete_sessions(site.store, [session.id])
        (pinned,) = rows_of(keeper.get("/").text, "Pinned histories and baselines")
    assert "nothing valid" in pinned


def test_pins_are_bounded_and_kept_once(store: Store) -> None:
    for number in range(MOST_PINS):
        for _ in range(2):
            add_pin(store, Pin(f"case {number}", "disk"))
    with pytest.raises(UsageError, match=f"{MOST_PINS} histories are pinned"):
        add_pin(store, Pin("one more", "disk"))
    remove_pin(store, Pin("case 0", "disk"))
    add_pin(store, Pin("one more", "disk"))
    assert len(pins(store)) == MOST_PINS


def test_a_row_has_a_verdict_and_the_course_of_its_runs(site: Site) -> None:
    nights(site, 2)
    single, runs = make_study(("one",), ("ping",), 1, title="single")
    add(site.store, single, runs)
    with site.client(site.token(Scope.READ)) as reader:
        page = reader.get("/").text
    assert page.count('class="spark"') == 2, "a single run has no course"
    assert page.count("randread: IOPS of each run, nvme, gp3") == 2 * 2
    assert len(rows_of(page, "Newest sessions")) == 3


def test_a_tag_filters_by_its_address(site: Site) -> None:
    made = nights(site, 3)
    housekeeping.change_tags(site.store, made[1].id, ["upgrade"])
    set_baseline(site.store, "gold", made[0].id)
    with site.client(site.token(Scope.READ)) as reader:
        page = reader.get("/?tag=upgrade&host=bench-1").text
        (row,) = rows_of(page, "Matching sessions")
        assert row.startswith("nightly 1")
        assert "<option selected>upgrade</option>" in page
        assert "<option selected>bench-1</option>" in page
        assert "baseline:gold</option>" not in page
        assert "No session fits" in reader.get("/?tag=none").text


def running(title: str, host: dict[str, object], started_ns: int) -> Session:
    session, _ = make_study(blocks=1, title=title)
    about = {"id": session.id[:-4] + f"{abs(hash(title)) % 65536:04x}", "state": SessionState.RUNNING, "ended_ns": None}
    return session.model_copy(update=about | {"started_ns": started_ns, "host": {"hostname": "here", **host}})


def test_a_session_whose_process_is_gone_is_interrupted(site: Site) -> None:
    now, owner = time.time_ns(), current_owner()
    other = owner.model_copy(update={"host": "elsewhere", "boot_id": "another"}).model_dump()
    gone = owner.model_copy(update={"start_ticks": owner.start_ticks + 1}).model_dump()
    expected = {
        "alive here": (running("alive here", {"owner": owner.model_dump()}, now - 2 * QUIET_NS), "running"),
        "gone here": (running("gone here", {"owner": gone}, now), "interrupted"),
        "quiet elsewhere": (running("quiet elsewhere", {"owner": other}, now - 2 * QUIET_NS), "interrupted"),
        "busy elsewhere": (running("busy elsewhere", {"owner": other}, now - QUIET_NS // 2), "running"),
        "imported": (running("imported", {}, now - 2 * QUIET_NS), "interrupted"),
    }
    for session, _ in expected.values():
        site.store.add_session(session)
    with site.client(site.token(Scope.READ)) as reader:
        page = reader.get("/").text
        listed = {each["title"]: each["state"] for each in reader.get("/api/v1/sessions").json()["sessions"]}
        for title, (session, state) in expected.items():
            assert listed[title] == state
            (row,) = [row for row in rows_of(page, "Newest sessions") if row.startswith(title)]
            assert f"· {state}" in row
            assert f"· {state}" in reader.get(f"/sessions/{session.id}").text
            assert reader.get(f"/api/v1/sessions/{session.id}").json()["state"] == state
