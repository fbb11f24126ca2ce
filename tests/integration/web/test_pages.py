"""What the pages show, over SQLite and over PostgreSQL."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.integration.web.conftest import Filled

from plimsoll.report import Evidence, build_document
from plimsoll.report.renderers.json import as_json
from plimsoll.stats.rules import rules
from plimsoll.store import exchange
from plimsoll.store.names import short_id
from plimsoll.store.opening import open_store


class Links(HTMLParser):
    """Addresses that a page leads to, and whether it holds anything that a browser would run."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.scripts: list[str | None] = []
        self.handlers: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.handlers += [name for name, _ in attrs if name.startswith("on") or name == "style"]
        if tag == "script":
            self.scripts += [] if given.get("type") == "application/json" else [given.get("src")]
        if tag in ("a", "link", "img") and (address := given.get("href") or given.get("src")):
            self.found.add(address)


@pytest.fixture(scope="module")
def client(filled: Filled) -> Iterator[httpx.Client]:
    with filled.site.client() as opened:
        yield opened


def kind_of(path: str) -> str:
    """The address without what differs between pages of one kind."""
    return re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|\d+|=[^&]*", "*", path)


MOST_OF_A_KIND = 3
"""Pages of a kind that are followed."""


def test_every_link_of_the_site_leads_somewhere(filled: Filled, client: httpx.Client) -> None:
    """Follows links, a few of each kind; each answers, and nothing of any page is run but our own script."""
    waiting = ["/", "/history?case=randread&target=gp3&plan=", f"/sessions/{filled.study.id}/runs"]
    # Not every run has files: this one is followed first.
    waiting.append(f"/runs/{next(run for run in filled.runs if run.artefacts).id}")
    seen: dict[str, int] = {}
    while waiting:
        path = waiting.pop()
        kind = kind_of(path)
        seen[kind] = seen.get(kind, 0) + 1
        if seen[kind] > MOST_OF_A_KIND:
            continue
        answer = client.get(path)
        assert answer.status_code == 200, path
        if answer.headers["content-type"].startswith("text/html"):
            found = Links(answer.text)
            assert [str(each).partition("?")[0] for each in found.scripts] == [
                "/static/site.js",
                "/static/charts.js",
                "/static/tables.js",
            ]
            assert found.handlers == []
            assert all(address.startswith(("/", "#")) for address in found.found), path
            waiting += sorted(address for address in found.found if address.startswith("/"))
    leads = {"/sessions/*", "/runs/*", "/runs/*/files/*", "/sessions/*/latency", "/diff?s*&s*", "/static/style.css?*"}
    assert leads <= {re.sub(r"css.*", "css?*", kind) for kind in seen}


def test_a_session_shows_the_report_of_the_command_line(filled: Filled, client: httpx.Client) -> None:
    store = filled.site.store
    found = store.find_session(filled.study.id)
    chosen = rules(found)
    expected = as_json(build_document(Evidence([found], store.runs([found.id]), chosen.baseline, chosen.band)))
    assert client.get(f"/api/v1/sessions/{filled.study.id}/report").json() == expected
    page = client.get(f"/sessions/{filled.study.id}").text
    for section in expected["sections"]:
        assert f'id="{section["id"]}"' in page
    assert "offices &amp; &lt;homes&gt;" in page
    assert json.loads(client.get(f"/sessions/{filled.study.id}/download/json").text) == expected


def test_short_ids_and_titles_lead_to_the_stable_address(filled: Filled, client: httpx.Client) -> None:
    for name in (short_id(filled.study.id), filled.study.title):
        answer = client.get(f"/sessions/{name}")
        assert answer.status_code == 302
        assert answer.headers["location"] == f"/sessions/{filled.study.id}"
    assert client.get("/sessions/ffffffff").status_code == 404


@pytest.mark.parametrize(
    ("asked", "titles"),
    [
        ({"text": "nightly 7"}, {"nightly 7"}),
        ({"text": "NIGHTLY"}, {f"nightly {n}" for n in range(9)}),
        ({"text": "share homes"}, {"offices & <homes>"}),
        ({"text": "other-host"}, {"offices & <homes>"}),
        ({"text": "100%"}, set()),
        ({"text": "nightly_3"}, set()),
        ({"test": "commit"}, {"offices & <homes>"}),
        ({"test": "randread", "target": "disk"}, set()),
        ({"kind": "directory", "host": "other-host"}, {"offices & <homes>"}),
        ({"kind": "device"}, set()),
        ({"since": "2026-11-25"}, {"nightly 7", "nightly 8"}),
        ({"until": "2026-11-18"}, {"nightly 0", "offices & <homes>"}),
    ],
)
def test_search(client: httpx.Client, asked: dict[str, str], titles: set[str]) -> None:
    found = client.get("/api/v1/sessions", params=asked).json()["sessions"]
    assert {each["title"] for each in found} == titles
    shown = client.get("/", params=asked).text
    assert shown.count('name="s"') == len(titles)


