"""A stored score that was changed afterwards is said to be so in every format, and is in no answer."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator

import httpx
import pytest
from tests.factories import make_study
from tests.integration.web.conftest import add, running
from tests.integration.web.test_same_answers import Outputs, of_markdown, of_page, plain

from plimsoll.model import Run
from plimsoll.store.connection import writing
from plimsoll.store.opening import open_store

SAID = "iops was changed after the run was stored"
NOTED = "1 run of b was changed after being stored and does not count"
FACTOR = 10


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Outputs, Run]]:
    home = tmp_path_factory.mktemp("changed")
    session, runs = make_study(("a", "b"), ("randread",), 5)
    victim = next(run for run in runs if run.target.name == "b")
    with open_store(str(home / "r.db")) as store:
        add(store, session, runs)
        with writing(store.engine) as connection:
            connection.exec_driver_sql(
                f"UPDATE score SET value = value * {FACTOR} WHERE run_id = '{victim.id}' AND metric = 'iops'"
            )
        with running(store, home / "uploads", public_read=True) as site:
            yield Outputs(home, [session], site.address), victim


def test_reports_of_every_format_say_it(changed: tuple[Outputs, Run]) -> None:
    outputs, _ = changed
    shown = {
        "terminal": plain(outputs.run("show").stdout),
        "json": outputs.run("show", "--json").stdout,
        "csv": outputs.run("show", "--csv").stdout,
        "markdown": of_markdown(outputs.written(".md")),
        "html": of_page(outputs.written(".html")),
        "page": of_page(outputs.fetched(f"/sessions/{outputs.sessions[0].id}")),
        "api": outputs.fetched(f"/api/v1/sessions/{outputs.sessions[0].id}/report"),
    }
    assert {form for form, words in shown.items() if SAID.lower() not in words.lower()} == set()
    noted = {form for form, words in shown.items() if NOTED in words}
    assert noted == set(shown) - {"csv"}


def test_the_run_and_the_list_of_runs_say_it(changed: tuple[Outputs, Run]) -> None:
    outputs, victim = changed
    told = json.loads(outputs.fetched(f"/api/v1/runs/{victim.id}"))
    assert told["status"] == "invalid"
    assert SAID in told["reason"]
    assert SAID in of_page(outputs.fetched(f"/runs/{victim.id}"))
    assert "changed after it was stored" in of_page(outputs.fetched(f"/sessions/{outputs.sessions[0].id}/runs"))


def test_comparisons_and_gates_say_it_and_leave_it_out(changed: tuple[Outputs, Run]) -> None:
    outputs, victim = changed
    untouched = next(score.value for score in victim.scores if score.metric == "iops")
    for form in ("text", "markdown", "junit", "github", "benchstat", "json", "csv"):
        answer = outputs.run("compare", "--fail-on", "worse", "--format", form)
        assert NOTED in of_markdown(plain(answer.stdout + answer.stderr)), form
        assert str(untouched * FACTOR) not in answer.stdout
    (row, *_) = json.loads(outputs.run("compare", "--json").stdout)
    assert row["blocks"] == 4


def test_it_is_in_no_score(changed: tuple[Outputs, Run]) -> None:
    outputs, victim = changed
    for row in csv.DictReader(io.StringIO(outputs.run("show", "--csv").stdout)):
        assert (row["status"] == "invalid") == (row["run"] == victim.id)
    for line in outputs.evidence.lines:
        assert len(line.values) == (4 if line.target == "b" else 5)


def test_the_page_of_a_comparison_and_its_api_say_it(changed: tuple[Outputs, Run]) -> None:
    outputs, _ = changed
    chosen = [f"{outputs.sessions[0].id}:{name}" for name in ("a", "b")]
    assert NOTED in of_page(outputs.fetched("/compare", t=chosen))
    answer = httpx.get(outputs.address + "/api/v1/compare", params={"t": chosen}, timeout=60)
    assert NOTED in answer.text
