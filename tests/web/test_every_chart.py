"""Each kind of chart in a real browser: few and many points, short and long names, and all that it can be asked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.web.geometry import check_geometry

from plimsoll.report import Document, render
from plimsoll.report.charts import bars, heat, history, latency, lines, load_line, stretches, strips
from plimsoll.report.charts.vega import Spec, Vega
from plimsoll.report.document import Chart, Section, Table, columns, phrase

SIXTY = "a-name-of-sixty-characters-that-is-as-long-as-names-may-get-"
DATA = Table("Data", columns("What"), ((phrase("numbers"),),))


def named(count: int, name: str = SIXTY) -> list[str]:
    return [f"{name}{i}" for i in range(count)]


def decade(i: int) -> float:
    """Six decades, in an order that is none."""
    return 10.0 ** (i * 5 % 7)


def of_lines(points: int, targets: int, unit: str = "1/s", name: str = SIXTY) -> Spec:
    each = max(1, points // targets)
    found = [
        lines.Line(t, f"run {t}", [(float(k), decade(t) * (2 + k % 7)) for k in range(each)]) for t in range(targets)
    ]
    if unit == "%":
        found = [lines.Line(each.target, each.called, [(x, x % 100) for x, _ in each.points]) for each in found]
    return lines.over_time(found, named(targets, name), unit, what="latency" if unit == "ns" else "")


def of_capacity(points: int, targets: int, name: str = SIXTY) -> Spec:
    each = max(1, points // targets)
    found = [lines.Line(t, f"{t}", [(k * 2.0**30, 1e8 * (t + 1) + k) for k in range(each)]) for t in range(targets)]
    return lines.over_capacity(found, named(targets, name), "B/s")


def of_strips(points: int, targets: int, name: str = SIXTY) -> Spec:
    blocks = max(1, points // targets)
    found = [
        strips.Point(b, t, None if b % 50 == 3 else decade(t) * (1 + b % 3), b % 9 != 4, "none")
        for b in range(blocks)
        for t in range(targets)
    ]
    return strips.spec(found, [str(b + 1) for b in range(blocks)], named(targets, name), "1/s")


def of_latency(points: int, targets: int, name: str = SIXTY) -> Spec:
    names = named(targets, name)
    count = min(points, 60)
    curves = {n: [(10 ** (k / 8), 100 * decade(t) * (1 + k / 8)) for k in range(count)] for t, n in enumerate(names)}
    return latency.spec(curves, names)


def curves(points: int, targets: int, name: str = SIXTY) -> list[load_line.Curve]:
    def level(t: int, load: int) -> load_line.Level:
        rate = decade(t) * min(load, 5 + t)
        return load_line.Level(
            load, rate, 1e5, 1e5 * decade(t) * (1 + load / 10), f"depth {load}", f"{rate:,.0f}/s", ""
        )

    knee = (4.0, 5.0, 6.5)
    found = [[level(t, k + 1) for k in range(min(points, 24))] for t in range(targets)]
    return [
        load_line.Curve(n, levels, knee, ("objective p99 < 5 ms", 5e6))
        for n, levels in zip(named(targets, name), found, strict=True)
    ]


def of_bars(points: int, targets: int, name: str = SIXTY) -> Spec:
    rows = min(10, max(1, points // targets))
    found = [
        bars.Bar(r, t, value, f"{value:,.0f}/s")
        for r in range(rows)
        for t in range(targets)
        for value in [decade(r + t)]
    ]
    return bars.spec(found, [f"{SIXTY}{r}" if r else "read" for r in range(rows)], named(targets, name), "1/s", "")


def of_stretches(points: int, targets: int, name: str = SIXTY) -> Spec:
    found = [stretches.Stretch(k % 3, k % targets, float(k), k + 1.0) for k in range(points)]
    return stretches.spec(found, ["IOPS of volume", SIXTY, "nothing"], named(targets, name), "second")


def of_history(points: int, places: int, name: str = "") -> Spec:
    del name
    found = [
        history.Point(20_000 + 3 * k, 0.9 * v, 1.1 * v, [] if k % 11 == 5 else [v], k * places // points, f"{k}")
        for k in range(points)
        for v in [decade(k * places // points) * (10 + k % 3)]
    ]
    last = 20_000 + 3 * (points - 1)
    levels = [history.Level(20_000, last, found[0].high)] if points > 5 else []
    return history.spec(
        found, levels, [20_000 + last / 2e9] if places > 1 else [], [(last, "▲")] if levels else [], "1/s"
    )


def of_heat(points: int, count: int, name: str = SIXTY) -> Spec:
    del count
    names = [f"2026-01-{i:02}" if i else name[:10] or "x" for i in range(min(points, 60))]
    tiles = [
        (i, 10 ** (k / 8 + 3), 10 ** ((k + 1) / 8 + 3), k % 7, "1 %") for i in range(len(names)) for k in range(40)
    ]
    return heat.spec(tiles, names, (1e3, 1e8), ("below", *map(str, range(6))), "session")


KINDS: dict[str, Callable[[int, int, str], Spec]] = {
    "rates": lambda points, targets, name: of_lines(points, targets, "1/s", name),
    "durations": lambda points, targets, name: of_lines(points, targets, "ns", name),
    "shares": lambda points, targets, name: of_lines(points, targets, "%", name),
    "capacity": of_capacity,
    "strips": of_strips,
    "latency": of_latency,
    "load-latency": lambda points, targets, name: load_line.latency(curves(points, targets, name), "1/s"),
    "load-throughput": lambda points, targets, name: load_line.throughput(
        curves(points, targets, name), "1/s", "clients", offered=targets == 1
    ),
    "bars": of_bars,
    "stretches": of_stretches,
    "history": of_history,
    "heat": of_heat,
}


@contextmanager
def opened(browser: Browser, folder: Path, specs: dict[str, Spec], width: int = 1280) -> Iterator[Page]:
    """A page of these charts, all of them drawn, with nothing to warn of."""
    charts = [Chart(name, name, name, DATA, lambda spec=spec: Vega(spec)) for name, spec in specs.items()]
    section = Section("own", "Own", tuple(charts), lead=True)
    path = folder / "charts.html"
    render(Document("title", "subtitle", (section,), make_scores=lambda: DATA), "html", path)
    page = browser.new_page(viewport={"width": width, "height": 900})
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    try:
        page.goto(path.as_uri())
        expect(page.locator(".vega:not(.drawn)")).to_have_count(0, timeout=30_000)
        yield page
        assert wrong == [], wrong
    finally:
        page.close()


@pytest.mark.parametrize(("points", "targets"), [(1, 1), (3, 1), (12, 3), (600, 2), (600, 12), (20_000, 12)])
def test_few_and_many_points_of_one_and_of_twelve_targets(
    browser: Browser, tmp_path: Path, points: int, targets: int
) -> None:
    specs = {kind: make(points, targets, SIXTY) for kind, make in KINDS.items()}
    for width in (390, 1280):
        with opened(browser, tmp_path, specs, width) as page:
            for kind in KINDS:
                picture = page.locator(f"#{kind} .live svg")
                check_geometry(picture, width, kind)
                # What is drawn can be told apart.
                symbols = picture.locator(".mark-symbol.role-mark path").count()
                assert symbols <= (1500 if kind in ("latency", "load-latency") else 1000), kind


def test_whoever_looks_closer_sees_each_point(browser: Browser, tmp_path: Path) -> None:
    kinds = ("rates", "durations", "capacity", "strips", "history")
    with opened(browser, tmp_path, {kind: KINDS[kind](600, 1, "t") for kind in kinds}) as page:
        for kind in kinds:
            place = page.locator(f"#{kind}")
            assert place.locator(".mark-area.role-mark path[d]:not([d=''])").count() > 0, kind
            last = place.locator("input[type=range]").nth(1)
            top = float(last.get_attribute("max") or "0")
            last.fill(str(top / 6))
            expect(place.locator(".mark-area.role-mark path[d]:not([d=''])")).to_have_count(0)
            assert place.locator(".mark-symbol.role-mark path").count() > 60, kind


def marks(place: Locator) -> int:
    return place.locator(".live .role-mark path[d]:not([d='']), .live .role-mark line").count()


SWITCHED = (
    "rates",
    "durations",
    "capacity",
    "strips",
    "latency",
    "load-latency",
    "load-throughput",
    "bars",
    "stretches",
)


def test_targets_are_hidden_and_shown_by_mouse_and_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, {kind: KINDS[kind](30, 3, "t") for kind in SWITCHED}) as page:
        for kind in SWITCHED:
            place = page.locator(f"#{kind}")
            boxes = [box for box in place.locator("input[type=checkbox]").all() if "Logarithmic" not in label(box)]
            before = marks(place)
            boxes[1].click()
            page.wait_for_timeout(100)
            fewer = marks(place)
            assert fewer < before, kind
            boxes[1].press("Space")
            page.wait_for_timeout(100)
            assert marks(place) == before, kind
            for box in boxes:
                box.press("Space")
            page.wait_for_timeout(100)
            assert place.locator(".live svg").is_visible(), kind
            assert marks(place) < fewer, kind


def label(box: Locator) -> str:
    return box.evaluate("box => box.closest('label').textContent")


RANGED = ("rates", "durations", "shares", "capacity", "strips", "stretches", "history")


def test_a_part_is_chosen_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, {kind: KINDS[kind](60, 1, "t") for kind in RANGED}) as page:
        for kind in RANGED:
            place = page.locator(f"#{kind}")
            axis = place.locator(".role-axis-label text")
            before, words = marks(place), axis.all_text_contents()
            first = place.locator("input[type=range]").first
            first.focus()
            for _ in range(12):
                page.keyboard.press("PageUp" if kind != "strips" else "ArrowRight")
            page.wait_for_timeout(150)
            assert axis.all_text_contents() != words, kind
            assert kind == "history" or marks(place) <= before
            assert first.evaluate("box => document.activeElement === box"), kind


SCALED = ("rates", "durations", "capacity", "strips", "latency", "load-latency", "load-throughput", "history")


def test_the_axis_is_switched_by_mouse_and_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, {kind: KINDS[kind](30, 2, "t") for kind in SCALED}) as page:
        for kind in SCALED:
            place = page.locator(f"#{kind}")
            box = place.get_by_role("checkbox", name="Logarithmic")
            title = place.locator(".role-axis-title text")
            first = box.is_checked()
            assert is_logarithmic(title) == first, kind
            box.click()
            page.wait_for_timeout(300)
            check_geometry(place.locator(".live svg"), 1280, kind)
            assert is_logarithmic(title) != first, kind
            box = place.get_by_role("checkbox", name="Logarithmic")
            box.press("Space")
            page.wait_for_timeout(300)
            assert place.get_by_role("checkbox", name="Logarithmic").is_checked() == first, kind
            assert box.evaluate("box => document.activeElement === box"), kind


def is_logarithmic(title: Locator) -> bool:
    """What the axis itself says."""
    return "logarithmic" in " ".join(title.all_text_contents()).replace("clients, logarithmic", "")


TOLD = {
    "rates": ("run 0", "Seconds", "Rate in"),
    "durations": ("run 0", "Value", "ns"),
    "capacity": ("Position, gib",),
    "strips": ("block ", "Score in", "Finding"),
    "latency": ("Percentile", "p", "Latency"),
    "load-latency": ("depth 5", "p99", "Throughput"),
    "load-throughput": ("depth 5", "p50"),
    "bars": ("Part", "Target", "Score"),
    "stretches": ("Held back by", "nothing", "Share of that time"),
    "history": ("Session", "Lowest", "Highest"),
    "heat": ("Column", "Latency", "ms", "Share"),
}


def test_hovering_says_what_it_is(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, {kind: KINDS[kind](12, 1, "t") for kind in TOLD}) as page:
        for kind, words in TOLD.items():
            layer = ".mark-rect" if kind in ("bars", "stretches", "heat") else ".mark-symbol"
            mark = page.locator(f"#{kind} .live {layer}.role-mark path").last
            mark.scroll_into_view_if_needed()
            mark.hover(force=True)
            expect(page.locator("#vg-tooltip-element.visible"), kind).to_have_count(1)
            told = page.locator("#vg-tooltip-element").inner_text()
            assert all(word in told for word in words), (kind, told)
            page.mouse.move(0, 0)


ODD = (math.nan, math.inf, -math.inf, 0.0, -5.0, 1e12)


def odd(unit: str) -> Spec:
    return lines.over_time([lines.Line(0, "r", list(enumerate(ODD)))], ["t"], unit, what="x")


def test_missing_infinite_zero_and_negative_values_draw_what_is_true(browser: Browser, tmp_path: Path) -> None:
    levels = [
        load_line.Level(1, 0.0, None, 1e5, "depth 1", "0/s", ""),
        load_line.Level(2, 5.0, 1e4, None, "depth 2", "5/s", ""),
    ]
    curve = load_line.Curve("t", levels, None, None)
    specs = {
        "rates": odd("1/s"),
        "bars": bars.spec(
            [bars.Bar(i, 0, value, str(value)) for i, value in enumerate(ODD)], [str(v) for v in ODD], ["t"], "1/s", ""
        ),
        "strips": strips.spec(
            [strips.Point(i, 0, v, True, "none") for i, v in enumerate(ODD)], list("abcdef"), ["t"], "1/s"
        ),
        "zero": lines.over_time([lines.Line(0, "r", [(0.0, 0.0), (1.0, 0.0)])], ["t"], "1/s"),
        "load-latency": load_line.latency([curve], "1/s"),
        "load-throughput": load_line.throughput([curve], "1/s", "clients", offered=False),
        "latency": latency.spec({"t": [(1.0, 0.0), (10.0, 0.0)]}, ["t"]),
    }
    with opened(browser, tmp_path, specs) as page:
        for kind in specs:
            check_geometry(page.locator(f"#{kind} .live svg"), 1280, kind)
        assert words_of(page, "bars") == ["0.0", "1000000000000.0"]
        assert page.locator("#rates .mark-symbol.role-mark path").count() == 3
        # Those without a score stand above their columns.
        assert words_of(page, "strips") == ["✕", "✕", "✕"]


def words_of(page: Page, kind: str) -> Sequence[str]:
    return page.locator(f"#{kind} .live .mark-text.role-mark text").all_text_contents()


def test_names_of_strangers_are_only_names(browser: Browser, tmp_path: Path) -> None:
    hostile = (
        "</script><script>document.title='owned'</script>'+alert(1)+'<img src=x onerror=alert(1)>\u202e" + "x" * 4000
    )
    with opened(browser, tmp_path, {kind: make(12, 3, hostile) for kind, make in KINDS.items()}) as page:
        assert page.title() != "owned"
        assert page.locator("main img").count() == 0
        assert "\u202e" not in page.locator("body").inner_text()