def test_a_session_is_found_by_its_id(filled: Filled, client: httpx.Client) -> None:
    found = client.get("/api/v1/sessions", params={"text": short_id(filled.study.id)}).json()["sessions"]
    assert [each["id"] for each in found] == [filled.study.id]
    assert found[0]["host"] == "other-host"
    assert sum(place["runs"] for place in found[0]["places"]) == len(filled.runs)


def test_pages_of_the_list_hold_every_session_once(filled: Filled, client: httpx.Client) -> None:
    seen: list[str] = []
    before: str | None = ""
    while before is not None:
        page = client.get("/api/v1/sessions", params={"limit": 3, "before": before}).json()
        seen += [each["id"] for each in page["sessions"]]
        before = page["before"]
    assert seen == [each.id for each in filled.site.store.sessions()]
    assert client.get("/?before=nonsense").status_code == 400


def test_a_downloaded_result_file_is_the_session(filled: Filled, client: httpx.Client, tmp_path: Path) -> None:
    answer = client.get(f"/sessions/{filled.study.id}/download/results")
    assert 'filename="plimsoll-' in answer.headers["content-disposition"]
    path = tmp_path / "session.plimsoll.gz"
    path.write_bytes(answer.content)
    with open_store(str(tmp_path / "other.db")) as other:
        exchange.import_results(other, path)
        assert other.sessions() == [filled.study]
        assert other.runs([filled.study.id]) == filled.runs


def test_a_raw_file_is_saved_and_never_shown(filled: Filled, client: httpx.Client) -> None:
    run = next(run for run in filled.runs if run.artefacts)
    answer = client.get(f"/runs/{run.id}/files/0")
    assert answer.content == run.artefacts[0].content
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"].startswith("attachment")
    assert "sandbox" in answer.headers["content-security-policy"]
    assert client.get(f"/runs/{run.id}/files/9").status_code == 404


def test_every_picture_can_be_taken_away(filled: Filled, client: httpx.Client) -> None:
    page = client.get(f"/sessions/{filled.study.id}").text
    pictures = re.findall(r'href="(/sessions/[^"]+/charts/[^"]+\.svg)"', page)
    assert len(pictures) == page.count("<figure") > 4
    for path in pictures[:3]:
        assert client.get(path).text.startswith("<svg xmlns=")
        assert client.get(path.replace(".svg", ".png")).content.startswith(b"\x89PNG")
    assert client.get(pictures[0].replace(".svg", ".gif")).status_code == 404


def test_history_finds_the_night_on_which_it_became_slower(filled: Filled, client: httpx.Client) -> None:
    found = client.get("/api/v1/history", params={"case": "randread", "target": "gp3"}).json()
    assert [each["id"] for each in found["sessions"]] == [session.id for session in filled.nights]
    assert [(level["first"], level["last"]) for level in found["levels"]] == [(0, 4), (5, 8)]
    assert found["levels"][1]["value"] == pytest.approx(0.6 * found["levels"][0]["value"], rel=0.1)
    steady = client.get("/api/v1/history", params={"case": "randread", "target": "nvme"}).json()
    assert len(steady["levels"]) == 1
    fields = "id host started_ns value low high runs valid levels pattern place name event"
    assert [*found["sessions"][0]] == fields.split()
    assert [*found["levels"][0]] == ["first", "last", "value"]
    listed = client.get("/api/v1/series", params={"text": "gp3"}).json()
    assert [*listed[0]] == ["case", "target", "sessions", "runs", "last_ns", "host"]
    page = client.get("/history", params={"case": "randread", "target": "gp3"}).text
    assert "Changes of level" in page
    assert page.count("<figure") == 2
    assert client.get("/history", params={"case": "randread", "target": "none"}).status_code == 404


def compared(client: httpx.Client, *targets: str, **how: Any) -> dict[str, Any]:
    answer = client.get("/api/v1/compare", params={"t": targets, **how})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def reasons(found: dict[str, Any]) -> dict[tuple[str, str], tuple[str, str]]:
    rows = found["sections"][0]["blocks"][0]["rows"]
    return {(row["case"], row["target"]): (row["comparable"], row["reason"]) for row in rows}


