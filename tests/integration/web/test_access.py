"""Who gets in, and what browsers are told."""

from __future__ import annotations

import socket
import time
from contextlib import suppress

import httpx
import pytest
from sqlalchemy import select, update
from tests.factories import make_study
from tests.integration.web.conftest import Site, Start, add

from plimsoll.errors import UnknownName, UsageError
from plimsoll.store import tokens
from plimsoll.store.connection import reading, writing
from plimsoll.store.schema import token
from plimsoll.store.store import Store
from plimsoll.store.tokens import Scope

PRIVATE = (
    "/",
    "/history",
    "/compare",
    "/uploads",
    "/api",
    "/docs",
    "/api/v1/sessions",
    "/api/v1/uploads",
    "/sessions/none",
)


def test_nothing_is_shown_without_a_token(site: Site) -> None:
    session, runs = make_study(title="secret title", blocks=1)
    add(site.store, session, runs)
    with site.client() as stranger:
        for path in (
            *PRIVATE,
            f"/sessions/{session.id}",
            f"/runs/{runs[0].id}",
            f"/sessions/{session.id}/download/results",
        ):
            answer = stranger.get(path)
            assert answer.status_code == 401, path
            assert "secret title" not in answer.text
            assert answer.headers["www-authenticate"].startswith("Bearer")
        assert stranger.get("/login").status_code == 200
        assert stranger.get("/static/style.css").status_code == 200


def test_everyone_may_read_a_public_server_but_not_its_audit(store: Store, start: Start) -> None:
    with start(store, public_read=True) as site, site.client() as stranger:
        assert stranger.get("/").status_code == 200
        assert stranger.get("/api/v1/sessions").status_code == 200
        assert stranger.get("/api/v1/uploads").status_code == 401
        assert "What was sent" not in stranger.get("/uploads").text
        assert stranger.post("/api/v1/uploads", json={}).status_code == 401
        assert stranger.post("/uploads", files={"file": b"x"}).status_code == 401


def test_a_token_allows_what_its_scope_says(site: Site) -> None:
    announced = {"name": "x", "size_bytes": 1, "sha256": "0" * 64}
    for scope, status in ((Scope.READ, 403), (Scope.UPLOAD, 201), (Scope.MERGE, 201)):
        with site.client(site.token(scope)) as holder:
            assert holder.get("/").status_code == 200
            assert holder.post("/api/v1/uploads", json=announced).status_code == status


def test_a_withdrawn_or_expired_token_is_refused_at_once(site: Site) -> None:
    written = site.token(name="gone")
    with site.client(written) as holder:
        assert holder.get("/").status_code == 200
        tokens.revoke(site.store, "gone")
        assert holder.get("/").status_code == 401
    with pytest.raises(UnknownName, match="no valid token named 'gone'"):
        tokens.revoke(site.store, "gone")
    late = site.token(name="late")
    with writing(site.store.engine) as connection:
        connection.execute(update(token).where(token.c.name == "late").values(expires_ns=time.time_ns() - 1))
    with site.client(late) as holder:
        assert holder.get("/").status_code == 401
    assert {each.name: each.state(time.time_ns()) for each in tokens.listed(site.store)} == {
        "gone": "revoked",
        "late": "expired",
    }


def test_the_store_holds_no_token(site: Site) -> None:
    written = site.token(name="ci")
    secret = written.rsplit("_", 1)[1]
    with reading(site.store.engine) as connection:
        (row,) = connection.execute(select(token)).all()
    assert secret not in str(row)
    assert len(row.digest) == 64
    with site.client(written[:-1] + ("A" if written[-1] != "A" else "B")) as forger:
        assert forger.get("/").status_code == 401


@pytest.mark.parametrize("name", ["", "a b", "x" * 41, "<b>", "a\n"])
def test_names_of_tokens_are_plain(store: Store, name: str) -> None:
    with pytest.raises(UsageError, match="is not a name for a token"):
        tokens.create(store, name, Scope.READ, None)


def test_two_valid_tokens_of_one_name_would_be_confused(store: Store) -> None:
    tokens.create(store, "ci", Scope.READ, None)
    with pytest.raises(UsageError, match="revoke it first"):
        tokens.create(store, "ci", Scope.READ, None)
    tokens.revoke(store, "ci")
    tokens.create(store, "ci", Scope.READ, None)


def log_in(browser: httpx.Client, site: Site, written: str, following: str = "/") -> httpx.Response:
    form = {"token": written, "next": following}
    return browser.post("/login", data=form, headers={"origin": site.address})


def test_logging_in_with_a_token_and_out(site: Site) -> None:
    with site.client() as browser:
        assert "not valid" in log_in(browser, site, "plim_nonsense").text
        answer = log_in(browser, site, site.token(), "/history")
        assert (answer.status_code, answer.headers["location"]) == (303, "/history")
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=lax" in cookie
        assert browser.get("/").status_code == 200
        browser.post("/logout", headers={"origin": site.address})
        assert browser.get("/").status_code == 401


def test_the_link_that_the_server_prints_is_a_way_in(site: Site) -> None:
    with site.client() as browser:
        assert browser.get("/login", params={"key": "wrong"}).status_code == 401
        answer = browser.get("/login", params={"key": site.settings.owner_key})
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        assert "Log out this machine" in browser.get("/").text


