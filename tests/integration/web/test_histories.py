"""A history follows the place, not its name; many sessions are drawn in groups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.factories import START_NS, make_study
from tests.integration.web.conftest import running
from tests.pages import words

from plimsoll.model import Run
from plimsoll.store.opening import open_store
from plimsoll.store.store import Store
from plimsoll.store.union import add_records
from plimsoll.units import DAY, HOUR
from plimsoll.web.pages import history as pages

SLOWER_FROM = 180
MANY = 260


def on_device(run: Run, key: str) -> Run:
    facts = {**run.target.facts, "devices": [{"name": "nvme0n1", "key": key}]}
    return run.model_copy(update={"target": run.target.model_copy(update={"facts": facts})})


def night(store: Store, number: int, targets: tuple[str, ...], devices: tuple[str, ...], host: str) -> str:
    key_of = dict(zip(targets, devices, strict=True))
    about: dict[str, Any] = {"title": f"night {number} {host}", "started_ns": START_NS + number * DAY, "seed": number}
    session, runs = make_study(targets, ("randread",), 2, intervals=2, host={"hostname": host}, **about)
    add_records(store, [session, *(on_device(run, key_of[run.target.name]) for run in runs)], "test")
    return session.id


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[httpx.Client, dict[str, list[str]]]]:
    folder = tmp_path_factory.mktemp("histories")
    made: dict[str, list[str]] = {"one": [], "two": [], "before": [], "beside": []}
    with open_store(str(folder / "r.db")) as store:
        for number in range(3):
            made["before"].append(night(store, number, ("old-name",), ("key-1",), "one"))
        for number in range(3, 6):
            made["one"].append(night(store, number, ("disk",), ("key-1",), "one"))
            # Another machine's disk of the same name, and a second name beside it for the same device.
            made["two"].append(night(store, number, ("disk", "again"), ("key-2", "key-2"), "two"))
        for number in range(MANY):
            ratio = {"busy": 0.7 if number >= SLOWER_FROM else 1.0}
            about: dict[str, Any] = {"title": f"hour {number}", "started_ns": START_NS + number * HOUR, "seed": number}
            session, runs = make_study(("busy",), ("ping",), 2, ratio, intervals=1, **about)
            add_records(store, [session, *runs], "test")
        with running(store, folder / "uploads", public_read=True) as site, site.client() as client:
            yield client, made


def history(client: httpx.Client, **asked: str) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/api/v1/history", params={"case": "randread", **asked}).json()
    return found


def test_one_name_on_two_machines_is_two_histories(nights: tuple[httpx.Client, dict[str, list[str]]]) -> None:
    client, made = nights
    two = history(client, target="disk", host="two")
    assert [each["id"] for each in two["sessions"]] == made["two"]
    one = history(client, target="disk", host="one")
    assert not {each["id"] for each in one["sessions"]} & set(made["two"])
    listed = client.get("/api/v1/series", params={"text": "disk"}).json()
    assert sorted((each["target"], each["host"], each["sessions"]) for each in listed) == [
        ("disk", "one", 3),
        ("disk", "two", 3),
    ]
    # Both on one page only where that is asked for; what differs is then an event.
    both = history(client, target="disk", host="*")
    assert len(both["sessions"]) == 3 + 3 + 3
    assert any("host changed from" in each["event"] for each in both["sessions"])


def test_a_renamed_target_keeps_its_history(nights: tuple[httpx.Client, dict[str, list[str]]]) -> None:
    client, made = nights
    found = history(client, target="disk", host="one")
    assert [each["id"] for each in found["sessions"]] == made["before"] + made["one"]
    assert [each["name"] for each in found["sessions"]] == ["old-name"] * 3 + ["disk"] * 3
    assert {each["event"] for each in found["sessions"]} == {""}
    page = client.get("/history", params={"case": "randread", "target": "disk", "host": "one"}).text
    page = words(page)
    assert "The target was also called old-name" in page
    assert "as old-name" in page


def test_two_names_side_by_side_are_two_targets(nights: tuple[httpx.Client, dict[str, list[str]]]) -> None:
    client, _ = nights
    found = history(client, target="disk", host="two")
    assert {each["name"] for each in found["sessions"]} == {"disk"}
    assert "also called" not in client.get("/history", params={"case": "randread", "target": "again"}).text


def test_more_sessions_than_can_be_told_apart_are_drawn_in_groups(
    nights: tuple[httpx.Client, dict[str, list[str]]],
) -> None:
    client, _ = nights
    asked = {"case": "ping", "target": "busy", "metric": "iops"}
    found = client.get("/api/v1/history", params=asked).json()
    assert [(level["first"], level["last"]) for level in found["levels"]] == [
        (0, SLOWER_FROM - 1),
        (SLOWER_FROM, MANY - 1),
    ]
    page = client.get("/history", params=asked).text
    assert f"{MANY} sessions cannot be told apart in one picture" in page
    assert "Changes of level" in page
    drawn = client.get("/history/charts/over-time.svg", params=asked).text
    assert "▼" in drawn
    assert "Group began" in page


def test_days_narrow_a_history_to_its_sessions(nights: tuple[httpx.Client, dict[str, list[str]]]) -> None:
    client, _ = nights
    asked = {"case": "ping", "target": "busy", "metric": "iops", "since": "2026-11-19", "until": "2026-11-20"}
    found = client.get("/api/v1/history", params=asked).json()
    assert 24 < len(found["sessions"]) <= 48
    page = client.get("/history", params=asked).text
    assert "A point is the median of one session" in page
    assert "cannot be told apart" not in page
    assert 'name="since" type="date" value="2026-11-19"' in page
    assert client.get("/history", params=asked | {"since": "yesterday"}).status_code == 400


def test_a_history_says_where_older_sessions_are_left_out(
    nights: tuple[httpx.Client, dict[str, list[str]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, _ = nights
    asked = {"case": "ping", "target": "busy", "metric": "read_p99"}
    assert "choose days (From, To) to see those before them" not in client.get("/history", params=asked).text
    monkeypatch.setattr(pages.find, "__defaults__", (100,))
    page = client.get("/history", params=asked | {"metric": "read_p50"}).text
    assert "The newest 100 sessions are in it; choose days (From, To) to see those before them" in page