def test_targets_of_one_session_were_measured_in_turns(filled: Filled, client: httpx.Client) -> None:
    night = filled.nights[0].id
    found = reasons(compared(client, f"{night}:nvme", f"{night}:gp3"))
    assert found == {("randread", "gp3"): ("yes", "the same work, interleaved in 3 blocks")}


def test_targets_of_two_sessions_are_compared_with_care(filled: Filled, client: httpx.Client) -> None:
    early, late = filled.nights[0], filled.nights[8]
    report = compared(client, f"{early.id}:gp3", f"{late.id}:gp3")
    ((case, target), (word, reason)) = next(iter(reasons(report).items()))
    assert (case, target, word) == ("randread", f"gp3 · {short_id(late.id)}", "with care")
    assert "measured apart" in reason
    verdicts = json.dumps(next(each for each in report["sections"] if each["id"] == "verdicts"))
    assert "measured apart, not interleaved" in verdicts


def test_targets_of_one_name_can_be_one_target(filled: Filled, client: httpx.Client) -> None:
    chosen = [f"{night.id}:{target}" for night in filled.nights[:3] for target in ("nvme", "gp3")]
    found = reasons(compared(client, *chosen, pool=True))
    assert found == {("randread", "gp3"): ("yes", "the same work, interleaved in 9 blocks")}


def test_what_cannot_be_compared_has_its_reason(filled: Filled, client: httpx.Client) -> None:
    report = compared(client, f"{filled.nights[0].id}:nvme", f"{filled.study.id}:disk")
    found = reasons(report)
    assert found["randread", "disk"] == ("no", "this target never ran this case")
    assert found["ping", "disk"] == ("no", "the baseline never ran this case")
    differing = report["sections"][0]["blocks"][1]
    assert {"host", "kernel"} <= {row["circumstance"] for row in differing["rows"]}


@pytest.mark.parametrize("words", [["nothing"], ["x:y"] * 1, [f"a:{n}" for n in range(9)]])
def test_a_comparison_of_nonsense_is_refused(client: httpx.Client, words: list[str]) -> None:
    answer = client.get("/compare", params={"t": words})
    assert answer.status_code in (400, 404)
    assert "Traceback" not in answer.text


def test_a_fault_in_a_comparison_leaves_the_choice_to_be_mended(filled: Filled, client: httpx.Client) -> None:
    chosen = f"{filled.study.id}:disk"
    answer = client.get("/compare", params={"t": chosen, "band": "wide"})
    assert answer.status_code == 400
    assert "is not a valid share" in answer.text
    assert re.search(rf'name="t" value="{chosen}" checked', answer.text)


def test_older_pages_of_the_list_lead_back(filled: Filled, client: httpx.Client) -> None:
    place = f"{filled.nights[-1].started_ns},{filled.nights[-1].id}"
    page = client.get("/", params={"test": "randread", "before": place}).text
    assert "Older matching sessions" in page
    assert Links(page).found & {"/?test=randread"}


def test_environments_side_by_side(filled: Filled, client: httpx.Client) -> None:
    groups = client.get("/api/v1/diff", params={"one": filled.nights[0].id, "other": filled.study.id}).json()
    host = {fact["name"]: fact for fact in next(each for each in groups if each["title"] == "Host")["facts"]}
    assert host["kernel"] == {"name": "kernel", "one": "6.1.0", "other": "6.12.0", "differs": True} or host[
        "kernel"
    ] == {
        "name": "kernel",
        "one": "6.12.0",
        "other": "6.1.0",
        "differs": True,
    }
    assert host["ram"]["other"] is None
    page = client.get("/diff", params={"s": [filled.nights[0].id, filled.nights[1].id]}).text
    assert "what differs" in page
    assert client.get("/diff", params={"s": [filled.study.id]}).status_code == 400


def test_the_api_is_described_and_says_what_it_does(client: httpx.Client) -> None:
    described = client.get("/api/openapi.json").json()
    assert {"/api/v1/sessions", "/api/v1/uploads/{upload_id}", "/api/v1/history"} <= set(described["paths"])
    page = client.get("/api").text
    for path, methods in described["paths"].items():
        for method, about in methods.items():
            assert f"{method.upper()} {path}" in page
            assert about["description"]
            asked = [each for each in about.get("parameters", ()) if each["in"] == "query"]
            assert all(each.get("description") for each in asked), path


def test_a_program_gets_its_errors_as_json(client: httpx.Client) -> None:
    for path, status in (("/api/v1/sessions/none", 404), ("/api/v1/sessions?limit=0", 422), ("/api/v1/none", 404)):
        answer = client.get(path)
        assert answer.status_code == status
        assert set(answer.json()) == {"error"}
