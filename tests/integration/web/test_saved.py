"""Saved comparisons under short addresses, and commands that do again what a page shows."""

from __future__ import annotations

import html
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from tests.factories import START_NS, make_study
from tests.integration.web.conftest import Site, Start, add

from plimsoll.model import Session
from plimsoll.store import comparisons, housekeeping
from plimsoll.store.names import short_id
from plimsoll.store.store import Store
from plimsoll.store.tokens import Scope
from plimsoll.units import DAY

BIN = Path(sys.executable).parent
QUOTED = 'it\'s $HOME; `id` "x" &'


def nights(store: Store, *titles: str, targets: tuple[str, ...] = ("nvme", "gp3")) -> list[Session]:
    made = []
    for number, title in enumerate(titles):
        about = {"title": title, "started_ns": START_NS + number * DAY, "seed": number}
        session, runs = make_study(targets, ("randread",), 3, {targets[-1]: 0.5}, intervals=2, **about)
        add(store, session, runs)
        made.append(session)
    return made


def chosen(sessions: list[Session], target: str = "gp3") -> list[str]:
    return [f"{each.id}:{target}" for each in sessions]


def form_of(page: str) -> dict[str, str]:
    """The hidden field and the title of the form that saves."""
    form = page.split('action="/c"')[1].split("</form>")[0]
    return {name: html.unescape(value) for name, value in re.findall(r'name="(\w+)" value="([^"]*)"', form)}


def line(page: str, name: str) -> str:
    return html.unescape(page.split(f'<pre id="{name}">')[1].split("</pre>")[0])


def test_a_comparison_is_saved_and_shown_under_its_short_address(site: Site) -> None:
    sessions = nights(site.store, "before", "after")
    with site.client(site.token(Scope.UPLOAD, "alice")) as sender:
        page = sender.get("/compare", params={"t": chosen(sessions), "band": "5%"}).text
        form = form_of(page)
        assert form["title"] == "gp3 of before, after"
        answer = sender.post("/c", data=form | {"title": "Upgrade & <b>"})
        assert answer.status_code == 303
        address = answer.headers["location"]
        assert re.fullmatch(r"/c/[a-z2-7]{10}", address)
        # As often as it is saved, whatever the order of words in its address.
        assert sender.post("/c", data=form).headers["location"] == address
        shown = sender.get(address)
        assert shown.status_code == 200
        assert "Upgrade &amp; &lt;b&gt;" in shown.text
        assert "Saved by alice" in shown.text
        assert line(shown.text, "link") == site.address + address
        assert shown.text.split('id="comparable"')[1] == page.split('id="comparable"')[1]
        assert 'value="5%"' in shown.text
        assert "Save under a short address" not in shown.text
        assert f'href="{address}"' in sender.get("/compare").text
        # Short ids are made full ones, which stay.
        short = {"t": [f"{short_id(each.id)}:gp3" for each in sessions], "band": "5%"}
        again = form_of(sender.get("/compare", params=short).text)
        assert sender.post("/c", data=again).headers["location"] == address


def test_a_saved_comparison_outlives_its_sessions(site: Site) -> None:
    sessions = nights(site.store, "before", "after", "later")
    with site.client(site.token(Scope.MERGE)) as keeper:
        form = form_of(keeper.get("/compare", params={"t": chosen(sessions)}).text)
        address = keeper.post("/c", data=form).headers["location"]
        housekeeping.delete_sessions(site.store, [sessions[0].id])
        gone = keeper.get(address)
        assert gone.status_code == 410
        assert f"session {short_id(sessions[0].id)}, which it compares, was deleted" in gone.text
        rest = html.unescape(re.search(r'href="(/compare\?[^"]+)"', gone.text)[1])  # type: ignore[index]
        left = keeper.get(rest)
        assert left.status_code == 200
        assert "What can be compared" in left.text
        housekeeping.delete_sessions(site.store, [each.id for each in sessions[1:]])
        gone = keeper.get(address)
        assert "which it compares, were deleted" in gone.text
        assert "What is left of it" not in gone.text
        assert keeper.get("/c/nothing").status_code == 404


