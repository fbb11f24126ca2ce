"""The report in a real browser, with scripts off: nothing is fetched, nothing overflows, everything can be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from tests.factories import many_cases
from tests.unit.report.studies import evidence, five, pair, quick, with_runs

from plimsoll.model import Run
from plimsoll.report import Evidence, build_document, render

LONG = "a-very-long-target-name-" * 8


def _many() -> Evidence:
    """A table of 20 tests and 5 targets."""
    cases, names = many_cases(20), ("gp2", "gp3", "io1", "io2", "nvme")
    places = [(name, case) for name in names for case in cases]
    ratios = {place: (0.4, 1.0, 1.7, 3.0)[i % 4] for i, place in enumerate(places)}
    return evidence(baseline="gp2", targets=names, cases=cases, blocks=3, ratios=ratios, title="twenty by five")


def _bursts() -> Evidence:
    """Nine targets of 100 runs each; three of them fall to a thirtieth when their credits end."""
    names = tuple(f"volume-{i}" for i in range(9))
    found = evidence(targets=names, cases=("randread",), blocks=100, title="bursts")
    fallen = [fall(run) if run.target.name in names[3:6] and run.block > 60 else run for run in found.runs]
    return with_runs(found, fallen)


def fall(run: Run) -> Run:
    scores = (each.model_copy(update={"value": each.value / 30}) for each in run.scores)
    return run.model_copy(update={"scores": tuple(scores)})


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    found = pair()
    long = [
        run.model_copy(
            update={
                "target": run.target.model_copy(
                    update={"name": f"{run.target.name}-{LONG}", "where": "/mnt/" + "x" * 300}
                ),
                "plan": run.plan.model_copy(update={"case": f"{run.plan.case} option={'y' * 200}"}),
                "reason": "z" * 300,
            }
        )
        for run in found.runs
    ]
    studies = {
        "one": quick(),
        "two": found,
        "five": five(),
        "many": _many(),
        "bursts": _bursts(),
        "long": with_runs(type(found)(found.sessions, long, None, 0.1), long),
    }
    written = {}
    for name, study in studies.items():
        written[name] = folder / f"{name}.html"
        render(build_document(study), "html", written[name])
    return written


def opened(
    browser: Browser, path: Path, width: int, scheme: str = "light", *, folded: bool = False
) -> tuple[Page, list[str]]:
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        java_script_enabled=False,
        color_scheme="dark" if scheme == "dark" else "light",
    )
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    if not folded:
        page.evaluate("() => document.querySelectorAll('details.evidence').forEach((each) => each.open = true)")
    return page, asked


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["one", "two", "five", "many", "bursts"])
def test_the_first_screen_has_answer_matrix_and_cautions(
    browser: Browser, pages: dict[str, Path], name: str, scheme: str
) -> None:
    page, _ = opened(browser, pages[name], 1300, scheme, folded=True)
    boxes = [box for each in page.locator(".lead").all() if (box := each.bounding_box())]
    assert len(boxes) == 3
    assert boxes[-1]["y"] + boxes[-1]["height"] <= 900
    assert page.locator(".evidence table:visible").count() == 0
    beyond = page.evaluate(
        """() => [...document.querySelectorAll(".lead td, .lead th")]
            .filter(each => each.scrollWidth > each.clientWidth + 1).map(each => each.textContent)"""
    )
    assert beyond == [], "no cell runs into its neighbour"
    if name != "five":
        found = "() => [...document.querySelectorAll('.lead .scroll')].map(each => each.scrollWidth - each.clientWidth)"
        assert max(page.evaluate(found), default=0) <= 1, "nothing has to be scrolled to the side"
    page.context.close()


OUTSIDE = """width => [...document.querySelectorAll("body, main, header, figure, .scroll, .sentences li")]
    .filter(each => {
        const { left, right } = each.getBoundingClientRect();
        return each.getClientRects().length === 0 || left < 0 || right > width + 1;
    })
    .map(each => each.outerHTML.slice(0, 80))"""
"""What is not shown, or not on the page."""


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("name", ["one", "two", "five", "long"])
def test_the_page_fits_and_fetches_nothing(browser: Browser, pages: dict[str, Path], name: str, width: int) -> None:
    page, asked = opened(browser, pages[name], width)
    assert asked == [pages[name].as_uri()]
    assert page.evaluate(OUTSIDE, width) == []
    # The page itself cannot be moved sideways.
    page.mouse.move(width / 2, 300)
    page.mouse.wheel(400, 0)
    box = page.locator("h1").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    page.context.close()


SIZES = """() => [...document.querySelectorAll("svg.chart")].map(svg => {
    const { width, height } = svg.getBoundingClientRect();
    const font = parseFloat(getComputedStyle(svg).fontSize) * svg.clientWidth / 340;
    return { shown: svg.checkVisibility({ visibilityProperty: true }), width, height, font };
})"""


@pytest.mark.parametrize("width", [360, 1280])
def test_all_charts_are_visible_and_of_readable_size(browser: Browser, pages: dict[str, Path], width: int) -> None:
    page, _ = opened(browser, pages["five"], width)
    charts = page.evaluate(SIZES)
    # Those that only a browser with scripts draws say so.
    waiting = page.locator("p.still")
    assert len(charts) + waiting.count() > 20
    assert page.locator("p.still:visible").count() == waiting.count()
    for chart in charts:
        assert chart["shown"]
        assert 320 <= chart["width"] <= 580
        assert chart["height"] > 100
        assert 10 <= chart["font"] <= 15
    page.context.close()


@pytest.mark.parametrize("width", [1000, 1280])
@pytest.mark.parametrize("name", ["two", "five"])
def test_charts_use_the_width_of_the_page(browser: Browser, pages: dict[str, Path], name: str, width: int) -> None:
    page, _ = opened(browser, pages[name], width)
    main = page.locator("main").bounding_box()
    assert main is not None
    for grid in page.locator(".charts").all():
        boxes = [
            box for each in grid.locator("svg.chart, figure[data-alone] .scroll").all() if (box := each.bounding_box())
        ]
        if len(boxes) > 1:
            assert max(box["x"] + box["width"] for box in boxes) - main["x"] > 0.95 * main["width"]
    page.context.close()


@pytest.mark.parametrize("name", ["two", "five"])
def test_the_answers_are_in_sight_on_a_telephone(browser: Browser, pages: dict[str, Path], name: str) -> None:
    page, _ = opened(browser, pages[name], 380)
    page.locator("#verdicts details summary").click()
    head = page.locator("#verdicts thead th", has_text="Verdict").bounding_box()
    assert head is not None
    assert head["x"] + head["width"] <= 380
    page.context.close()


LABELS = """chart => {
    const { left, right } = chart.getBoundingClientRect();
    const labels = [...chart.querySelectorAll("text")].map(each => {
        const { left, right } = each.getBoundingClientRect();
        return { words: each.textContent, shown: each.getClientRects().length > 0, left, right };
    });
    return { left, right, labels };
}"""


def test_labels_stay_inside_their_charts(browser: Browser, pages: dict[str, Path]) -> None:
    page, _ = opened(browser, pages["long"], 360)
    charts = page.locator("svg.chart").evaluate_all(f"all => all.map({LABELS})")
    assert charts
    for found in charts:
        assert found["labels"]
        for label in found["labels"]:
            assert label["shown"], label
            assert label["left"] >= found["left"] - 2, label
            assert label["right"] <= found["right"] + 2, label
    page.context.close()


HEIGHTS = """() => [...document.querySelectorAll(":is(section, .evidence > div) > .scroll > table")]
    .map(table => !table.checkVisibility() ? [] : [...table.querySelectorAll("tbody tr")]
        .map(row => row.getBoundingClientRect().height))"""
"""Of the rows of each table; none where it is not shown."""


@pytest.mark.parametrize("width", [360, 1280])
def test_tables_are_readable_and_the_data_of_charts_opens(browser: Browser, pages: dict[str, Path], width: int) -> None:
    page, _ = opened(browser, pages["two"], width)
    tables = page.evaluate(HEIGHTS)
    assert all(tables), "each is shown, and has rows"
    # A cell is never squeezed to a column of letters.
    assert max(max(heights) for heights in tables) < 200
    details = page.locator("figure:not([data-alone]) details").first
    assert not details.locator("table").is_visible()
    details.locator("summary").click()
    assert details.locator("table").is_visible()
    page.context.close()


@pytest.mark.parametrize("width", [390, 1300])
@pytest.mark.parametrize("name", ["two", "five", "many", "long"])
def test_no_cell_of_the_table_of_tests_lies_over_another(
    browser: Browser, pages: dict[str, Path], name: str, width: int
) -> None:
    page, _ = opened(browser, pages[name], width)
    wider = page.evaluate(
        "() => [...document.querySelectorAll('.lead table:has(.judged) :is(th, td)')]"
        ".filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.textContent.slice(0, 60))"
    )
    assert wider == []
    assert page.evaluate("() => document.querySelectorAll('.lead table:has(.judged) td').length")
    page.context.close()


@pytest.mark.parametrize("name", ["two", "five"])
def test_the_contents_list_leads_to_every_section(browser: Browser, pages: dict[str, Path], name: str) -> None:
    page, _ = opened(browser, pages[name], 360, folded=True)
    links = page.locator("nav a").all()
    assert len(links) == page.locator("main > section:not(.lead)").count()
    links[-1].click()
    assert page.locator("#data table").first.is_visible()  # what was folded is open now
    box = page.locator("#data").bounding_box()
    assert box is not None
    assert -1 <= box["y"] < 900
    page.context.close()


CONTRASTS = """() => {
  const parse = colour => colour.match(/[0-9.]+/g).map(Number);
  const part = value => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  const background = element => {
    for (; element; element = element.parentElement) {
      const colour = parse(getComputedStyle(element).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const WORDS = 'h1, p, li, a, th, td, caption, figcaption, summary, svg.chart text';
  const found = [];
  for (const element of document.querySelectorAll(WORDS)) {
    if (!element.checkVisibility() || !element.textContent.trim()) continue;
    const style = getComputedStyle(element);
    const own = luminance(parse(element instanceof SVGElement ? style.fill : style.color));
    const other = luminance(background(element));
    const contrast = (Math.max(own, other) + 0.05) / (Math.min(own, other) + 0.05);
    found.push([contrast, element.textContent.trim().slice(0, 40)]);
  }
  return found;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_words_have_the_contrast_that_eyes_need(browser: Browser, pages: dict[str, Path], scheme: str) -> None:
    page, _ = opened(browser, pages["two"], 1280, scheme)
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 500
    assert min(contrasts)[0] >= 4.5, min(contrasts)
    dark = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    assert dark == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 29)"}[scheme]
    page.context.close()


BEYOND_THE_PAPER = """() => [...document.querySelectorAll("th, td, p, li, pre, svg.chart")]
    .filter((each) => each.checkVisibility())
    .filter((each) => each.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
    .map((each) => each.textContent.slice(0, 60))"""


@pytest.mark.parametrize("name", ["one", "two", "five", "long"])
def test_the_page_prints(browser: Browser, pages: dict[str, Path], name: str) -> None:
    a4 = 718
    page, _ = opened(browser, pages[name], a4, folded=True)
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    assert page.locator("#method table").first.is_visible()  # folded on the screen
    assert page.locator("svg.chart").first.is_visible()
    page.evaluate("() => document.querySelectorAll('section > details').forEach((each) => each.open = true)")
    assert page.evaluate(BEYOND_THE_PAPER) == []
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.context.close()
