import re
from xml.etree import ElementTree

import pytest

from plimsoll.report import scales
from plimsoll.report.canvas import LABEL_LIMIT, WIDTH, Canvas, shortened, text_width

HOSTILE = "<script>alert(1)</script> & \"'\x1b\x00 ]]>"


def drawn(names: list[str]) -> Canvas:
    canvas = Canvas(scales.values([1, 5], "1/s"), scales.names(names), height=200, rows=True)
    canvas.symbols([(2, 0)], "#0067b1", "circle")
    canvas.words(5, 0, HOSTILE)
    return canvas


@pytest.mark.parametrize("name", ["plain", HOSTILE, "x" * 500, "長い名前" * 40, ""])
def test_pictures_are_well_formed_whatever_the_names(name: str) -> None:
    for picture in (
        drawn([name, name]).svg(name, name, [name, "b"]),
        drawn([name]).inline(name).replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"'),
    ):
        root = ElementTree.fromstring(picture)
        tags = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert tags <= {"svg", "g", "path", "rect", "text"}
        assert root.attrib["role"] == "img"
        assert not any(key.startswith("on") for element in root.iter() for key in element.attrib)


def test_words_stay_inside_the_picture() -> None:
    canvas = drawn(["x" * 500])
    assert canvas.left <= LABEL_LIMIT + 10
    place = re.search(r'<text x="([\d.]+)" y="[\d.]+" fill="#1d2329"', canvas.inline(""))
    assert place
    assert float(place[1]) + text_width(HOSTILE.replace("\x1b", "?").replace("\x00", "?")) <= WIDTH + 1


def test_labels_that_would_touch_are_left_out() -> None:
    crowded = Canvas(scales.names([f"block {i}" for i in range(40)], "block"), scales.values([1], "1/s"))
    labels = [label for _, label in crowded._apart()]
    assert labels[0] == "block 0"
    assert len(labels) < 10


def test_long_words_end_with_an_ellipsis() -> None:
    assert shortened("short", 100) == "short"
    cut = shortened("a very long name indeed", 60)
    assert cut.endswith("…")
    assert text_width(cut) <= 61


def test_the_key_wraps_and_is_left_out_for_one_series() -> None:
    canvas = drawn(["a"])
    one, many = canvas.svg("t", "d", ["only"]), canvas.svg("t", "d", [f"a rather long target {i}" for i in range(6)])
    assert "only" not in one
    heights = [int(re.search(r'height="(\d+)"', picture)[1]) for picture in (one, many)]  # type: ignore[index]
    assert heights[1] > heights[0] + 50
