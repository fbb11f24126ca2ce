"""How the words of a chart lie: asked of the browser at once, because a chart has hundreds."""

from __future__ import annotations

from itertools import combinations

from playwright.sync_api import Locator

GEOMETRY = """picture => {
    const box = each => {
        const { left, right, top, bottom } = each.getBoundingClientRect();
        return { left, right, top, bottom };
    };
    const shown = each => each.textContent && getComputedStyle(each).opacity !== "0";
    return {
        frame: box(picture),
        words: [...picture.querySelectorAll("text")].filter(shown)
            .map(each => ({ words: each.textContent, ...box(each) })),
        marks: picture.querySelectorAll(".role-mark path[d]:not([d='']), .role-mark line, .role-mark text").length,
    };
}"""


def check_geometry(picture: Locator, width: int, what: str) -> None:
    """Nothing empty, no word over another, nothing outside the picture or the page."""
    found = picture.evaluate(GEOMETRY)
    frame = found["frame"]
    assert found["marks"] > 0, what
    assert frame["right"] <= width, what
    for word in found["words"]:
        assert frame["left"] - 1 <= word["left"] <= word["right"] <= frame["right"] + 1, (what, word)
        assert frame["top"] - 1 <= word["top"] <= word["bottom"] <= frame["bottom"] + 1, (what, word)
    for one, other in combinations(found["words"], 2):
        across = min(one["right"], other["right"]) - max(one["left"], other["left"])
        # The box of a word is higher than its letters.
        down = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
        assert across <= 1 or down <= 3.5, (what, one["words"], other["words"])