def test_who_may_merge_deletes_a_saved_comparison_and_its_sessions_stay(site: Site) -> None:
    sessions = nights(site.store, "before", "after")
    with site.client(site.token(Scope.UPLOAD, "bob")) as sender, site.client(site.token(Scope.MERGE, "eve")) as keeper:
        form = form_of(sender.get("/compare", params={"t": chosen(sessions)}).text)
        address = sender.post("/c", data=form).headers["location"]
        button = f'action="{address}/delete"'
        assert button not in sender.get(address).text
        assert sender.post(f"{address}/delete").status_code == 403
        assert button in keeper.get(address).text
        answer = keeper.post(f"{address}/delete")
        assert (answer.status_code, answer.headers["location"]) == (303, "/compare")
        assert keeper.get(address).status_code == 404
        assert keeper.post(f"{address}/delete").status_code == 404
        assert f'href="{address}"' not in keeper.get("/compare").text
        assert {each.id for each in site.store.sessions()} == {each.id for each in sessions}
        # Of sessions that are gone, too.
        assert sender.post("/c", data=form).headers["location"] == address
        housekeeping.delete_sessions(site.store, [sessions[0].id])
        assert button in keeper.get(address).text
        assert keeper.post(f"{address}/delete").status_code == 303
    assert comparisons.newest(site.store) == []


def test_only_who_may_send_results_saves(store: Store, start: Start) -> None:
    sessions = nights(store, "before", "after")
    with start(store, public_read=True) as site:
        form = {"query": "?" + "&".join(f"t={each}" for each in chosen(sessions)), "title": "x"}
        with site.client() as stranger, site.client(site.token(Scope.READ)) as reader:
            assert stranger.post("/c", data=form).status_code == 401
            assert reader.post("/c", data=form).status_code == 403
            assert 'action="/c"' not in stranger.get("/compare", params={"t": chosen(sessions)}).text
        with site.client(site.token(Scope.UPLOAD)) as sender:
            address = sender.post("/c", data=form).headers["location"]
        with site.client() as stranger:
            assert stranger.get(address).status_code == 200


def test_what_is_no_comparison_is_not_saved(site: Site) -> None:
    with site.client(site.token(Scope.UPLOAD)) as sender:
        for query, status in (
            ("", 400),
            ("t=none:gp3", 404),
            ("&".join(["t=a:b"] * 99), 400),
            ("t=" + "x" * 9000, 404),
        ):
            answer = sender.post("/c", data={"query": query, "title": "x"})
            assert answer.status_code == status, query[:40]
    assert comparisons.newest(site.store) == []


def run(command: str, folder: Path, token: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": f"{BIN}:{os.environ['PATH']}",
        "PLIMSOLL_TOKEN": token,
        "PLIMSOLL_HOME": str(folder),
        "HOME": "/nonexistent",
    }
    return subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def test_the_command_of_a_comparison_gives_the_same(site: Site, tmp_path: Path) -> None:
    sessions = nights(site.store, "before", "after", targets=("nvme", QUOTED))
    token = site.token(Scope.READ)
    with site.client(token) as reader:
        asked = {"t": chosen(sessions, QUOTED), "band": "5%"}
        page = reader.get("/compare", params=asked).text
        expected = reader.get("/api/v1/compare", params=asked).json()
    command = line(page, "again")
    assert token not in page
    answer = run(command, tmp_path, token)
    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout) == expected
    words = shlex.split(line(page, "locally"))
    assert words == ["plimsoll", "compare", *(short_id(each.id) for each in sessions), "--band", "5%"]


def test_the_command_of_a_session_fetches_its_study(site: Site, tmp_path: Path) -> None:
    (session,) = nights(site.store, QUOTED)
    token = site.token(Scope.READ)
    with site.client(token) as reader:
        page = reader.get(f"/sessions/{session.id}").text
        study = reader.get(f"/sessions/{session.id}/download/study").text
    command = line(page, "again")
    assert command.endswith(f"&& plimsoll run study-{short_id(session.id)}.toml")
    fetch = command.partition(" && ")[0]
    assert run(fetch, tmp_path, token).returncode == 0
    assert (tmp_path / f"study-{short_id(session.id)}.toml").read_text() == study
    # With the study at hand the rest is checked by the program itself, without running anything.
    planned = run(command.replace("plimsoll run", "plimsoll plan"), tmp_path, token)
    assert "/mnt/nvme" in planned.stdout + planned.stderr
    assert run(fetch, tmp_path, "").returncode != 0


def test_a_public_server_needs_no_token_in_its_commands(store: Store, start: Start) -> None:
    (session,) = nights(store, "public")
    with start(store, public_read=True) as site, site.client() as stranger:
        assert "PLIMSOLL_TOKEN" not in line(stranger.get(f"/sessions/{session.id}").text, "again")


def test_what_cannot_be_repeated_has_no_command(site: Site) -> None:
    made, runs = make_study(title="from elsewhere")
    for number, study in enumerate(({"imported": "fio"}, {}, {"front_end": "fio", "arguments": ["--x=secret"]})):
        session = made.model_copy(update={"id": made.id[:-1] + str(number), "study": study})
        site.store.add_session(session)
        with site.client(site.token(Scope.READ, f"r{number}")) as reader:
            page = reader.get(f"/sessions/{session.id}").text
        assert "To repeat it" not in page
    assert runs