@pytest.mark.parametrize(
    "following", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:x", "\n/"]
)
def test_a_log_in_leads_nowhere_else(site: Site, following: str) -> None:
    with site.client() as browser:
        assert log_in(browser, site, site.token(), following).headers["location"] == "/"


def test_a_page_of_another_site_cannot_use_a_log_in(site: Site) -> None:
    with site.client() as browser:
        log_in(browser, site, site.token())
        for headers in ({"origin": "https://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}, {}):
            answer = browser.post("/uploads", files={"file": ("a.csv", b"x")}, headers=headers)
            assert answer.status_code == 403, headers
            assert browser.post("/logout", headers=headers).status_code == 403


def test_guessing_is_slowed_down(store: Store, start: Start) -> None:
    with start(store, log_in_attempts_per_minute=3.0) as site:
        with site.client("plim_" + "0" * 16 + "_" + "x" * 43) as guesser:
            statuses = [guesser.get("/").status_code for _ in range(6)]
            assert statuses[:3] == [401] * 3
            assert statuses[-1] == 429
        with site.client() as browser:
            answer = log_in(browser, site, "wrong")
            assert answer.status_code == 429
            assert int(answer.headers["retry-after"]) >= 1
        with site.client(site.token()) as holder:
            assert holder.get("/").status_code == 200


def test_wrong_log_ins_of_a_browser_are_slowed_down_and_forgotten(store: Store, start: Start) -> None:
    session, runs = make_study(title="secret title", blocks=1)
    add(store, session, runs)
    wrong = "plimsoll=plim_" + "0" * 16 + "_" + "x" * 43
    with start(store, log_in_attempts_per_minute=3.0) as site:
        with site.client(cookie=wrong) as guesser:
            answers = [guesser.get("/") for _ in range(6)]
            assert [each.status_code for each in answers] == [401] * 3 + [429] * 3
            assert all('plimsoll=""' in each.headers["set-cookie"] for each in answers)
            assert guesser.get("/static/style.css").status_code == 200
        with site.client(cookie=f"plimsoll={site.token()}") as holder:
            assert "set-cookie" not in holder.get("/").headers
    with start(store, log_in_attempts_per_minute=3.0, public_read=True) as site:
        with site.client(cookie=wrong) as guesser:
            assert [guesser.get("/").status_code for _ in range(4)] == [200] * 3 + [429]
        with site.client() as stranger:
            assert stranger.get("/").status_code == 200


def test_a_browser_whose_log_in_ended_is_not_taken_for_a_guesser(store: Store, start: Start) -> None:
    with start(store, log_in_attempts_per_minute=2.0) as site, site.client() as browser:
        browser.cookies.set("plimsoll", "plim_" + "0" * 16 + "_" + "x" * 43, domain="127.0.0.1")
        assert [browser.get("/").status_code for _ in range(5)] == [401] * 5


def test_nobody_is_refused_for_reading_much(store: Store, start: Start) -> None:
    with start(store, public_read=True) as site, site.client() as reader:
        assert {reader.get("/login").status_code for _ in range(400)} == {200}


def test_another_name_of_the_server_is_not_answered(site: Site) -> None:
    # A page of another site whose name was pointed at this address must not read what is here.
    with site.client(site.token(), host="evil.example") as rebound:
        assert rebound.get("/").status_code == 400


@pytest.mark.parametrize(
    "path", ["/", "/login", "/nothing", "/static/style.css", "/api/openapi.json", "/api/v1/sessions"]
)
def test_browsers_are_told_to_be_careful(site: Site, path: str) -> None:
    with site.client() as stranger:
        headers = stranger.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "same-origin"
    assert "server" not in headers


def test_https_makes_cookies_and_connections_strict(store: Store, start: Start) -> None:
    with start(store, address="https://127.0.0.1") as site, httpx.Client() as browser:
        # What stands before it takes care of the encryption; the server itself listens on loopback.
        answer = browser.get(f"http://127.0.0.1:{site.port}/login", params={"key": site.settings.owner_key})
    assert "secure" in answer.headers["set-cookie"].lower()
    assert answer.headers["strict-transport-security"].startswith("max-age=")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_change_nothing(site: Site, method: str) -> None:
    with site.client(site.token()) as holder:
        assert holder.request(method, "/").status_code == 405
        assert holder.request(method, "/sessions/x").status_code == 405


def test_a_large_request_is_refused_before_it_is_read(site: Site) -> None:
    with site.client(site.token()) as holder:
        answer = holder.post("/api/v1/uploads", content=b"x" * 70_000, headers={"content-type": "application/json"})
        assert answer.status_code == 413


def test_an_endless_request_is_cut_off(site: Site) -> None:
    host = f"Host: 127.0.0.1:{site.port}\r\nOrigin: {site.address}\r\n"
    head = f"POST /login HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n"
    with socket.create_connection(("127.0.0.1", site.port), timeout=10) as line:
        line.sendall(head.encode() + b"2710\r\n" + b"x" * 10_000 + b"\r\n")
        with suppress(ConnectionError):
            for _ in range(20):
                line.sendall(b"2710\r\n" + b"x" * 10_000 + b"\r\n")
        assert b" 413 " in line.recv(4096)
