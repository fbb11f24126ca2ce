"""Reads docs/contents.toml: which documents the site has, in which order."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONTENTS = "docs/contents.toml"
FIRST = "README.md"
GALLERY = "gallery/index.md"
"""Made by the build, so no document of the repository."""


@dataclass(frozen=True)
class Part:
    """A heading of the navigation and its pages, as paths from the top of the repository."""

    title: str
    pages: tuple[str, ...]


def parts(root: Path = ROOT) -> list[Part]:
    """In order; patterns become the files that they match."""
    listed = tomllib.loads((root / CONTENTS).read_text(encoding="utf-8"))["parts"]
    return [
        Part(each["title"], tuple(page for name in each["pages"] for page in _matching(root, name))) for each in listed
    ]


def _matching(root: Path, name: str) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.glob(name)) if "*" in name else [name]


def documents(root: Path = ROOT) -> set[str]:
    """Every document of the repository that the site must show."""
    found = (*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "docs").rglob("*.ipynb"))
    return {str(path.relative_to(root)) for path in found}
