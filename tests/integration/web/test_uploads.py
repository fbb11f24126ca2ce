"""Sending results: resumed, repeated, in any order; and files that mean harm."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.factories import make_histogram, make_study
from tests.integration.web.conftest import Site, Start, add

from plimsoll.errors import PlimsollError, ResultFileError, UsageError
from plimsoll.model import Finding, Level, Run, Session, SessionState
from plimsoll.store import exchange, tokens, uploads
from plimsoll.store.codec import canonical_json
from plimsoll.store.housekeeping import delete_sessions
from plimsoll.store.opening import open_store
from plimsoll.store.records import sealed
from plimsoll.store.result_file import write_results
from plimsoll.store.store import Store
from plimsoll.store.tokens import Scope
from plimsoll.web.push import Sent, Server, check_address
from plimsoll.web.settings import CHUNK_BYTES

SCRIPT = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"


def file_of(folder: Path, *records: Session | Run, name: str = "results.plimsoll.gz") -> Path:
    path = folder / name
    write_results(path, [sealed(each) if isinstance(each, Run) else each for each in records])
    return path


def study_file(folder: Path, seed: int = 1, **about: Any) -> tuple[Session, list[Run], Path]:
    session, runs = make_study(blocks=1, intervals=2, seed=seed, title=f"study {seed}", **about)
    return session, runs, file_of(folder, session, *runs, name=f"{seed}.plimsoll.gz")


def push(site: Site, path: Path, token: str, name: str = "", target: str = "") -> Sent:
    with Server(site.address, token, attempts=1) as server:
        return server.push(path, name or path.name, target)


def test_a_session_arrives_whole_and_twice_is_once(site: Site, tmp_path: Path) -> None:
    session, runs, path = study_file(tmp_path, artefacts=True)
    token = site.token()
    sent = push(site, path, token)
    assert (sent.new_sessions, sent.new_runs) == (1, len(runs))
    assert sent.sessions == (f"{site.address}/sessions/{session.id}",)
    assert site.store.sessions() == [session]
    assert site.store.runs([session.id]) == runs
    assert "nothing was sent" in push(site, path, token).message
    assert push(site, path, site.token(name="other")).already_there == len(runs)
    assert site.store.runs([session.id]) == runs
    assert not list(site.settings.spool.iterdir())


def test_a_file_that_was_known_is_taken_again_after_its_session_was_deleted(site: Site, tmp_path: Path) -> None:
    session, runs, path = study_file(tmp_path)
    token = site.token()
    push(site, path, token)
    delete_sessions(site.store, [session.id])
    assert push(site, path, token).new_runs == len(runs)


def begin(client: httpx.Client, content: bytes, **changes: Any) -> httpx.Response:
    announced = {"name": "a", "size_bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    return client.post("/api/v1/uploads", json={**announced, **changes})


def test_an_upload_goes_on_where_it_ended_also_after_a_restart(store: Store, start: Start, tmp_path: Path) -> None:
    session, _, path = study_file(tmp_path)
    content = path.read_bytes()
    token = tokens.create(store, "ci", Scope.UPLOAD, None)
    with start(store) as site, site.client(token) as client:
        state = begin(client, content).json()
        where = f"/api/v1/uploads/{state['id']}"
        half = len(content) // 2
        assert client.patch(where, content=content[:half], headers={"upload-offset": "0"}).json()["offset"] == half
        # Sent again, because the answer was lost: the server says where it is.
        again = client.patch(where, content=content[:half], headers={"upload-offset": "0"})
        assert (again.status_code, again.headers["upload-offset"]) == (409, str(half))
        assert client.post(f"{where}/finish").status_code == 409
    with start(store) as site:
        with site.client(token) as client:
            assert begin(client, content).json()["offset"] == half
        assert push(site, path, token).new_sessions == 1
    assert [each.id for each in store.sessions()] == [session.id]


def test_a_file_of_many_parts(site: Site, tmp_path: Path) -> None:
    noise = os.urandom(CHUNK_BYTES * 2 + 5)
    session, (run, *_), _ = study_file(tmp_path)
    kept = {"name": "noise.bin", "sha256": hashlib.sha256(noise).hexdigest(), "content": noise}
    whole = Run(**{**run.model_dump(), "artefacts": (kept,)})
    seen: list[int] = []
    with Server(site.address, site.token()) as server:
        server.push(file_of(tmp_path, session, whole), "big", "", lambda done, _: seen.append(done))
    assert len(seen) == 3
    assert site.store.runs([session.id]) == [whole]


class Flaky(httpx.HTTPTransport):
    """Loses every third answer, after the server has seen the request."""

    count = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = super().handle_request(request)
        self.count += 1
        if self.count % 3 == 2:
            answer.close()
            raise httpx.ReadError("lost")
        return answer


def test_a_bad_network_changes_nothing(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session, runs, path = study_file(tmp_path, artefacts=True)
    real = httpx.Client
    monkeypatch.setattr("plimsoll.web.push.httpx.Client", lambda **how: real(transport=Flaky(), **how))
    waited: list[float] = []
    with Server(site.address, site.token(), pause=waited.append) as server:
        server.push(path, "a")
    assert waited
    assert site.store.runs([session.id]) == runs


def test_a_server_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x")
    with (
        Server("http://127.0.0.1:9", "t", attempts=2, pause=lambda _: None) as server,
        pytest.raises(PlimsollError, match=r"cannot reach http://127\.0\.0\.1:9.*goes on where it ended"),
    ):
        server.push(path, "a")


@pytest.mark.parametrize("url", ["http://bench.example.org", "ftp://x", "bench", "https://u:p@h", "https://h?token=1"])
def test_addresses_that_would_betray_the_token_are_refused(url: str) -> None:
    with pytest.raises(UsageError):
        check_address(url, insecure=False)


def test_five_stores_in_any_order_are_one(site: Site, tmp_path: Path) -> None:
    parts = [study_file(tmp_path, seed) for seed in range(5)]
    shared = file_of(tmp_path, parts[0][0], *parts[0][1], parts[3][0], *parts[3][1], name="two.plimsoll.gz")
    with open_store(str(tmp_path / "direct.db")) as direct:
        exchange.merge(direct, [path for _, _, path in parts])
        expected = [(each, direct.runs([each.id])) for each in direct.sessions()]
    token = site.token(Scope.MERGE)
    exchange.import_results(site.store, parts[2][2])
    for path in (parts[4][2], shared, parts[1][2], parts[0][2], parts[2][2]):
        push(site, path, token)
    assert [(each, site.store.runs([each.id])) for each in site.store.sessions()] == expected


def test_results_of_other_tools_are_read(site: Site) -> None:
    fixture = Path(__file__).parents[2] / "unit/importers/fio_json/fixtures/fio3.json"
    sent = push(site, fixture, site.token(), target="gp3")
    assert sent.new_sessions == 1
    (session,) = site.store.sessions()
    assert session.target_names == ("gp3",)
    assert any("read as fio_json" in sentence for sentence in sent.says)


def refused(site: Site, content: bytes, tmp_path: Path, name: str = "results.plimsoll.gz") -> str:
    path = tmp_path / "hostile"
    path.write_bytes(content)
    with pytest.raises(ResultFileError) as caught:
        push(site, path, site.token(), name)
    (noted,) = [each for each in uploads.listed(site.store) if not each["accepted"]]
    assert noted["sha256"] == hashlib.sha256(content).hexdigest()
    assert noted["message"]
    assert site.store.sessions() == []
    assert not list(site.settings.spool.iterdir())
    message = str(caught.value)
    assert "Traceback" not in message
    assert str(site.settings.spool) not in message
    return message


def lines_of(*records: dict[str, Any] | str) -> bytes:
    """A result file made by hand, with a right end."""
    head = canonical_json({"format": "plimsoll-results", "version": 1, "plimsoll_version": "9"})
    lines = [head, *(each if isinstance(each, str) else canonical_json(each) for each in records)]
    body = "".join(f"{line}\n" for line in lines).encode()
    counts = {kind: sum(f'"{kind[:-1]}":{{' in line[:12] for line in lines) for kind in ("sessions", "runs")}
    end = canonical_json({"end": {**counts, "sha256": hashlib.sha256(body).hexdigest()}}) + "\n"
    return gzip.compress(body + end.encode())


def records() -> tuple[dict[str, Any], dict[str, Any]]:
    session, runs = make_study(blocks=1, intervals=1)
    return (
        {"session": json.loads(canonical_json(session.model_dump()))},
        {"run": json.loads(canonical_json(runs[0].model_dump()))},
    )


def with_value(name: str, value: str) -> bytes:
    """A session whose title is replaced by raw JSON."""
    session, _ = records()
    session["session"][name] = "@@"
    return lines_of(canonical_json(session).replace('"@@"', value))


HOSTILE: dict[str, Callable[[], bytes]] = {
    "not a number": lambda: with_value("started_ns", "NaN"),
    "infinity": lambda: with_value("started_ns", "1e999"),
    "a number of a million digits": lambda: with_value("started_ns", "9" * 1_000_000),
    "a negative time": lambda: with_value("started_ns", "-5"),
    "deep nesting": lambda: with_value("host", "[" * 200_000 + "]" * 200_000),
    "deep objects": lambda: with_value("host", '{"a":' * 100 + "1" + "}" * 100),
    "a null character": lambda: with_value("title", '"a\\u0000b"'),
    "half a surrogate pair": lambda: with_value("title", '"\\ud800"'),
    "an unknown field": lambda: with_value("extra", "1"),
    "an id that is a path": lambda: with_value("id", '"../../../../etc/passwd"'),
    "a foreign session": lambda: lines_of(records()[1]),
    "a bomb": lambda: gzip.compress(b" " * 200_000_000, 9),
    "a bomb in a line": lambda: with_value("title", '"' + "x" * 40_000_000 + '"'),
    "a bomb in a zip": lambda: zipped(b"0" * 100_000_000),
    "zips in zips": lambda: zipped(zipped(zipped(zipped(zipped(b"iops"))))),
    "half a file": lambda: lines_of(*records())[:-20],
    "something else": lambda: b"\x7fELF" + bytes(1000),
    "nothing but zeros": lambda: bytes(10_000),
    "a histogram bomb": lambda: with_histogram(b"\x1c\x84\x93\x14" + bytes(4) + gzip.compress(bytes(50_000_000))),
    "many small values": lambda: with_value("host", "[" + "1," * 3_000_000 + "1]"),
}


def zipped(content: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../../tmp/evil.zip", content)
    return made.getvalue()


def with_histogram(encoded: bytes) -> bytes:
    import base64

    session, run = records()
    run["run"]["histograms"] = {"read": base64.b64encode(encoded).decode()}
    return lines_of(session, run)


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_files_are_refused_and_noted(site: Site, tmp_path: Path, kind: str) -> None:
    refused(site, HOSTILE[kind](), tmp_path)
    with site.client(site.token(name="after")) as client:
        assert client.get("/").status_code == 200


@pytest.mark.parametrize(
    ("taken", "name", "value", "said"),
    [
        ("depth", "deth", 3, "no parameter named 'deth' in the plan of run {run}; did you mean 'depth'?"),
        ("depth", "depth", 0, "the plan of run {run}: depth: 0 is out of bounds; use 1 to 16384"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_as_other_commands_do(
    site: Site, tmp_path: Path, taken: str, name: str, value: int, said: str
) -> None:
    session, run = records()
    del run["run"]["plan"]["parameters"][taken]
    run["run"]["plan"]["parameters"][name] = value
    message = refused(site, lines_of(session, run), tmp_path)
    assert said.format(run=run["run"]["id"]) in message
    assert len(message.splitlines()) == 1


def test_more_records_than_allowed(store: Store, start: Start, tmp_path: Path) -> None:
    with start(store, records=2) as site:
        assert "past the limit of 2 records" in refused(site, study_file(tmp_path)[2].read_bytes(), tmp_path)


def test_a_file_that_takes_too_much_memory(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "plimsoll.web.intake.service.CHILD",
        ("-c", "import plimsoll.web.intake.child as c; c.bound(1); bytearray(2**33)"),
    )
    assert "needs more memory or time" in refused(site, b"x", tmp_path)


def test_a_file_that_takes_too_much_time(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plimsoll.web.intake.service.CHILD", ("-c", "import time; time.sleep(60)"))
    monkeypatch.setattr("plimsoll.web.intake.service.CHECK_S", 0.2)
    assert "could not be checked within" in refused(site, b"x", tmp_path)


@pytest.mark.parametrize("name", ["../../etc/passwd", "a\0b", "a\nb", SCRIPT, "\u202egz.llosmilp", "x" * 200, "/abs"])
def test_the_name_of_a_file_is_only_a_word(site: Site, tmp_path: Path, name: str) -> None:
    session, _, path = study_file(tmp_path)
    token = site.token()
    push(site, path, token, name)
    assert [each.id for each in site.store.sessions()] == [session.id]
    with site.client(token) as client:
        page = client.get("/uploads").text
    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert {each.name for each in tmp_path.iterdir()} == {
        "1.plimsoll.gz",
        "server.db",
        "uploads",
        "server.db-wal",
        "server.db-shm",
    }


@pytest.mark.parametrize(
    "changes",
    [
        {"name": ""},
        {"name": "x" * 201},
        {"size_bytes": 0},
        {"size_bytes": -1},
        {"size_bytes": 10**30},
        {"sha256": "../../x"},
        {"sha256": "A" * 64},
        {"target": "x" * 41},
        {"more": 1},
        {"size_bytes": "1e9"},
    ],
)
def test_announcements_are_checked(site: Site, changes: dict[str, Any]) -> None:
    with site.client(site.token()) as client:
        assert begin(client, b"abc", **changes).status_code in (413, 422)
        assert not site.settings.spool.exists() or not list(site.settings.spool.iterdir())


def test_what_arrives_must_be_what_was_announced(site: Site) -> None:
    with site.client(site.token()) as client:
        where = f"/api/v1/uploads/{begin(client, b'abc').json()['id']}"
        assert client.patch(where, content=b"abcd", headers={"upload-offset": "0"}).status_code == 413
        assert client.patch(where, content=b"xyz", headers={"upload-offset": "0"}).status_code == 200
        assert "SHA-256" in client.post(f"{where}/finish").json()["error"]
        assert client.get(where).status_code == 404
        assert client.patch(where, content=bytes(CHUNK_BYTES + 1), headers={"upload-offset": "0"}).status_code == 413


def test_nobody_sees_or_ends_the_upload_of_another(site: Site) -> None:
    with site.client(site.token()) as mine, site.client(site.token()) as other:
        where = f"/api/v1/uploads/{begin(mine, b'abc').json()['id']}"
        for answer in (
            other.get(where),
            other.patch(where, content=b"abc", headers={"upload-offset": "0"}),
            other.post(f"{where}/finish"),
            other.delete(where),
            other.get("/api/v1/uploads/..%2f..%2fetc"),
        ):
            assert answer.status_code == 404
        assert mine.get(where).json()["offset"] == 0
        assert mine.delete(where).status_code == 204


def test_the_folder_of_uploads_has_bounds(store: Store, start: Start) -> None:
    with start(store, upload_bytes=1000) as site, site.client(site.token()) as client:
        assert begin(client, bytes(1001)).status_code == 413
        statuses = [begin(client, bytes([n]) * 900).status_code for n in range(5)]
        assert statuses == [201] * 4 + [503]


def extended(session: Session, run: Run, title: str) -> tuple[Session, Run]:
    """A later version of a session, with a run more."""
    later = {"title": title, "state": SessionState.DONE, "ended_ns": (session.ended_ns or 0) + 10**12}
    identity = run.id[:-1] + ("0" if run.id[-1] != "0" else "1")
    return session.model_copy(update=later), run.model_copy(update={"id": identity, "block": 99})


@pytest.mark.parametrize("owner", ["measured here", "another token"])
def test_nobody_changes_the_session_of_another(site: Site, tmp_path: Path, owner: str) -> None:
    session, runs, path = study_file(tmp_path)
    if owner == "measured here":
        add(site.store, session, runs)
    else:
        push(site, path, site.token(name="first"))
    for number, changed in enumerate(
        ((extended(session, runs[0], "mine now")[0], *runs), (session, *runs, extended(session, runs[0], "")[1]))
    ):
        forged = file_of(tmp_path, *changed, name=f"forged-{number}.plimsoll.gz")
        with pytest.raises(ResultFileError, match="came from somebody else"):
            push(site, forged, site.token())
    assert site.store.sessions() == [session]
    assert site.store.runs([session.id]) == runs
    whole = file_of(tmp_path, *extended(session, runs[0], "merged"), name="merged.plimsoll.gz")
    push(site, whole, site.token(Scope.MERGE))
    assert site.store.sessions()[0].title == "merged"


def test_a_run_never_changes(site: Site, tmp_path: Path) -> None:
    session, runs, path = study_file(tmp_path)
    push(site, path, site.token())
    altered = runs[0].model_copy(update={"reason": "altered"})
    with pytest.raises(ResultFileError, match="runs never change"):
        push(site, file_of(tmp_path, session, altered), site.token(Scope.MERGE))
    assert site.store.runs([session.id]) == runs


def test_a_sender_goes_on_with_an_own_session(site: Site, tmp_path: Path) -> None:
    session, runs, path = study_file(tmp_path)
    token = site.token()
    push(site, path, token)
    later, more = extended(session, runs[0], "longer")
    push(site, file_of(tmp_path, later, *runs, more), token)
    assert site.store.sessions() == [later]
    assert len(site.store.runs([session.id])) == len(runs) + 1


def everywhere(session: Session, runs: Sequence[Run]) -> tuple[Session, list[Run]]:
    """The records with a script in every field of text."""
    run = runs[0]
    target = run.target.model_copy(
        update={
            "name": SCRIPT,
            "where": SCRIPT,
            "kind": SCRIPT,
            "options": {SCRIPT: SCRIPT},
            "facts": {SCRIPT: [SCRIPT]},
        }
    )
    plan = run.plan.model_copy(
        update={"test": SCRIPT, "case": SCRIPT, "workload": SCRIPT, "parameters": {SCRIPT: SCRIPT, "depth": 1}}
    )
    content = SCRIPT.encode()
    kept = {"name": SCRIPT, "sha256": hashlib.sha256(content).hexdigest(), "content": content}
    finding = Finding(guard=SCRIPT, level=Level.WARN, message=SCRIPT, advice=SCRIPT, values={SCRIPT: 1.0})
    scores = [each.model_copy(update={"metric": f"{SCRIPT}{place}"}) for place, each in enumerate(run.scores)]
    changed = Run(
        **run.model_dump()
        | {"target": target, "plan": plan, "reason": SCRIPT, "findings": (finding,), "facts": {SCRIPT: SCRIPT}}
        | {"scores": scores, "histograms": {SCRIPT: make_histogram(1e5, 1000), "read": make_histogram(1e5, 1000)}}
        | {"artefacts": (kept,)}
    )
    about = {"title": SCRIPT, "host": {"hostname": SCRIPT, SCRIPT: {SCRIPT: SCRIPT}}, "plimsoll_version": SCRIPT}
    study = {"title": SCRIPT, "mode": SCRIPT, "band": SCRIPT, "targets": [{"name": SCRIPT, "where": SCRIPT}], SCRIPT: 1}
    return session.model_copy(update={**about, "study": study}), [changed]


def test_a_script_in_every_field_stays_text(site: Site, tmp_path: Path) -> None:
    session, runs = everywhere(*make_study(blocks=1, intervals=2))
    token = site.token()
    push(site, file_of(tmp_path, session, *runs), token, SCRIPT)
    series = {"case": SCRIPT, "target": SCRIPT}
    with site.client(token) as client:
        for path, asked in (
            ("/", {"text": SCRIPT[:40]}),
            (f"/sessions/{session.id}", {}),
            (f"/sessions/{session.id}/runs", {}),
            (f"/sessions/{session.id}/latency", {}),
            (f"/runs/{runs[0].id}", {}),
            ("/history", {}),
            ("/history", series),
            ("/compare", {"s": session.id}),
            ("/compare", {"t": f"{session.id}:{SCRIPT}"}),
            ("/diff", {"s": [session.id, session.id]}),
            ("/uploads", {}),
            ("/login", {"next": SCRIPT}),
            (f"/sessions/{SCRIPT}", {}),
            (f"/sessions/{session.id}/charts/strip-0.svg", {}),
            (f"/sessions/{session.id}/download/html", {}),
        ):
            answer = client.get(path, params=asked)
            assert answer.status_code in (200, 400, 404), (path, answer.text[:300])
            assert "<script>alert" not in answer.text, path
            assert "<img src=x" not in answer.text, path
        raw = client.get(f"/runs/{runs[0].id}/files/0")
        assert raw.headers["content-disposition"].startswith('attachment; filename="')
        assert "<" not in raw.headers["content-disposition"]


def test_the_audit_tells_who_sent_what(site: Site, tmp_path: Path) -> None:
    _, runs, path = study_file(tmp_path)
    token = site.token(name="nightly-ci")
    push(site, path, token)
    with site.client(token) as client:
        (line,) = client.get("/api/v1/uploads").json()
    assert line["token_name"] == "nightly-ci"
    assert line["client"] == "127.0.0.1"
    assert (line["accepted"], line["new_runs"]) == (True, len(runs))
    assert line["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()


def test_too_many_uploads_of_one_token(store: Store, start: Start) -> None:
    with start(store, uploads_per_minute=2.0) as site, site.client(site.token()) as client:
        statuses = [begin(client, b"abc").status_code for _ in range(4)]
    assert statuses == [201, 201, 429, 429]
