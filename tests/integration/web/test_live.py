"""A running session as a stream of events."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, aclosing
from pathlib import Path

import httpx
import pytest
from tests.conftest import until
from tests.factories import make_study
from tests.integration.web.conftest import Site, running

from plimsoll.errors import StoreError
from plimsoll.model import Run, Session, SessionState
from plimsoll.store import housekeeping, tokens
from plimsoll.store.opening import open_store
from plimsoll.store.store import Store
from plimsoll.store.tokens import Scope
from plimsoll.targets.owner import current_owner
from plimsoll.web import live, progress
from plimsoll.web.faults import Refused

NASTY = "<img src=x onerror=alert(1)>"


def begun(store: Store, **about: object) -> tuple[Session, list[Run]]:
    """A session that this process is measuring, without a run so far, and the runs that it will have."""
    session, runs = make_study(("a", "b"), ("randread",), 4, title="now running", **about)
    host = {"hostname": "here", "owner": current_owner().model_dump()}
    session = session.model_copy(update={"state": SessionState.RUNNING, "ended_ns": None, "host": host})
    store.add_session(session)
    return session, runs


Event = tuple[str, str]


def events(answer: httpx.Response) -> Iterator[Event]:
    """Name and content of each event as it comes."""
    name = ""
    for line in answer.iter_lines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def test_a_stream_shows_each_run_and_ends_with_the_session(site: Site) -> None:
    session, runs = begun(site.store)
    with (
        site.client(site.token(Scope.READ)) as reader,
        reader.stream("GET", f"/sessions/{session.id}/events") as answer,
    ):
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["cache-control"] == "no-store"
        assert "script-src 'self'" in answer.headers["content-security-policy"]
        stream = events(answer)
        name, shown = next(stream)
        assert (name, "0 runs stored so far" in shown) == ("progress", True)
        site.store.add_run(runs[0])
        name, shown = next(stream)
        assert name == "progress"
        assert "1 run stored so far, 1 valid" in shown
        assert f"randread on {runs[0].target.name}, block 1" in shown
        site.store.add_run(runs[1])
        assert "2 runs stored so far, 2 valid" in next(stream)[1]
        site.store.finish_session(session.id, SessionState.DONE, runs[1].ended_ns)
        assert list(stream) == [("ended", "done")]
        page = reader.get(f"/sessions/{session.id}").text
        assert 'id="live"' not in page
        assert "http-equiv" not in page


def test_a_running_session_shows_its_progress_without_scripts_too(site: Site) -> None:
    session, runs = begun(site.store)
    with site.client(site.token(Scope.READ)) as reader:
        empty = reader.get(f"/sessions/{session.id}")
        assert empty.status_code == 200
        site.store.add_run(runs[0])
        page = reader.get(f"/sessions/{session.id}").text
    assert "1 run stored so far" in page
    assert '<noscript><meta http-equiv="refresh" content="20"></noscript>' in page
    assert "does so itself, every 20 s" in page


def test_a_session_that_is_deleted_or_whose_process_dies_ends_its_stream(site: Site) -> None:
    gone, _ = begun(site.store)
    with (
        site.client(site.token(Scope.READ)) as reader,
        reader.stream("GET", f"/sessions/{gone.id}/events") as answer,
    ):
        stream = events(answer)
        next(stream)
        housekeeping.delete_sessions(site.store, [gone.id])
        assert list(stream) == [("ended", "gone")]
    owner = current_owner()
    dead, _ = begun(site.store, seed=2)
    with site.client(site.token(Scope.READ, "other")) as reader:
        with reader.stream("GET", f"/sessions/{dead.id}/events") as answer:
            stream = events(answer)
            next(stream)
            host = {"owner": owner.model_copy(update={"start_ticks": owner.start_ticks + 1}).model_dump()}
            site.store.reopen_session(dead.model_copy(update={"host": host}))
            assert list(stream) == [("ended", "interrupted")]
        assert "· interrupted" in reader.get(f"/sessions/{dead.id}").text


def test_names_are_harmless_in_a_stream(site: Site) -> None:
    session, runs = begun(site.store)
    with (
        site.client(site.token(Scope.READ)) as reader,
        reader.stream("GET", f"/sessions/{session.id}/events") as answer,
    ):
        stream = events(answer)
        next(stream)
        target = runs[0].target.model_copy(update={"name": NASTY})
        plan = runs[0].plan.model_copy(update={"case": f"{NASTY}\n\nevent: ended\n\u202e"})
        site.store.add_run(runs[0].model_copy(update={"target": target, "plan": plan}))
        name, shown = next(stream)
    assert name == "progress"
    assert "<img" not in shown
    assert "&lt;img" in shown
    assert "\u202e" not in shown


def test_nobody_watches_without_a_right(site: Site) -> None:
    session, _ = begun(site.store)
    with site.client() as stranger:
        assert stranger.get(f"/sessions/{session.id}/events").status_code == 401
    with site.client(site.token(Scope.READ)) as reader:
        assert reader.get("/sessions/nothing/events").status_code == 404
        head = reader.head(f"/sessions/{session.id}/events")
        assert (head.status_code, head.headers["content-type"].partition(";")[0]) == (200, "text/event-stream")


def test_a_withdrawn_token_ends_its_streams(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "BEAT_S", 0.2)
    session, _ = begun(site.store)
    with (
        site.client(site.token(Scope.READ, "gone")) as reader,
        reader.stream("GET", f"/sessions/{session.id}/events") as answer,
    ):
        stream = events(answer)
        next(stream)
        tokens.revoke(site.store, "gone")
        assert list(stream) == []


def test_one_client_has_a_bounded_number_of_streams(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    # Nothing of this waits until an open stream sends something again.
    monkeypatch.setattr(live, "BEAT_S", 3600.0)
    session, _ = begun(site.store)
    path = f"/sessions/{session.id}/events"
    with site.client(site.token(Scope.READ)) as reader:
        with ExitStack() as opened:
            for _ in range(live.OF_ONE):
                assert opened.enter_context(reader.stream("GET", path)).status_code == 200
            refused = reader.get(path)
            assert refused.status_code == 429
            assert "close one" in refused.text
            # Whoever watches keeps nobody from reading.
            assert reader.get("/").status_code == 200
        until(lambda: _opens(reader, path), "a closed stream makes room")


def _opens(reader: httpx.Client, path: str) -> bool:
    with reader.stream("GET", path) as answer:
        return answer.status_code == 200


def test_the_server_stops_while_somebody_watches(store: Store, tmp_path: Path) -> None:
    session, _ = begun(store)
    with ExitStack() as opened:
        site = opened.enter_context(running(store, tmp_path / "uploads", public_read=True))
        with site.client() as reader, reader.stream("GET", f"/sessions/{session.id}/events") as answer:
            stream = events(answer)
            next(stream)
            before = time.monotonic()
            opened.close()
            assert time.monotonic() - before < 15, "not after the time that requests get to end"
            assert list(stream) == []


async def _yes() -> bool:
    return True


async def watch(hub: live.Live, session_id: str, most: int) -> list[str]:
    found = []
    stream: AsyncIterator[str] = hub.events(session_id, _yes)
    async with aclosing(stream) as opened:  # type: ignore[type-var]
        async for event in opened:
            found.append(event)
            if len(found) == most:
                break
    return found


def test_all_who_watch_a_session_share_its_polls(tmp_path: Path) -> None:
    async def many() -> tuple[list[list[str]], int]:
        hub = live.Live(store, poll_s=0.05)
        watching = [asyncio.create_task(watch(hub, session.id, 3)) for _ in range(20)]
        await asyncio.sleep(0.3)
        store.add_run(runs[0])
        found = await asyncio.gather(*watching)
        polls = hub.polls
        await asyncio.sleep(0.3)
        assert hub.polls == polls, "nobody watches any more"
        return found, polls

    with open_store(str(tmp_path / "r.db")) as store:
        session, runs = begun(store)
        found, polls = asyncio.run(many())
    assert all("0 runs" in each[1] and "1 run stored" in each[2] for each in found)
    # Twenty readers that asked for themselves would have asked twenty times as often.
    assert polls < 30


def test_a_store_that_is_away_for_a_moment_ends_no_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    real = progress.state_of

    def away(store: Store, session_id: str) -> progress.State | None:
        asked.append(session_id)
        if len(asked) in range(2, 6):
            raise StoreError("away")
        return real(store, session_id)

    async def one() -> list[str]:
        hub = live.Live(store, poll_s=0.01)
        task = asyncio.create_task(watch(hub, session.id, 3))
        while len(asked) < 8:
            await asyncio.sleep(0.01)
        store.add_run(runs[0])
        return await task

    monkeypatch.setattr(progress, "state_of", away)
    with open_store(str(tmp_path / "r.db")) as store:
        session, runs = begun(store)
        assert "1 run stored" in asyncio.run(one())[2]


def test_places_are_bounded_for_all_together(store: Store) -> None:
    hub = live.Live(store, most=2, of_one=1)
    with hub.place("one"), hub.place("two"):
        with pytest.raises(Refused, match="too many people") as refused, hub.place("three"):
            pass
        assert refused.value.status == 503
    with hub.place("one"):
        with pytest.raises(Refused, match="close one"), hub.place("one"):
            pass
        assert hub.streams == 1
    assert hub.streams == 0
