"""All formats say the same of the same store: terminal, Markdown, page, JSON, CSV, the server's page and its API.

What there is to say comes from the document that all are written from, and from the comparisons themselves, so that a
new section, finding or note is asked for here by itself. What a format leaves out stands in LEFT_OUT with its reason.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.integration.run import starter
from tests.integration.web.conftest import add, running
from tests.unit.report.situations import SITUATIONS

from plimsoll.model import Level, Session
from plimsoll.report import Evidence, build_document
from plimsoll.report.document import (
    Cell,
    Chart,
    Document,
    Judged,
    Listing,
    Number,
    Phrase,
    Section,
    Span,
    Table,
    Text,
    Warning,
)
from plimsoll.report.publication import answers
from plimsoll.report.renderers import terminal
from plimsoll.report.renderers.markdown import render as markdown
from plimsoll.report.sections.verdicts import WORDS
from plimsoll.stats.rules import rules
from plimsoll.stats.sentences import sentence
from plimsoll.store.opening import open_store

LONG = "the short report; the page and JSON have it"
PICTURES = "what its pictures show; the scores and verdicts are above"
EVERY = "each is a cell of the table of tests and targets; its notes stand below the sentences"
DIFFER = "sentences are for comparisons that differ; the table of tests and targets has the others"
_BOTH = {
    **dict.fromkeys(("forest", "strips", "looks", "latency", "series"), PICTURES),
    "data": LONG,
    "repeats/text": "that nothing stands out",
    "repeats/Runs that drift or fall into groups": "summed up by kind in sentences; the page and JSON have each",
    "databases/Servers": "what all servers share; what differs has a table of its own",
    "verdicts/Every comparison": EVERY,
    "verdicts/text": DIFFER,
}
LEFT_OUT: dict[str, dict[str, str]] = {
    "terminal": {
        **_BOTH,
        **dict.fromkeys(("environment", "method", "phases"), LONG),
        "scores/Scores of the judged metrics": "the table of tests and targets has the scores",
        "scores/Scores of all other metrics": LONG,
        "databases/Operations: p95, p99.9, Not found": LONG,
        "load_line/Every load: 95 % interval, Mean": LONG,
    },
    "markdown": _BOTH,
}
"""By format: a section, a table as `section/caption`, or some of its columns, and why they are not in it."""


@dataclass(frozen=True)
class Statement:
    """Something that a document says: where, and its words or its number."""

    section: str
    part: str
    words: str
    brief: str = ""
    raw: Cell = None
    picture: bool = False

    @property
    def place(self) -> str:
        return f"{self.section}/{self.part}"


def statements(document: Document) -> Iterator[Statement]:
    for section in document.sections:
        yield from _of_section(section)


def _of_section(section: Section) -> Iterator[Statement]:
    for block in section.blocks:
        match block:
            case Text():
                yield from (Statement(section.id, "text", each.text) for each in block.sentences)
            case Warning():
                words = (block.sentence, block.advice, block.where)
                yield from (Statement(section.id, "warning", each) for each in words if each)
            case Table():
                yield from _of_table(section.id, block)
            case Chart():
                yield Statement(section.id, block.title, block.title, picture=True)
                yield from _of_table(section.id, block.data, picture=True)
            case Listing():
                yield Statement(section.id, "listing", block.title)
                yield from (Statement(section.id, "listing", line) for line in block.content.splitlines() if line)


def _of_table(section: str, table: Table, *, picture: bool = False) -> Iterator[Statement]:
    for row in table.rows:
        for column, cell in zip(table.columns, row, strict=True):
            if cell is not None and cell.text:
                brief = cell.brief if isinstance(cell, Phrase | Judged) else ""
                yield Statement(section, f"{table.caption}: {column.title}", cell.text, brief, cell, picture)
    yield from (Statement(section, table.caption, note, picture=picture) for note in table.notes)


@dataclass(frozen=True)
class Outputs:
    """Everything that can be asked of one store."""

    home: Path
    sessions: list[Session]
    address: str

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = {"PLIMSOLL_HOME": str(self.home), "PLIMSOLL_STORE": str(self.home / "r.db"), "COLUMNS": "2000"}
        return starter.run([*words, *(each.id for each in self.sessions)], self.home, os.environ | environment)

    def written(self, suffix: str) -> str:
        path = self.home / f"report{suffix}"
        assert self.run("report", "-o", str(path), "--force").returncode == 0
        return path.read_text()

    def fetched(self, path: str, **query: Any) -> str:
        answer = httpx.get(self.address + path, params=query, timeout=60)
        assert answer.status_code == 200, answer.text
        return answer.text

    @cached_property
    def evidence(self) -> Evidence:
        with open_store(str(self.home / "r.db")) as store:
            sessions = [store.find_session(each.id) for each in self.sessions]
            runs = store.runs([each.id for each in sessions])
        by = rules(sessions[0], None)
        return Evidence(sessions, runs, by.baseline, by.band)

    @cached_property
    def document(self) -> Document:
        return build_document(self.evidence)


@pytest.fixture(scope="module", params=list(SITUATIONS))
def outputs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outputs]:
    home = tmp_path_factory.mktemp(request.param)
    sessions, runs = SITUATIONS[request.param]()
    with open_store(str(home / "r.db")) as store:
        for session in sessions:
            add(store, session, [run for run in runs if run.session_id == session.id])
        with running(store, home / "uploads", public_read=True) as site:
            yield Outputs(home, sessions, site.address)


def plain(words: str) -> str:
    return " ".join(words.split())


def of_page(page: str) -> str:
    without = re.sub(r"<(style|script)\b.*?</\1>", " ", page, flags=re.DOTALL)
    # Spans keep words in one line; they part none.
    return plain(unescape(re.sub(r"<[^>]+>", " ", re.sub(r"</?span\b[^>]*>", "", without))))


def of_markdown(text: str) -> str:
    return plain(re.sub(r"\\([\\`*_\[\]|~#@])", r"\1", unescape(text)))


def missing(document: Document, shown: str, form: str) -> dict[str, str]:
    """The first words of each place that the format does not have; its reason, if it is listed, as key of nothing."""
    lacking: dict[str, str] = {}
    for each in statements(document):
        if form in ("terminal", "markdown") and each.picture:
            continue  # A terminal and a pull request have no pictures; what is in them is in a table or a sentence.
        said = {plain(each.words), plain(each.brief)} - {""}
        if form == "markdown":
            said |= {words.rstrip(".") for words in said}
        if not any(words in shown for words in said):
            lacking.setdefault(each.place, each.words)
    return lacking


def listed(place: str, form: str) -> str | None:
    """The entry of LEFT_OUT that a place falls under."""
    section, _, part = place.partition("/")
    caption, _, column = part.partition(": ")
    for entry in LEFT_OUT.get(form, {}):
        of, _, rest = entry.partition("/")
        name, _, columns = rest.partition(": ")
        if of == section and (not rest or rest == "*" or (name == caption and not columns)):
            return entry
        if of == section and name == caption and column in columns.split(", "):
            return entry
    return None


@pytest.mark.parametrize("form", ["terminal", "markdown", "html", "web"])
def test_a_format_says_everything_but_what_is_listed(outputs: Outputs, form: str) -> None:
    if form == "terminal":
        shown = plain(outputs.run("show").stdout)
    elif form == "markdown":
        shown = of_markdown(outputs.written(".md"))
    elif form == "html":
        shown = of_page(outputs.written(".html"))
    else:
        pages = [outputs.fetched(f"/sessions/{each.id}") for each in outputs.sessions]
        if len(pages) > 1:
            return  # Each session has a page of its own; what is said of both is on the page of the comparison, below.
        shown = of_page(pages[0])
    lacking = missing(outputs.document, shown, form)
    assert {place: words for place, words in lacking.items() if listed(place, form) is None} == {}


def test_nothing_is_listed_as_left_out_without_need() -> None:
    """An entry that outlives its reason would hide what is lost later."""
    used = set()
    for make in SITUATIONS.values():
        sessions, runs = make()
        document = build_document(Evidence(sessions, runs, None, 0.1))
        shown = {"terminal": plain(terminal.render(document, width=2000)), "markdown": of_markdown(markdown(document))}
        used |= {(form, listed(place, form)) for form in shown for place in missing(document, shown[form], form)}
    assert {(form, entry) for form, entries in LEFT_OUT.items() for entry in entries} == used


def _numbers(value: Any) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        if set(value) == {"value", "unit"}:
            yield value["value"], value["unit"]
        elif set(value) == {"value", "unit", "score", "ratio", "verdict"}:
            yield value["value"], value["unit"], value["score"], value["ratio"]
        elif set(value) == {"low", "high", "unit"}:
            yield value["low"], value["high"], value["unit"]
        else:
            yield from (found for each in value.values() for found in _numbers(each))
    elif isinstance(value, list):
        yield from (found for each in value for found in _numbers(each))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield plain(value)
    elif isinstance(value, dict):
        yield from (found for each in value.values() for found in _strings(each))
    elif isinstance(value, list):
        yield from (found for each in value for found in _strings(each))


def lacking_in_json(document: Document, told: Any) -> list[Statement]:
    numbers, strings = set(_numbers(told)), "\n".join(_strings(told))

    def there(each: Statement) -> bool:
        if isinstance(each.raw, Number):
            return (each.raw.value, each.raw.unit) in numbers
        if isinstance(each.raw, Judged):
            return (each.raw.value, each.raw.unit, each.raw.score, each.raw.ratio) in numbers
        if isinstance(each.raw, Span):
            return (each.raw.low, each.raw.high, each.raw.unit) in numbers
        return plain(each.words) in strings

    return [each for each in statements(document) if not there(each)]


def test_json_and_the_api_say_everything_with_raw_numbers(outputs: Outputs) -> None:
    told = json.loads(outputs.run("show", "--json").stdout)
    assert lacking_in_json(outputs.document, told) == []
    if len(outputs.sessions) == 1:
        assert json.loads(outputs.fetched(f"/api/v1/sessions/{outputs.sessions[0].id}/report")) == told


def test_csv_has_every_run_with_its_scores_status_and_findings(outputs: Outputs) -> None:
    """Verdicts have a CSV of their own, `compare --csv`; this one is a table of the scores of runs."""
    rows = list(csv.DictReader(io.StringIO(outputs.run("show", "--csv").stdout)))
    by_run: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        by_run.setdefault(row["run"], []).append(row)
    assert set(by_run) == {run.id for run in outputs.evidence.runs}
    for run in outputs.evidence.runs:
        own = by_run[run.id]
        assert {(row["case"], row["target"], row["status"], row["reason"]) for row in own} == {
            (run.plan.case, run.target.name, run.status.value, run.reason)
        }
        found = {(row["metric"], float(row["value"]), row["unit"]) for row in own if row["metric"]}
        assert found == {(score.metric, score.value, score.unit) for score in run.scores}
        for finding in run.findings:
            if finding.level is not Level.OK:
                assert all(f"{finding.level.value}: {finding.message}" in row["findings"] for row in own)


def test_the_api_has_every_run_with_its_findings(outputs: Outputs) -> None:
    for run in outputs.evidence.runs:
        told = json.loads(outputs.fetched(f"/api/v1/runs/{run.id}"))
        assert told["status"] == run.status.value
        assert [each["message"] for each in told["findings"]] == [each.message for each in run.findings]
        assert [(each["metric"], each["value"]) for each in told["scores"]] == [(s.metric, s.value) for s in run.scores]


def test_every_way_to_compare_gives_the_same_answers(outputs: Outputs) -> None:
    cells = outputs.evidence.cells
    if not cells:
        return
    wanted = [
        (cell.case, cell.metric, cell.target, cell.verdict.answer.value, cell.verdict.ratio, sentence(cell),
         [note.text for note in cell.notes if not note.in_sentence])
        for cell in cells
    ]  # fmt: skip
    found = json.loads(outputs.run("compare", "--json").stdout)
    assert [
        (row["test"], row["metric"], row["target"], row["answer"], row["ratio"], row["sentence"], row["notes"])
        for row in found[: len(cells)]
    ] == wanted
    rows = list(csv.DictReader(io.StringIO(outputs.run("compare", "--csv").stdout)))
    assert [
        (row["test"], row["metric"], row["answer"], row["sentence"], row["notes"]) for row in rows[: len(cells)]
    ] == [(case, metric, answer, said, "; ".join(notes)) for case, metric, _, answer, _, said, notes in wanted]
    text = outputs.run("compare", "--all")
    markdown = of_markdown(outputs.run("compare", "--format", "markdown").stdout)
    junit = plain(unescape(outputs.run("compare", "--format", "junit").stdout))
    published = {(each["case"], each["metric"], each["target"]): each for each in answers(outputs.evidence)["verdicts"]}
    for case, metric, target, answer, ratio, said, notes in wanted:
        assert said in text.stdout
        assert said in junit
        assert case in markdown
        assert (published[case, metric, target]["answer"], published[case, metric, target]["ratio"]) == (answer, ratio)
        assert published[case, metric, target]["sentence"] == said
        for note in notes:
            assert note in text.stdout
            assert note in markdown
            assert note in junit


def test_the_words_of_the_report_are_those_of_the_comparison(outputs: Outputs) -> None:
    """The verdict's word in the table, its sentence, and the gauge for a monitor stand for one answer."""
    cells = outputs.evidence.cells
    tables = [block for section in outputs.document.sections for block in section.blocks if isinstance(block, Table)]
    every = next((table for table in tables if table.caption == "Every comparison"), None)
    gauges = outputs.run("show", "--prometheus").stdout.splitlines()
    assert (every is None) == (not cells)
    for cell, row in zip(cells, every.rows if every else (), strict=True):
        withheld = cell.apart is not None and cell.apart.withheld
        assert row[2] is not None
        assert row[2].text == ("no verdict" if withheld else WORDS[cell.verdict.answer])
        about = f'case="{cell.case}",metric="{cell.metric}",target="{cell.target}",baseline="{cell.baseline}"'
        assert f'plimsoll_verdict{{{about},answer="{cell.verdict.answer.value}"}} 1.0' in gauges


def test_two_sessions_are_compared_on_the_page_and_by_the_api_as_in_the_terminal(outputs: Outputs) -> None:
    if len(outputs.sessions) == 1:
        return
    chosen = [f"{each.id}:{name}" for each in outputs.sessions for name in each.target_names]
    page = of_page(outputs.fetched("/compare", t=chosen))
    told = "\n".join(_strings(json.loads(outputs.fetched("/api/v1/compare", t=chosen))))
    terminal = plain(outputs.run("show", "--all").stdout)
    for section in outputs.document.sections:
        if section.id not in ("verdicts", "scores", "warnings"):
            continue
        for each in _of_section(section):
            if each.part in ("text", "warning"):
                assert plain(each.words) in page
                assert plain(each.words) in told
                assert plain(each.words) in terminal
