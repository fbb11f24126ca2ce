"""The site shows every document once, and its links are looked at before anybody follows them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tools.pages import contents, gallery, links
from tools.pages.contents import FIRST, GALLERY, Part
from tools.pages.stage import BrokenLinkError, stage


def listed() -> list[str]:
    return [FIRST, *(page for part in contents.parts() for page in part.pages)]


def test_every_document_is_listed_once() -> None:
    pages = listed()
    assert len(pages) == len(set(pages))
    assert set(pages) - {GALLERY} == contents.documents(), "docs/contents.toml names every document, and nothing else"
    assert GALLERY in pages
    assert all(part.pages for part in contents.parts())


def test_a_document_that_is_not_listed_is_missed(tmp_path: Path) -> None:
    (tmp_path / "docs/reference").mkdir(parents=True)
    (tmp_path / contents.CONTENTS).write_text('[[parts]]\ntitle = "A"\npages = ["docs/a.md", "docs/reference/*.md"]\n')
    for name in ("README.md", "docs/a.md", "docs/b.md", "docs/reference/z.md", "docs/reference/y.md"):
        (tmp_path / name).write_text("# Page\n")
    (part,) = contents.parts(tmp_path)
    assert part == Part("A", ("docs/a.md", "docs/reference/y.md", "docs/reference/z.md"))
    assert contents.documents(tmp_path) - {FIRST, *part.pages} == {"docs/b.md"}


@pytest.mark.parametrize("notebook", sorted((contents.ROOT / "docs").rglob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_are_kept_without_outputs(notebook: Path) -> None:
    cells = [each for each in json.loads(notebook.read_text())["cells"] if each["cell_type"] == "code"]
    assert cells
    assert [(each["outputs"], each["execution_count"]) for each in cells] == [([], None)] * len(cells)


def written(tmp_path: Path, text: str) -> str:
    root, copy = tmp_path / "root", tmp_path / "copy"
    (root / "docs").mkdir(parents=True)
    (root / "docs/figures.toml").write_text("a = 1\n")
    (root / "docs/folder").mkdir()
    (root / "README.md").write_text("# First\n\n[page](docs/page.md#part)\n")
    (root / "docs/page.md").write_text(text)
    stage(copy, [Part("All", ("docs/page.md", GALLERY))], root)
    assert "[page](docs/page.md#part)" in (copy / "index.md").read_text()
    assert ":caption: All\n\ndocs/page\ngallery/index\n" in (copy / "index.md").read_text()
    return (copy / "docs/page.md").read_text()


def test_links_lead_where_they_led(tmp_path: Path) -> None:
    text = (
        "# Page\n\n[first](../README.md), [figures](figures.toml), [here](#page), [away](https://example.org/a_(b))\n"
    )
    assert written(tmp_path, text) == text.replace("../README.md", "../index.md")
    assert (tmp_path / "copy/docs/figures.toml").is_file()


@pytest.mark.parametrize("link", ["lost.md", "folder", "../../outside.md"])
def test_a_link_to_nothing_is_named(tmp_path: Path, link: str) -> None:
    (tmp_path / "outside.md").write_text("not of the repository")
    with pytest.raises(BrokenLinkError, match=rf"docs/page\.md: {link}"):
        written(tmp_path, f"[x]({link})")


@pytest.mark.parametrize(
    ("html", "problem"),
    [
        ('<a href="b.html#there">', None),
        ('<a href="b.html#away">', "no such place in that page"),
        ('<a href="#here"><p id="here">', None),
        ('<a href="#away">', "no such place in that page"),
        ('<a href="c.html">', "no such file"),
        ('<a href="../outside.html">', "no such file"),
        ('<a href=".">', "no such file"),
        ('<a href="https://example.org/x?y=1#z">', None),
        ('<a href="mailto:me@example.org">', None),
        ('<a href="https://exa mple/">', "is no address that a browser can open"),
        ('<a href="javascript:alert(1)">', "is no address that a browser can open"),
        ('<a href="http://[">', "Invalid IPv6 URL"),
        ('<img src="https://example.org/x.png">', "would be fetched"),
        ('<script src="//example.org/x.js"></script>', "would be fetched"),
        ('<link rel="stylesheet" href="https://example.org/x.css">', "would be fetched"),
        ('<img src="data:image/png;base64,AA==">', None),
        ("<p>} ``` The proxy", "stands in the text"),
        ("<p>| a | b | |---|---| | c | d |", "stands in the text"),
        ("<p>see [this](there.md)", "stands in the text"),
        ("<pre>``` |---| [a](b)</pre><p>plain [1] (2)", None),
        ("<style>@import url(https://example.org/x.css)</style>", "would be fetched"),
    ],
)
def test_links_of_built_pages(tmp_path: Path, html: str, problem: str | None) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (tmp_path / "outside.html").write_text("")
    (site / "a.html").write_text(html)
    (site / "b.html").write_text('<h2 id="there">')
    found = list(links.problems(site))
    assert len(found) == (problem is not None), found
    assert problem is None or found[0].startswith("a.html: ")
    assert problem is None or found[0].endswith(problem)


def test_styles_that_fetch_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("@import '//example.org/x.css'; p { background: url(image.png) }")
    assert list(links.problems(tmp_path)) == ["a.css: //example.org/x.css: would be fetched"]


def test_without_chromium_the_gallery_has_links_and_no_pictures() -> None:
    shown = [gallery.Shown(each, [Path(f"{each.name}.html")]) for each in gallery.SITUATIONS]
    page = gallery.page(shown)
    assert "<img" not in page
    assert [f'<a href="{each.name}.html">' in page for each in gallery.SITUATIONS] == [True] * 5


def test_a_command_of_the_gallery_that_fails_is_named(tmp_path: Path) -> None:
    wrong = gallery.Situation("wrong", "Wrong", "None.", "import lost.csv")
    with pytest.raises(gallery.CommandFailed, match=r"plimsoll import lost\.csv\nended with 2"):
        gallery.make(tmp_path / "gallery", [wrong])
