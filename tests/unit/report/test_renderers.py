"""The formats: what they promise for every document, hostile ones included."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tests.unit.report import situations
from tests.unit.report.studies import pair, quick, told

from plimsoll.errors import UnknownName, UsageError
from plimsoll.model import Finding, Level, Run, RunStatus, Score
from plimsoll.report import Evidence, build_document, format_of, formats, render, write_charts
from plimsoll.report.document import Document, columns, number, phrase, span
from plimsoll.report.document import Table as DocumentTable
from plimsoll.report.renderers import terminal
from plimsoll.report.renderers.json import as_json

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&amp;{{7*7}}\x1b[31m|\x00\u202e=1+1 [x](javascript:a)"
)


class Page(HTMLParser):
    """Tags and attributes of a page, and whether they are closed in order."""

    VOID = frozenset({"meta", "br", "img", "link", "input"})
    ENDS = (("td", ("td",)), ("th", ("td",)), ("tr", ("td", "tr")), ("tbody", ("td", "tr")))
    """What the beginning of a cell or row, and the end of a table's body, close by the rules of HTML."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in ("td", "th", "tr"):
            self.close_before(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def close_before(self, tag: str) -> None:
        for each in dict(self.ENDS).get(tag, ()):
            if self.open[-1] == each:
                self.open.pop()

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag == "tbody":
            self.close_before(tag)
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def hostile_run(run: Run) -> Run:
    """The run with hostile words in every field that can hold words."""
    target = run.target.model_copy(
        update={
            "name": f"{run.target.name} {HOSTILE}",
            "where": HOSTILE,
            "kind": HOSTILE,
            "options": {HOSTILE: HOSTILE},
            "facts": {HOSTILE: HOSTILE, "nested": {HOSTILE: [HOSTILE]}},
        }
    )
    parameters = run.plan.parameters | {HOSTILE: HOSTILE, "distribution": {HOSTILE: HOSTILE}}
    plan = run.plan.model_copy(update={"test": HOSTILE, "case": f"{run.plan.case} {HOSTILE}", "parameters": parameters})
    findings = tuple(Finding(guard=HOSTILE, level=level, message=HOSTILE, advice=HOSTILE) for level in Level)
    extra = Score(metric=HOSTILE, value=1.0, unit="1", direction="higher")
    histograms = {f"{kind} {HOSTILE}": content for kind, content in run.histograms.items()}
    changes: dict[str, Any] = {"target": target, "plan": plan, "findings": findings, "reason": HOSTILE}
    return run.model_copy(update=changes | {"scores": (*run.scores, extra), "histograms": histograms})


@pytest.fixture(scope="module")
def usual() -> Document:
    return build_document(pair())


@pytest.fixture(scope="module")
def hostile() -> Document:
    found = pair()
    session = found.sessions[0].model_copy(
        update={
            "title": HOSTILE,
            "plimsoll_version": HOSTILE,
            "host": {HOSTILE: HOSTILE},
            "study": {"title": HOSTILE, HOSTILE: [HOSTILE], "mode": HOSTILE, "seed": HOSTILE, "nothing": None},
        }
    )
    return build_document(Evidence([session], [hostile_run(run) for run in found.runs], None, 0.1))


def test_every_renderer_is_a_format() -> None:
    assert sorted(formats()) == ["csv", "html", "json", "markdown", "terminal"]
    assert [format_of(Path(f"x{module.SUFFIX}")) for module in formats().values()] == list(formats())


@pytest.mark.parametrize("name", ["csv", "html", "json", "markdown", "terminal"])
def test_control_characters_reach_no_format(hostile: Document, name: str) -> None:
    written = told(render(hostile, name))
    assert not set(written) & {"\x1b", "\x00", "\u202e"}
    written.encode()


def test_hostile_words_stay_words_on_the_page(hostile: Document) -> None:
    page = Page(render(hostile, "html"))
    assert not page.open
    names = {tag for tag, _ in page.tags}
    assert not names & {"img", "iframe", "object", "embed", "link", "form", "base", "foreignobject"}
    attributes = {name for _, found in page.tags for name in found}
    assert not any(name.startswith("on") or name in ("src", "srcdoc", "xlink:href") for name in attributes)
    # Three scripts of our own run, and no other: the policy names them by their content. The others are data.
    kinds = [found for tag, found in page.tags if tag == "script"]
    assert [found for found in kinds if found != {"type": "application/json"}] == [{}, {}, {}]
    links = {found["href"] for tag, found in page.tags if tag == "a"}
    assert all(link and link.startswith("#") for link in links)
    assert "<script>alert(1)</script>" in "".join(page.words)
    assert "{{7*7}}" in "".join(page.words)


def test_hostile_words_stay_words_in_a_pull_request(hostile: Document) -> None:
    written = render(hostile, "markdown")
    outside_of_listings = "".join(written.split("```")[::2])
    assert "<script" not in outside_of_listings
    assert "<img" not in outside_of_listings
    assert not re.search(r"(?<!\\)\]\(", outside_of_listings)


def test_hostile_words_break_no_picture(hostile: Document) -> None:
    for chart in hostile.charts:
        ElementTree.fromstring(chart.svg())


def test_the_page_needs_nothing_else(usual: Document) -> None:
    page = Page(render(usual, "html"))
    written = told(render(usual, "html"))
    assert "http" not in written.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    assert "@import" not in written
    assert "url(" not in written
    policy = next(found["content"] for tag, found in page.tags if found.get("http-equiv") == "Content-Security-Policy")
    assert policy
    assert policy.startswith("default-src 'none'")


def test_the_page_is_accessible(usual: Document) -> None:
    page = Page(render(usual, "html"))
    found = [tag for tag, _ in page.tags]
    assert found.count("h1") == 1
    assert {"main", "header", "nav", "figure", "figcaption", "details"} <= set(found)
    assert found.count("caption") == found.count("table")
    pictures = [attributes for tag, attributes in page.tags if tag == "svg" and "aria-hidden" not in attributes]
    drawn = [attributes["data-label"] for _, attributes in page.tags if "data-label" in attributes]
    assert all(drawn)
    assert {each.get("aria-label") for each in pictures} | set(drawn) == {chart.description for chart in usual.charts}
    assert all(attributes.get("role") == "img" and attributes.get("aria-label") for attributes in pictures)
    names = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(names) == len(set(names))
    targets = {attributes["href"] for tag, attributes in page.tags if tag == "a"}
    assert {str(target).removeprefix("#") for target in targets} <= set(names)


def test_every_chart_is_followed_by_its_data(usual: Document) -> None:
    written = render(usual, "html")
    assert written.count("<summary>Data of this chart</summary>") == len(usual.charts)
    for chart in usual.charts:
        assert chart.data.rows, chart.id


def test_json_has_no_nan_and_a_stable_head(hostile: Document, usual: Document) -> None:
    for document in (hostile, usual):
        written = render(document, "json")
        found = json.loads(written, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
        assert (found["format"], found["version"]) == ("plimsoll-report", 1)
        assert list(found) == ["format", "version", "title", "subtitle", "sections", "scores"]
    cell = as_json(usual)["scores"]["rows"][0]["value"]
    assert cell is None or set(cell) == {"value", "unit"}


def test_csv_has_a_line_per_score_with_unit(usual: Document) -> None:
    rows = list(csv.DictReader(io.StringIO(render(usual, "csv"))))
    found = pair()
    assert len(rows) == sum(max(1, len(run.scores)) for run in found.runs)
    scored = [row for row in rows if row["metric"]]
    assert {row["unit"] for row in scored} == {"1/s", "B/s", "ns"}
    by_run = {(run.id, score.metric): score.value for run in found.runs for score in run.scores}
    assert all(float(row["value"]) == by_run[row["run"], row["metric"]] for row in scored)
    failed = [row for row in rows if row["status"] == RunStatus.FAILED.value]
    assert failed
    assert all(row["value"] == "" and row["reason"] for row in failed)


def test_csv_starts_no_formula() -> None:
    table = DocumentTable("", columns("A", ">B"), ((phrase("=1+1"), number(-3, "1")), (phrase("@x"), None)))
    document = Document("", "", (), lambda: table)
    assert render(document, "csv").splitlines() == ["a,b", "'=1+1,-3", "'@x,"]


@pytest.mark.parametrize("width", [60, 80, 100, 160])
def test_the_terminal_report_fits_its_terminal(usual: Document, width: int) -> None:
    lines = terminal.render(usual, width=width).splitlines()
    assert max(map(len, lines)) <= width


def test_the_terminal_shows_answers_scores_and_warnings_only(usual: Document) -> None:
    written = terminal.render(build_document(quick()))
    assert "Scores" in written
    assert "Environment" not in written
    assert "slower than nvme" in terminal.render(usual)


def test_the_outages_of_a_server_fit_a_terminal() -> None:
    sessions, runs = situations.databases()
    away = {"outages": [{"start_ns": 4 * 10**9, "duration_ns": 15 * 10**9, "back": False}]}
    lost = [run.model_copy(update={"facts": {**run.facts, **away}}) for run in runs]
    text = terminal.render(build_document(Evidence(sessions, lost, None, 0.1), short=True), 80)
    assert all(word in text.split("Outages")[1].split("──")[0] for word in ("Target", "Without service", "Writes lost"))
    assert "Outages" not in terminal.render(build_document(Evidence(sessions, runs, None, 0.1), short=True), 80)


def test_cells_without_a_finite_number_are_absent() -> None:
    assert number(float("nan"), "1") is None
    assert number(None, "ns") is None
    assert span(1.0, float("inf"), "x", "") is None


def test_a_row_must_fit_its_columns() -> None:
    with pytest.raises(ValueError, match="1 cells under 2 columns"):
        DocumentTable("t", columns("A", "B"), ((phrase("x"),),))


def test_unknown_formats_name_the_nearest(usual: Document) -> None:
    with pytest.raises(UnknownName, match="did you mean 'html'"):
        render(usual, "htm")
    with pytest.raises(UnknownName, match="report format"):
        format_of(Path("report.docx"))


def test_files_are_written_whole_or_not_at_all(usual: Document, tmp_path: Path) -> None:
    path = tmp_path / "new" / "report.md"
    assert render(usual, "markdown", path) == path.read_text()
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write"):
        render(usual, "markdown", tmp_path / "file" / "report.md")
    assert [each.name for each in path.parent.iterdir()] == ["report.md"]


def test_charts_are_exported_as_svg_and_png(tmp_path: Path) -> None:
    document = build_document(quick())
    few = Document(document.title, "", (document.sections[3],), document.make_scores)
    written = write_charts(few, tmp_path / "charts")
    assert len(written) == 2 * len(few.charts)
    for path in written:
        content = path.read_bytes()
        assert content.startswith(b"<svg" if path.suffix == ".svg" else b"\x89PNG")
        assert len(content) > 1000


PYTHON_SPELLING = re.compile(r"(?<![\w“”])(None|True|False)(?!\w)|\['|\{'|'\}|'\]|dict\(|datetime\.")


@pytest.mark.parametrize("name", ["csv", "html", "json", "markdown", "terminal"])
def test_no_value_is_written_as_python_writes_it(name: str) -> None:
    """Facts of imported and older sessions hold lists of records, flags and nothing at all."""
    found = pair()
    facts = {
        "flag": True,
        "none": None,
        "devices": [{"name": "sda", "size_bytes": 2**40, "rotational": False}],
        "x": [],
    }
    values = {"size": None, "odd": {"a": [1, None]}, "flag": True, "names": ["a", "b"], "engine": None}
    runs = [
        run.model_copy(
            update={
                "target": run.target.model_copy(update={"facts": facts}),
                "plan": run.plan.model_copy(update={"parameters": run.plan.parameters | values}),
            }
        )
        for run in found.runs
    ]
    host = {"flags": [{"a": True}], "nested": {"deep": {"list": [None, True]}}}
    sessions = [found.sessions[0].model_copy(update={"host": host})]
    written = told(render(build_document(Evidence(sessions, runs, "nvme", 0.1)), name))
    said = re.sub(r"```.*?```|<pre.*?</pre>", "", written, flags=re.DOTALL)  # a study file is TOML
    assert not PYTHON_SPELLING.search(said), PYTHON_SPELLING.search(said)
    if name in ("html", "markdown"):
        assert "name sda, size 1 TiB, rotational no" in said
