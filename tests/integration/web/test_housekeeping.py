"""Title, tags and note of a session, and its removal, in the browser and for programs."""

from __future__ import annotations

from tests.factories import make_study
from tests.integration.web.conftest import Site, add

from plimsoll.model import Session
from plimsoll.store import search
from plimsoll.store.names import short_id
from plimsoll.store.tokens import Scope


def filled(site: Site) -> Session:
    session, runs = make_study(("nvme", "gp3"), ("randread",), 3, title="first title")
    add(site.store, session, runs)
    return session


def stored(site: Site, session: Session) -> Session:
    found = search.get_session(site.store, session.id)
    assert found is not None
    return found


def test_labels_are_written_and_shown(site: Site) -> None:
    session = filled(site)
    with site.client(site.token(Scope.MERGE)) as keeper:
        assert "first title" in keeper.get(f"/sessions/{session.id}").text
        form = {"title": "after <b>", "tags": "Release, nightly", "note": "the disk\r\nwas new"}
        assert keeper.post(f"/sessions/{session.id}/labels", data=form).status_code == 303
        found = stored(site, session)
        assert (found.title, found.tags, found.note) == ("after <b>", ("nightly", "release"), "the disk\nwas new")
        page = keeper.get(f"/sessions/{session.id}").text
        assert "<h1>after &lt;b&gt;: randread, gp3 against nvme</h1>" in page
        assert "nightly, release" in page
        keeper.post(f"/sessions/{session.id}/labels", data={"title": "after", "tags": "release", "note": ""})
        found = stored(site, session)
        assert (found.title, found.tags, found.note) == ("after", ("release",), "")


def test_programs_change_what_they_name(site: Site) -> None:
    session = filled(site)
    with site.client(site.token(Scope.MERGE)) as keeper:
        address = f"/api/v1/sessions/{session.id}"
        assert keeper.patch(address, json={"tags": ["slow"]}).json()["tags"] == ["slow"]
        told = keeper.patch(address, json={"note": "again"}).json()
        assert (told["title"], told["tags"], told["note"]) == ("first title", ["slow"], "again")
        assert keeper.patch(address, json={"title": "\n"}).status_code == 400
        assert keeper.patch(address, json={"state": "done"}).status_code == 422
        assert keeper.delete(f"/api/v1/sessions/{short_id(session.id)}").status_code == 404
        assert keeper.delete(address).status_code == 204
        assert keeper.get(address).status_code == 404
        assert keeper.get("/api/v1/sessions").json()["sessions"] == []


def test_nothing_is_deleted_by_a_slip(site: Site) -> None:
    session = filled(site)
    with site.client(site.token(Scope.MERGE)) as keeper:
        for typed in ({}, {"confirm": ""}, {"confirm": "yes"}, {"confirm": session.id}):
            assert keeper.post(f"/sessions/{session.id}/delete", data=typed).status_code == 400
        assert stored(site, session) == session
        assert keeper.post(f"/sessions/{session.id}/delete", data={"confirm": short_id(session.id)}).status_code == 303
        assert keeper.get(f"/sessions/{session.id}").status_code == 404


def test_only_who_may_merge_and_only_from_our_own_pages(site: Site) -> None:
    session = filled(site)
    tried = {"confirm": short_id(session.id), "title": "owned"}
    for scope, status in ((None, 401), (Scope.READ, 403), (Scope.UPLOAD, 403)):
        with site.client(site.token(scope) if scope else "") as other:
            for what in ("labels", "delete"):
                assert other.post(f"/sessions/{session.id}/{what}", data=tried).status_code == status
            assert other.patch(f"/api/v1/sessions/{session.id}", json={"title": "owned"}).status_code == status
            assert other.delete(f"/api/v1/sessions/{session.id}").status_code == status
            assert "Rename, tag" not in other.get(f"/sessions/{session.id}").text
    with site.client(cookie=f"plimsoll={site.token(Scope.MERGE)}", origin="https://evil.example") as lured:
        for what in ("labels", "delete"):
            assert lured.post(f"/sessions/{session.id}/{what}", data=tried).status_code == 403
    assert stored(site, session) == session
