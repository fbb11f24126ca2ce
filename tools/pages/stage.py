"""Copies the documents into a folder that Sphinx reads, laid out as the repository is, and adds the navigation."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from tools.pages.contents import FIRST, GALLERY, ROOT, Part

LINK = re.compile(r"(?<=\]\()(?!\w+:|#)([^)#\s]+)")
INDEX = "index.md"
NOTEBOOK = ".ipynb"


class BrokenLinkError(Exception):
    """A document links to something that is not there."""


def stage(folder: Path, parts: Sequence[Part], root: Path = ROOT) -> None:
    """Write all pages but the gallery and notebooks. Raises BrokenLinkError that names document and link."""
    pages = {FIRST, *(page for part in parts for page in part.pages)}
    for page in sorted(pages - {GALLERY}):
        target = folder / (INDEX if page == FIRST else page)
        target.parent.mkdir(parents=True, exist_ok=True)
        if page.endswith(NOTEBOOK):
            continue
        text = (root / page).read_text(encoding="utf-8")
        target.write_text(
            LINK.sub(lambda found, page=page: _followed(found[1], page, pages, root, folder), text), "utf-8"
        )
    with (folder / INDEX).open("a", encoding="utf-8") as file:
        file.write("".join(_navigation(part) for part in parts))


def _followed(link: str, page: str, pages: set[str], root: Path, folder: Path) -> str:
    """The link as it stands in the copy; what it leads to and is no page is copied as well."""
    place = os.path.normpath(Path(page).parent / link)
    if place == FIRST:
        return os.path.relpath(INDEX, Path(page).parent)
    if place not in pages:
        if place.startswith("..") or not (root / place).is_file():
            raise BrokenLinkError(f"{page}: {link} is no file of this repository")
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / place, folder / place)
    return link


def _navigation(part: Part) -> str:
    names = "\n".join(page.removesuffix(".md").removesuffix(NOTEBOOK) for page in part.pages)
    return f"\n```{{toctree}}\n:hidden:\n:caption: {part.title}\n\n{names}\n```\n"
